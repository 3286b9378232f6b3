/// Words that chance has made.
enum RandomWord {
    /// Shorter ones may be chosen.
    static let shortest = 8
    /// The lengths of digests in hexadecimal, which depend on a content: SHA-1, SHA-256, SHA-384, SHA-512.
    private static let digests: Set<Int> = [40, 64, 96, 128]

    /// Returns the random parts of two words that are the same otherwise: `2f1c09ab` and `77d0e1aa` of `test-2f1c09ab` and
    /// `test-77d0e1aa`; `nil` for other words, and for numbers in hexadecimal (`0x…`), which are data.
    static func difference(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Difference? {
        guard one.count == other.count, !one.starts(with: "0x".utf8), !one.starts(with: "0X".utf8) else { return nil }
        if let rest = self.temporary(one), let otherRest = self.temporary(other),
            !self.isChosen(rest) || !self.isChosen(otherRest)
        {
            return Difference(one: one, other: other, isBare: false)
        }
        let parts = [one, other].map { $0.split(omittingEmptySubsequences: false) { "-_".utf8.contains($0) } }
        guard parts[0].map(\.count) == parts[1].map(\.count) else {
            // Hyphens are part of the value, which has no words then.
            let hasWords = parts.joined().contains { $0.count > 3 && self.isChosen($0) }
            return !hasWords && self.areRandom(one, other) ? Difference(one: one, other: other, isBare: true) : nil
        }
        let differing = zip(parts[0], parts[1]).filter { $0 != $1 }
        guard differing.count == 1, let (first, second) = differing.first else {
            let hasWords = differing.contains { $0.count > 3 && (self.isChosen($0) || self.isChosen($1)) }
            return !hasWords && self.areRandom(one, other) ? Difference(one: one, other: other, isBare: true) : nil
        }
        if self.areRandom(first, second) {
            // A word that a person chose, and a hyphen: a name that was made. Behind an underscore ids of services have other
            // letters, too.
            let names = zip(parts[0], parts[1]).filter { $0 == $1 && self.isName($0) }
            let isMade =
                one.contains(0x2D) || Self.isLongHexadecimal(first) && Self.isLongHexadecimal(second)
                || names.contains { name, _ in Self.ofTests.contains(String(decoding: name, as: UTF8.self)) }
            let isNamed = parts[0].count > 1 && isMade && !names.isEmpty
            return Difference(one: first, other: second, isBare: !isNamed)
        }
        // A literal prefix without a hyphen, such as the `tmp` of `tmpx7f0q2ab`.
        let shared = zip(first, second).prefix { $0 == $1 }.count
        let start = min(shared, max(0, first.count - Self.shortest))
        let (rest, otherRest) = (first.dropFirst(start), second.dropFirst(start))
        guard start >= 3, self.areRandom(rest, otherRest) else { return nil }
        let isTemporary = ["tmp", "temp"].contains { first.prefix(start).starts(with: $0.utf8) }
        return Difference(one: first, other: second, isBare: !isTemporary)
    }

    /// The eight characters behind `tmp` in the name of a temporary file, as Python's `tempfile` makes them.
    private static func temporary(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard word.count == 11, word.starts(with: "tmp".utf8) else { return nil }
        let rest = word.dropFirst(3)
        return rest.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F } ? rest : nil
    }

    /// Returns true for two names of temporary files that begin alike and end in eight other characters, as Python's
    /// `tempfile` makes them with a prefix: these are words more often than not.
    static func areTemporary(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        guard one.count == other.count, one.count > 8, one.dropLast(8) == other.dropLast(8) else { return false }
        let ends = [one.suffix(8), other.suffix(8)]
        return self.areIndependent(ends[0], ends[1])
            && ends.allSatisfy { end in
                end.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            }
    }

    /// The random parts of two words.
    struct Difference {
        var one: ArraySlice<UInt8>
        var other: ArraySlice<UInt8>
        /// True if no literal text says that they were made for the run.
        var isBare: Bool
    }

    /// Words of names that are made for a while.
    private static let ofTests: Set<String> = ["tmp", "temp", "test"]

    /// 16 and more digits in hexadecimal, without capitals.
    private static func isLongHexadecimal(_ part: ArraySlice<UInt8>) -> Bool {
        part.count >= 16 && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isName(_ part: ArraySlice<UInt8>) -> Bool {
        part.count >= 2 && part.contains { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) }
    }

    private static func areRandom(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        guard one.count >= Self.shortest, one.count == other.count else { return false }
        let isHexadecimal = (one + other).allSatisfy { ASCII.hexValue($0) != nil }
        // Such as `1024x1792`.
        let letters = [one, other].map { $0.count { !(0x30...0x39).contains($0) } }
        guard isHexadecimal || letters.allSatisfy({ $0 >= 3 }) else { return false }
        guard !isHexadecimal || !self.digests.contains(one.count) else { return false }
        let areNumbers = (one + other).allSatisfy { (0x30...0x39).contains($0) }
        // Numbers may count something, and colours and masks repeat their digits.
        if areNumbers || min(Set(one).count, Set(other).count) < 4 { return false }
        // As in `gpt4turbo` and `gpt4omini`.
        if self.isDigitBetweenWords(one), self.isDigitBetweenWords(other) { return false }
        // Digits behind letters are often chance in hexadecimal, where words are rare: of two values one must be none.
        let isChosen =
            isHexadecimal && (one + other).allSatisfy { !(0x41...0x5A).contains($0) }
            ? self.isChosen(one) && self.isChosen(other) : self.isChosen(one) || self.isChosen(other)
        return !isChosen && self.areIndependent(one, other)
    }

    /// Returns true for values of which one is not the other with a few changes: chance gives them other characters in most
    /// places.
    static func areIndependent(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        let places = zip(one, other).filter { $0 != 0x2D || $1 != 0x2D }
        return places.count { $0 != $1 } * 2 >= places.count
    }

    /// Returns true for a text that a person would choose: words, or words with a number at their end.
    static func isChosen(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split { "-_".utf8.contains($0) }
        return parts.allSatisfy { part in
            let letters = part.filter { !(0x30...0x39).contains($0) }.map(ASCII.lowercased)
            if letters.isEmpty { return part.count < Self.shortest }
            let digitsWithin = part.drop { !(0x30...0x39).contains($0) }.contains { !(0x30...0x39).contains($0) }
            if digitsWithin { return false }
            return self.isPronounceable(letters)
        }
    }

    /// Returns true for a digit between two words, of which one may be an abbreviation.
    private static func isDigitBetweenWords(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.split { (0x30...0x39).contains($0) }
        return words.count == 2 && words[0].count + words[1].count + 1 == text.count
            && words.allSatisfy { $0.count >= 3 }
            && words.contains { $0.count >= 4 && self.isPronounceable($0.map(ASCII.lowercased)) }
    }

    /// Returns true for letters as words have them: vowels now and then, and no long runs of consonants.
    private static func isPronounceable(_ letters: [UInt8]) -> Bool {
        var run = 0
        var longest = 0
        var vowels = 0
        for letter in letters {
            if "aeiouy".utf8.contains(letter) {
                vowels += 1
                run = 0
            } else {
                run += 1
                longest = max(longest, run)
            }
        }
        return longest <= 3 && vowels * 5 >= letters.count && vowels * 3 <= letters.count * 2
    }
}
