/// Two texts around the first place where they differ.
struct TextDifference {
    let wanted: String
    let came: String

    private static let before = 20
    private static let length = 60

    /// - Returns: `nil` for equal texts.
    init?(_ wanted: [UInt8], _ came: [UInt8]) {
        guard wanted != came else { return nil }
        var place = zip(wanted, came).prefix { $0 == $1 }.count
        guard let one = String(validating: wanted, as: UTF8.self), let other = String(validating: came, as: UTF8.self)
        else {
            self.wanted = Self.bytes(wanted, place)
            self.came = Self.bytes(came, place)
            return
        }
        // A character that is not whole begins earlier.
        while place > 0, place < wanted.count, wanted[place] & 0xC0 == 0x80 { place -= 1 }
        self.wanted = Self.excerpt(one, place)
        self.came = Self.excerpt(other, place)
    }

    private static func excerpt(_ text: String, _ place: Int) -> String {
        guard !text.isEmpty else { return "empty" }
        let utf8 = text.utf8
        guard text.count > Self.length else { return text }
        let middle = utf8.index(utf8.startIndex, offsetBy: min(place, utf8.count))
        let start = text.index(middle, offsetBy: -Self.before, limitedBy: text.startIndex) ?? text.startIndex
        let end = text.index(start, offsetBy: Self.length, limitedBy: text.endIndex) ?? text.endIndex
        let front = start == text.startIndex ? "" : "…"
        let back = end == text.endIndex ? "" : "…"
        let here = middle == text.endIndex ? "\(front)\(text[start...]), which ends there" : ""
        return here.isEmpty ? front + text[start..<end] + back : here
    }

    private static func bytes(_ bytes: [UInt8], _ place: Int) -> String {
        guard place < bytes.count else { return "\(bytes.count) bytes, which end there" }
        let digits = bytes[place...].prefix(8).map { byte in
            String(decoding: [ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)], as: UTF8.self)
        }
        return "\(digits.joined(separator: " ")) at byte \(place + 1) of \(bytes.count)"
    }
}
