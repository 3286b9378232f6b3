import TapedeckCore
import TapedeckPlatform

/// Tells a word drawn at random from names, numbers, digests and data.
///
/// The bounds are chosen for words of letters and digits: of those that are drawn at random, 5 in 6 of 24 characters pass, 9
/// in 10 of 32 and 19 in 20 of 40 and more.
enum RandomLook {
    /// Shorter words are too likely a name or a number, longer ones are data of some kind. In characters.
    static let lengths = 24...128
    /// In bits a character: English words joined by hyphens have about 3.5, random base64 of this length over 4.3.
    private static let leastBits = 4.0
    /// The least share of neighbours of two kinds: 0.62 in random words, under 0.4 in names of programs.
    private static let leastChanges = 0.42
    /// The greatest share of small letters in rows of three and more: 0.16 in random words, over a half in names.
    private static let greatestWords = 0.38
    /// In random words, 28 % of characters are in rows of two and more; fewer with at most one digit, as in names.
    private static let greatestPairs = 0.5
    private static let greatestPairsInNames = 0.42
    private static let greatestRow = 8

    private enum Kind: Int {
        case digit, capital, small, mark

        init(_ byte: UInt8) {
            self =
                switch byte {
                case 0x30...0x39: .digit
                case 0x41...0x5A: .capital
                case 0x61...0x7A: .small
                default: .mark
                }
        }
    }

    /// True if a word looks like a secret: letters, digits, `_`, `-`, `+` and `/`, without padding.
    static func isSecret(_ word: ArraySlice<UInt8>) -> Bool {
        guard self.lengths.contains(word.count) else { return false }
        let counts = Self.rows(in: word)
        let changes = Double(counts.rows - 1) / Double(word.count - 1)
        let words = Double(counts.words) / Double(word.count)
        let pairs = Double(counts.pairs) / Double(word.count)
        guard counts.kinds.count == 3, changes >= self.leastChanges, words < self.greatestWords,
            pairs < (counts.numbers > 1 ? self.greatestPairs : self.greatestPairsInNames),
            counts.longest <= self.greatestRow
        else { return false }
        let pieces = word.split { $0 == 0x5F || $0 == 0x2D }
        let drawn = pieces.contains { $0.count >= 12 && Self.rows(in: $0).kinds.count == 3 }
        // Names that a compiler of C++ made.
        if word.starts(with: Array("_Z".utf8)) { return false }
        return drawn && !Self.isDigest(word, pieces) && Self.bits(word) >= self.leastBits && !Self.isData(word)
    }

    /// The measures of the rows of characters of one kind in a word.
    private struct Rows {
        var rows = 0
        var longest = 0
        /// Small letters in rows of three and more.
        var words = 0
        /// Small letters in rows of two and more.
        var pairs = 0
        /// Rows of digits.
        var numbers = 0
        /// Letters of both cases and digits, as far as there are some.
        var kinds: Set<Kind> = []
    }

    private static func rows(in word: ArraySlice<UInt8>) -> Rows {
        var result = Rows()
        var last: Kind?
        var length = 0
        func end() {
            guard let last else { return }
            result.rows += 1
            result.longest = max(result.longest, length)
            if last != .mark { result.kinds.insert(last) }
            if last == .digit { result.numbers += 1 }
            if last == .small, length >= 3 { result.words += length }
            if last == .small, length >= 2 { result.pairs += length }
        }
        for byte in word {
            let kind = Kind(byte)
            if kind != last {
                end()
                last = kind
                length = 0
            }
            length += 1
        }
        end()
        return result
    }

    /// True if a word is a digest or has one in it: hexadecimal digits, `sha512-…`, an entity tag of a length and SHA-1.
    private static func isDigest(_ word: ArraySlice<UInt8>, _ pieces: [ArraySlice<UInt8>]) -> Bool {
        if word.allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x2D }) { return true }
        if pieces.contains(where: { $0.count >= 16 && $0.allSatisfy { ASCII.hexValue($0) != nil } }) { return true }
        guard let first = pieces.first else { return false }
        if word.starts(with: Array("sha".utf8)) { return true }
        let isTag =
            word.count - first.count == 28 && first.count <= 8
            && first.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isTag && word[word.startIndex + first.count] == 0x2D
    }

    /// The first bytes of files and messages that are often sent in base64: gzip, zlib, JPEG, PNG, GIF, PDF, ZIP, RIFF,
    /// fonts, WebAssembly, DER, zeros.
    private static let beginnings: [[UInt8]] = [
        [0x1F, 0x8B], [0x78, 0x9C], [0x78, 0xDA], [0x78, 0x01], [0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47],
        [0x47, 0x49, 0x46], [0x25, 0x50, 0x44, 0x46], [0x50, 0x4B, 0x03], [0x52, 0x49, 0x46, 0x46],
        [0x77, 0x4F, 0x46], [0, 0x61, 0x73, 0x6D], [0x30, 0x82], [0x30, 0x81], [0, 0],
    ]

    /// True if a word is base64 of a text or of a file of a known type.
    private static func isData(_ word: ArraySlice<UInt8>) -> Bool {
        // Whole groups of four characters, which three bytes each come from.
        let whole = Array(word.prefix(word.count / 4 * 4))
        guard let data = whole.withUnsafeBytes({ Base64.decodeEither($0) }) else { return false }
        if self.beginnings.contains(where: { data.starts(with: $0) }) { return true }
        let printable = data.count { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        return printable * 5 >= data.count * 4
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
}
