import TapedeckCore

/// Personal data that proves itself: addresses of e-mail by their form, numbers of payment cards by their range and check
/// digit (ISO/IEC 7812-1), numbers of bank accounts by their country's length and check digits (ISO 13616-1).
enum PersonalData {
    /// The secrets in a text under the rule `pii`, in order of their kinds.
    static func edits(in text: UnsafeRawBufferPointer) -> [SecretEdit] {
        Self.addresses(in: text) + Self.numbers(in: text)
    }

    private static func edit(_ range: Range<Int>, in text: UnsafeRawBufferPointer, _ name: String) -> SecretEdit {
        SecretEdit(range: range, value: Array(text[range]), name: name, rule: "pii")
    }

    // MARK: E-mail

    private static let localPart = ByteClass("A-Za-z0-9._%+'-")
    private static let domain = ByteClass("A-Za-z0-9.-")
    private static let letters = ByteClass("A-Za-z")
    private static let digits = ByteClass("0-9")
    private static let word = ByteClass("A-Za-z0-9")
    /// RFC 5321 section 4.5.3.1, in bytes.
    private static let longestLocalPart = 64
    private static let longestDomain = 255

    /// Names that are nobody's (RFC 2606, RFC 6761), and endings of files, as in `logo@2x.png`.
    private static let nobodys: Set<String> = ["example", "invalid", "test", "localhost", "local"]
    private static let files: Set<String> = [
        "css", "gif", "gz", "html", "jpeg", "jpg", "js", "json", "map", "md", "mjs", "pdf", "png", "svg", "tgz", "ts",
        "txt", "webp", "xml", "yaml", "yml", "zip",
    ]

    private static func addresses(in text: UnsafeRawBufferPointer) -> [SecretEdit] {
        var edits: [SecretEdit] = []
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
                // A user in a URL: the rule `url-credentials` knows the password beside it.
                start < 2 || text[start - 1] != ASCII.slash || text[start - 2] != ASCII.slash,
                Self.isSomebodys(String(decoding: text[(at + 1)..<end], as: UTF8.self))
            else { continue }
            edits.append(Self.edit(start..<end, in: text, "email"))
            index = end
        }
        return edits
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

    // MARK: Numbers

    private static func numbers(in text: UnsafeRawBufferPointer) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var index = 0
        while index < text.count {
            guard Self.word.contains(text[index]) else {
                index += 1
                continue
            }
            // No number begins within a word, nor behind the point of a fraction.
            let mayBegin = index == 0 || text[index - 1] != 0x2E && text[index - 1] != 0x5F
            if mayBegin, index + Self.leastNumber <= text.count,
                let (end, name) = Self.card(in: text, at: index) ?? Self.account(in: text, at: index)
            {
                var edit = Self.edit(index..<end, in: text, name)
                if Self.isJSONNumber(index..<end, in: text) { edit.form = .number }
                edits.append(edit)
                index = end
            }
            while index < text.count, Self.word.contains(text[index]) { index += 1 }
        }
        return edits
    }

    private static let leastNumber = 13

    private static func card(in text: UnsafeRawBufferPointer, at start: Int) -> (end: Int, name: String)? {
        guard Self.digits.contains(text[start]) else { return nil }
        return Self.end(in: text, at: start, of: Self.digits, PaymentCard.isNumber).map { ($0, "card_number") }
    }

    private static func account(in text: UnsafeRawBufferPointer, at start: Int) -> (end: Int, name: String)? {
        guard Self.letters.contains(text[start]), Self.letters.contains(text[start + 1]),
            Self.digits.contains(text[start + 2])
        else { return nil }
        return Self.end(in: text, at: start, of: Self.word, BankAccount.isNumber).map { ($0, "iban") }
    }

    /// Where the longest number ends that begins at `start`, in groups with a space or a hyphen between them, if one does.
    private static func end(
        in text: UnsafeRawBufferPointer,
        at start: Int,
        of characters: ByteClass,
        _ isNumber: ([UInt8]) -> Bool
    ) -> Int? {
        var number: [UInt8] = []
        var longest: Int?
        var index = start
        while index < text.count, number.count < BankAccount.longest {
            guard characters.contains(text[index]) else {
                let isJoint = text[index] == ASCII.space || text[index] == 0x2D
                guard isJoint, characters.contains(text[index - 1]) else { break }
                index += 1
                continue
            }
            number.append(text[index])
            index += 1
            guard number.count >= Self.leastNumber else { continue }
            let next = index < text.count ? text[index] : 0
            let isFraction = next == 0x2E && index + 1 < text.count && Self.digits.contains(text[index + 1])
            if !isFraction, next != 0x5F, !Self.word.contains(next), isNumber(number) { longest = index }
        }
        return longest
    }

    /// True if digits are a number of JSON rather than in a string or a text: what is played must be one again.
    private static func isJSONNumber(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> Bool {
        guard text[range].allSatisfy(Self.digits.contains) else { return false }
        let before = text[..<range.lowerBound].last { $0 > ASCII.space }
        let after = text[range.upperBound...].first { $0 > ASCII.space }
        return [ASCII.colon, ASCII.comma, ASCII.openBracket].contains(before)
            && [ASCII.comma, ASCII.closeBracket, ASCII.closeBrace].contains(after)
    }
}
