/// Ids that begin with the time at which they were made, and end in random bytes.
enum TimedID {
    /// The time in an id; `nil` for any other word.
    ///
    /// | id | form | time |
    /// |---|---|---|
    /// | ULID | 26 characters of Crockford's base32 | 48 bits, milliseconds since 1970 |
    /// | ObjectId of MongoDB | 24 digits in hexadecimal | 32 bits, seconds since 1970 |
    /// | KSUID | 27 characters of base62 | 32 bits, seconds since 2014-05-13 |
    static func time(of word: ArraySlice<UInt8>) -> Instant? {
        switch word.count {
        case 26: Self.number(word.prefix(10), self.crockford).map { Instant(milliseconds: Int64($0)) }
        case 24:
            word.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
                ? Self.number(word.prefix(8), Array("0123456789abcdef".utf8)).map { Instant(seconds: Int64($0)) } : nil
        case 27: self.ksuid(word)
        default: nil
        }
    }

    private static let crockford = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let base62 = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let ksuidEpoch: Int64 = 1_400_000_000

    private static func number(_ digits: ArraySlice<UInt8>, _ alphabet: [UInt8]) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard let place = alphabet.firstIndex(of: digit) else { return nil }
            value = value &* UInt64(alphabet.count) &+ UInt64(place)
        }
        return value
    }

    /// The first 4 of 20 bytes, as digits to the base of 62.
    private static func ksuid(_ word: ArraySlice<UInt8>) -> Instant? {
        var bytes = [UInt32](repeating: 0, count: 20)
        for digit in word {
            guard let place = self.base62.firstIndex(of: digit) else { return nil }
            var carry = UInt32(place)
            for index in bytes.indices.reversed() {
                carry += bytes[index] * 62
                bytes[index] = carry & 0xFF
                carry >>= 8
            }
            guard carry == 0 else { return nil }
        }
        let seconds = bytes.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Instant(seconds: seconds + self.ksuidEpoch)
    }
}
