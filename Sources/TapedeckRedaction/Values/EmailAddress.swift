import TapedeckCore

/// Addresses of e-mail, by their form (RFC 5321).
enum EmailAddress {
    private static let localPart = ByteClass("A-Za-z0-9._%+'-")
    private static let domain = ByteClass("A-Za-z0-9.-")
    private static let letters = ByteClass("A-Za-z")
    private static let digits = ByteClass("0-9")
    private static let word = ByteClass("A-Za-z0-9")
    /// RFC 5321 section 4.5.3.1, in bytes.
    private static let longestLocalPart = 64
    private static let longestDomain = 255

    /// Reserved names (RFC 2606, RFC 6761), and endings of files, as in `logo@2x.png`.
    private static let nobodys: Set<String> = ["example", "invalid", "test", "localhost", "local"]
    private static let files: Set<String> = [
        "css", "gif", "gz", "html", "jpeg", "jpg", "js", "json", "map", "md", "mjs", "pdf", "png", "svg", "tgz", "ts",
        "txt", "webp", "xml", "yaml", "yml", "zip",
    ]

    /// Returns the places of the addresses in a text.
    static func ranges(in text: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while let at = text.index(of: ASCII.at, from: index) {
            index = at + 1
            var start = at
            while start > 0, at - start <= Self.longestLocalPart, Self.localPart.contains(text[start - 1]) {
                start -= 1
            }
            while start < at, !Self.word.contains(text[start]), text[start] != 0x5F { start += 1 }
            var end = at + 1
            while end < text.count, end - at <= Self.longestDomain, Self.domain.contains(text[end]) { end += 1 }
            while end > at + 1, !Self.word.contains(text[end - 1]) { end -= 1 }
            guard start < at, at - start <= Self.longestLocalPart, text[at - 1] != 0x2E,
                // A user in a URL: the rule `url-credentials` finds the password after it.
                start < 2 || text[start - 1] != ASCII.slash || text[start - 2] != ASCII.slash,
                Self.isSomebodys(String(decoding: text[(at + 1)..<end], as: UTF8.self))
            else { continue }
            ranges.append(start..<end)
            index = end
        }
        return ranges
    }

    private static func isSomebodys(_ domain: String) -> Bool {
        let labels = ASCII.lowercased(domain).split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let top = labels.last, top.utf8.count >= 2, top.utf8.allSatisfy(Self.letters.contains),
            labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && $0.utf8.count <= 63 }),
            // `package@1.2.3.js`
            labels.count == 2 || !labels[0].utf8.allSatisfy(Self.digits.contains)
        else { return false }
        if Self.nobodys.contains(String(top)) || Self.files.contains(String(top)) { return false }
        return labels[labels.count - 2] != "example" || !["com", "net", "org"].contains(top)
    }
}
