/// The properties of a pattern that its text alone shows. Every answer errs on the safe side.
struct PatternSyntax: Sendable {
    let bytes: [UInt8]
    /// True if the pattern is matched in characters instead of bytes.
    let needsCharacters: Bool
    /// True if the pattern holds only literal text, classes, groups, alternatives and quantifiers, so that the match
    /// limit alone bounds its work: PCRE2 counts every turn of these, but no back-reference, assertion or possessive
    /// group.
    let isSimple: Bool

    init(_ source: String) {
        self.bytes = Array(source.utf8)
        self.needsCharacters = Self.needsCharacters(self.bytes)
        self.isSimple = !self.needsCharacters && Self.isSimple(self.bytes)
    }

    /// A setting for the whole pattern at its beginning, `(*NO_JIT)` or `(*LIMIT_MATCH=...)`: those would change how
    /// work is counted.
    var leadingSetting: String? {
        guard self.bytes.starts(with: "(*".utf8) else { return nil }
        let names = self.bytes.dropFirst(2).prefix { $0 != 0x29 && $0 != ASCII.equals }
        let name = String(decoding: names, as: UTF8.self)
        let isSetting =
            ["UTF", "UCP", "CR", "LF", "CRLF", "ANY", "ANYCRLF", "NUL", "BSR_ANYCRLF", "BSR_UNICODE"].contains(name)
            || ["NO_", "NOTEMPTY", "LIMIT_", "CASELESS_", "TURKISH_"].contains { name.hasPrefix($0) }
        return isSetting ? "(*\(name))" : nil
    }

    /// Returns the number of characters in the first `count` bytes.
    func characters(before count: Int) -> Int {
        String(decoding: self.bytes.prefix(count), as: UTF8.self).count
    }

    private static func needsCharacters(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return true }
        return bytes.indices.dropLast().contains { index in
            guard bytes[index] == ASCII.backslash else { return false }
            switch bytes[index + 1] {
            case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "X"): return true
            case UInt8(ascii: "x"), UInt8(ascii: "o"), UInt8(ascii: "N"):
                return index + 2 < bytes.count && bytes[index + 2] == ASCII.openBrace
            default: return false
            }
        }
    }

    private static func isSimple(_ bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let afterNext = index + 2 < bytes.count ? bytes[index + 2] : 0
            switch byte {
            case UInt8(ascii: "("):
                if next == ASCII.asterisk { return false }
                if next == ASCII.question, !self.opensPlainGroup(bytes[(index + 2)...]) { return false }
            case UInt8(ascii: ")"), ASCII.closeBrace:
                // `)*+`, `)++`, `)?+`, `}+`: possessive.
                if next == UInt8(ascii: "+"), byte == ASCII.closeBrace { return false }
                if afterNext == UInt8(ascii: "+"), [ASCII.asterisk, UInt8(ascii: "+"), ASCII.question].contains(next) {
                    return false
                }
            case ASCII.backslash:
                if (0x31...0x39).contains(next) || "gkKXCGQ".utf8.contains(next) { return false }
            default:
                continue
            }
        }
        return true
    }

    /// Returns true if the text after `(?` makes a group, capturing or not, or a setting such as `(?i)`.
    private static func opensPlainGroup(_ rest: ArraySlice<UInt8>) -> Bool {
        let setting = rest.prefix { "imsxn-".utf8.contains($0) }
        let next = rest.dropFirst(setting.count).first
        if next == ASCII.colon || !setting.isEmpty && next == UInt8(ascii: ")") { return true }
        let name = rest.first == UInt8(ascii: "P") ? rest.dropFirst() : rest
        guard name.first == UInt8(ascii: "<"), let letter = name.dropFirst().first else { return false }
        return letter != ASCII.equals && letter != UInt8(ascii: "!")
    }
}
