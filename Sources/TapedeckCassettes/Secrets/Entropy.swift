import TapedeckCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds words that look as if they had been drawn at random: what no rule knows may still be a secret.
enum Entropy {
    /// Shorter words are too likely to be a name or a number. 24 characters.
    private static let leastLength = 24
    /// Longer ones are a body of some kind. 512 characters.
    private static let greatestLength = 512
    /// In bits a character: English words joined by hyphens have about 3.5, random base64 of this length over 4.3.
    private static let leastBits = 4.1

    /// The words that look random, by their offsets.
    ///
    /// A word is a run of letters, digits, `_`, `-`, `+`, `/` and `=`. One of hexadecimal digits alone is a digest or an id far
    /// more often than a secret, and so is a UUID: neither is taken for one. A path, whose parts are words, is none either.
    static func words(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            guard Self.isPart(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.count, Self.isPart(bytes[end]) { end += 1 }
            if Self.looksRandom(bytes[start..<end]) { found.append(start..<end) }
            start = end
        }
        return found
    }

    static func looksRandom(_ word: ArraySlice<UInt8>) -> Bool {
        guard (Self.leastLength...Self.greatestLength).contains(word.count) else { return false }
        var kinds: Set<Int> = []
        var isHexadecimal = true
        for byte in word {
            switch byte {
            case 0x30...0x39: kinds.insert(0)
            case 0x41...0x5A: kinds.insert(1)
            case 0x61...0x7A: kinds.insert(2)
            default: break
            }
            if ASCII.hexValue(byte) == nil, byte != UInt8(ascii: "-") { isHexadecimal = false }
        }
        guard kinds.count == 3, !isHexadecimal else { return false }
        // `/v1/Users/List2` and the like: the pieces of a path are short words.
        let pieces = word.split { $0 == ASCII.slash || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard pieces.contains(where: { $0.count >= 16 }) else { return false }
        return Self.bits(word) >= Self.leastBits
    }

    /// Shannon's entropy, in bits a byte.
    static func bits(_ word: ArraySlice<UInt8>) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in word { counts[Int(byte)] += 1 }
        let length = Double(word.count)
        return counts.reduce(0) { bits, count in
            guard count > 0 else { return bits }
            let share = Double(count) / length
            return bits - share * log2(share)
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: true
        default: false
        }
    }
}
