/// A text as a part of a URL: a segment of a path, a value of a query, a user name or a password.
package enum URLPart {
    /// Percent-encodes all but the unreserved characters (RFC 3986 section 2.3). A text that is only dots is encoded whole,
    /// as it would else be taken for a step in a path.
    package static func encoded(_ text: String) -> String {
        let isDots = text.allSatisfy { $0 == "." }
        var result = ""
        for byte in text.utf8 {
            let character = UnicodeScalar(byte)
            switch character {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "~": result.unicodeScalars.append(character)
            case "." where !isDots: result += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
