import TapedeckCore

/// Personal data that proves itself: addresses of e-mail by their form, numbers of payment cards by their range and check
/// digit (ISO/IEC 7812-1), numbers of bank accounts by their country's length and check digits (ISO 13616-1).
enum PersonalData {
    /// The secrets in a text under the rule `pii`, in order of their kinds.
    static func edits(in text: UnsafeRawBufferPointer) -> [SecretEdit] {
        EmailAddress.ranges(in: text).map { Self.edit($0, in: text, "email") } + Self.numbers(in: text)
    }

    private static func edit(_ range: Range<Int>, in text: UnsafeRawBufferPointer, _ name: String) -> SecretEdit {
        SecretEdit(range: range, value: Array(text[range]), name: name, rule: "pii")
    }

    private static let letters = ByteClass("A-Za-z")
    private static let digits = ByteClass("0-9")
    private static let word = ByteClass("A-Za-z0-9")

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

    /// Returns the end of the longest number that begins at `start`, in groups separated by a space or a hyphen, or
    /// nil.
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
