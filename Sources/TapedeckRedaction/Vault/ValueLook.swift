import TapedeckCore

/// What a value looks like: a word, a key, a number.
enum ValueLook {
    /// Whether a value is looked for wherever it may stand.
    ///
    /// One that the user named always is, from four bytes on. All others have eight bytes or more, four different
    /// ones among them, and are no word: not letters in one case or with a capital in front, and not two of these.
    /// Three words and more are looked for from 16 bytes on. What is only likely to be a secret must hold eight letters
    /// and digits in a row, both kinds among them, and 12 bytes in all.
    static func isLiteral(_ value: [UInt8], _ certainty: SecretCertainty) -> Bool {
        if certainty == .named { return value.count >= 4 }
        guard value.count >= LiteralTable.keySize, Set(value).count >= 4 else { return false }
        guard certainty == .certain else { return value.count >= 12 && Self.hasMixedRun(value, of: 8) }
        return !Self.isWords(value)
    }

    /// Whether a value looks as if a machine had made it up: no white space, and letters and digits mixed; or a long
    /// run of digits or of letters in both cases.
    static func isTokenLike(_ value: some Collection<UInt8>, atLeast count: Int = 8) -> Bool {
        guard value.count >= count, !value.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return false }
        var digits = 0
        var lower = 0
        var upper = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x61...0x7A: lower += 1
            case 0x41...0x5A: upper += 1
            default: break
            }
        }
        guard digits + lower + upper >= count * 3 / 4 else { return false }
        if digits > 0, lower + upper > 0 { return Self.hasMixedRun(value, of: min(8, count)) }
        return lower + upper == 0 ? digits >= 16 : value.count >= 20 && upper > 3 && lower > 3
    }

    /// Whether a value looks like the key to an interface: 16 letters and digits in a row, both kinds among them.
    static func isKeyLike(_ value: some Collection<UInt8>) -> Bool {
        value.count >= 16 && !value.contains { $0 <= 0x20 } && Self.hasMixedRun(value, of: 16)
    }

    /// Whether there are so many letters and digits in a row, and both kinds among them.
    static func hasMixedRun(_ value: some Collection<UInt8>, of length: Int) -> Bool {
        var run = 0
        var letters = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: run += 1
            case 0x41...0x5A, 0x61...0x7A:
                run += 1
                letters += 1
            default:
                run = 0
                letters = 0
            }
            if run >= length, letters > 0, letters < run { return true }
        }
        return false
    }

    /// One or two words, or more that are short in all; also a few digits at their ends do not make a secret of words.
    private static func isWords(_ value: [UInt8]) -> Bool {
        var words = 0
        for part in value.split(whereSeparator: { !Self.isLetter($0) && !(0x30...0x39).contains($0) && $0 < 0x80 }) {
            guard part.allSatisfy(Self.isLetter) else { return false }
            let capitals = part.dropFirst().count { $0 < 0x5B }
            // `anonymous`, `Anonymous`, `ANONYMOUS` and `camelCase`.
            guard capitals == part.count - 1 || capitals * 4 <= part.count else { return false }
            words += 1
        }
        return words < 3 || value.count < 16
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Words that stand where a secret would, and say that there is none.
    static func isNothing(_ value: some Collection<UInt8>) -> Bool {
        guard value.count <= 9 else { return value.allSatisfy { $0 == 0x2A } }
        let word = ASCII.lowercased(String(decoding: value, as: UTF8.self))
        return ["", "true", "false", "null", "none", "nil", "undefined", "deleted", "string"].contains(word)
            || value.allSatisfy { $0 == 0x2A }
    }
}
