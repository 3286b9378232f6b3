import TapedeckCore

/// Estimates how hard a value is to guess, to separate words and identifiers from random values.
///
/// A value is split into words (`Hello`, `hello`, `HELLO`), short groups of letters and runs of digits. A pronounceable
/// word counts about as much as its place in a dictionary, whatever its length; alternating letters and digits count
/// almost in full. `Uint8Array` has 23 bits, `x86_64-linux-gnu` 35, ten random letters and digits have 45.
enum Randomness {
    /// The randomness of a value, in bits.
    static func bits(_ value: some Collection<UInt8>) -> Double {
        var bits = 0.0
        var seen: (UInt64, UInt64) = (0, 0)
        var chunk = Chunk()
        for byte in value {
            if byte < 64 { seen.0 |= 1 << UInt64(byte) } else { seen.1 |= 1 << UInt64(byte & 63) }
            let kind = Kind(byte)
            if !chunk.takes(kind) {
                bits += chunk.bits
                chunk = Chunk()
            }
            chunk.append(byte, kind)
        }
        bits += chunk.bits
        // `xxxx-xxxx` and `00000000-0000-0000`.
        return seen.0.nonzeroBitCount + seen.1.nonzeroBitCount < 5 ? 0 : bits
    }

    private enum Kind {
        case digit
        case lower
        case upper
        case other

        init(_ byte: UInt8) {
            switch byte {
            case 0x30...0x39: self = .digit
            case 0x61...0x7A: self = .lower
            case 0x41...0x5A: self = .upper
            default: self = .other
            }
        }
    }

    /// Characters of a value that belong together.
    private struct Chunk {
        private var kind: Kind?
        private var count = 0
        private var vowels = 0
        private var consonants = 0
        private var longestConsonants = 0
        private var isAscending = true
        private var last: UInt8 = 0

        func takes(_ next: Kind) -> Bool {
            guard let kind = self.kind else { return true }
            // A capital begins a word.
            return kind == next || (kind == .upper && next == .lower && self.count == 1)
        }

        mutating func append(_ byte: UInt8, _ kind: Kind) {
            if self.count > 0, byte != self.last &+ 1 { self.isAscending = false }
            self.last = byte
            self.count += 1
            self.kind = kind
            switch byte | 0x20 {
            case 0x61, 0x65, 0x69, 0x6F, 0x75, 0x79:
                self.vowels += 1
                self.consonants = 0
            default:
                self.consonants += 1
                self.longestConsonants = max(self.longestConsonants, self.consonants)
            }
        }

        var bits: Double {
            let count = Double(self.count)
            switch self.kind {
            case nil, .other: return 0
            case .digit:
                if self.count >= 3, self.isAscending { return 3 }
                return self.count <= 4 ? 2.5 * count : 10 + 3.3 * (count - 4)
            case .lower, .upper:
                if self.count <= 2 { return 4.5 * count }
                if self.isAscending { return 5 }
                let canBeSaid = self.vowels > 0 && self.longestConsonants < 5 && self.vowels * 6 >= self.count
                guard canBeSaid || self.count <= 5 else { return 3.5 * count }
                return self.count <= 14 ? 10 : 10 + 3 * (count - 14)
            }
        }
    }
}
