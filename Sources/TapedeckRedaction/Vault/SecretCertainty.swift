/// Decides whether a secret is looked for everywhere else.
enum SecretCertainty: Int, Sendable, Comparable {
    /// A part of a text in base64: the secret in it is known by itself, and is what is looked for.
    case part
    /// A value that a rule found.
    case certain
    /// A value that the user named. It is looked for even if it is short or a word.
    case named

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Returns true if a secret of this certainty is searched everywhere.
    ///
    /// A value that the user named always is, from four bytes on. All others have eight bytes or more and are too
    /// random to be a word or an identifier: see ``Randomness``.
    func isLiteral(_ value: [UInt8]) -> Bool {
        if self == .named { return value.count >= 4 }
        if self == .part { return false }
        guard value.count >= LiteralTable.keySize else { return false }
        if value.allSatisfy({ (0x30...0x39).contains($0) }) { return value.count >= 10 && Set(value).count >= 4 }
        if Randomness.bits(value) >= ValueLook.randomBits { return true }
        let kinds = Set(value).count
        return value.count >= 32 ? kinds >= 4 : kinds >= 8 && value.contains { $0 >= 0x80 }
    }

    /// Returns true if a value cannot be part of a longer word by chance, so that it is found within words too.
    func isUnmistakable(_ value: [UInt8]) -> Bool {
        self == .named || value.count >= 32 || Randomness.bits(value) >= ValueLook.unmistakableBits
    }
}
