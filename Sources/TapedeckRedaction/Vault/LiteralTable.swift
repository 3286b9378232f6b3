import TapedeckCore

/// The forms in which secrets are looked for as literals: by a hash of all their bytes, so that the cost of a search does
/// not depend on how many there are, nor on how many begin alike, as JSON Web Tokens do; adding one is O(1).
struct LiteralTable: Sendable {
    /// The fewest bytes of a literal.
    static let keySize = 8
    /// Of longer secrets only this many bytes are searched in base64.
    private static let encodedSize = 1024

    enum Encoding: Sendable {
        case raw
        case base64
    }

    struct Literal: Sendable {
        var encoding: Encoding
        var secret: Int
        fileprivate var start: Int
        fileprivate var length: Int
        fileprivate var hash: UInt64
        fileprivate var next: Int
    }

    private struct Place: Hashable {
        var length: Int
        var hash: UInt64
    }

    /// The number of lengths, of literals with the same first eight bytes, that are distinguished by their hash.
    private static let lengthLimit = 128
    /// The number of literals per slot. There are more only if secrets were crafted for that, with far too many
    /// lengths; the others are not searched.
    private static let chainLimit = 16

    private(set) var filter: LiteralFilter?
    private var filterBits = 1024
    private var pool: [UInt8] = []
    private var literals: [Literal] = []
    /// By the first eight bytes: the lengths of the literals that begin with them, the longest first.
    private var lengths: [UInt64: [Int]] = [:]
    /// The literals of a length and hash, or whose beginnings have these.
    private var first: [Place: Int] = [:]

    /// Adds a secret in all forms that its first bytes cannot be seen in.
    ///
    /// A text in base64 shows three forms of a secret, by where the secret begins in a group of three bytes. Those of
    /// their characters that depend on the secret alone are looked for.
    mutating func add(_ value: [UInt8], secret: Int) {
        guard value.count >= Self.keySize else { return }
        self.add(value[...], .raw, secret)
        let start = Array(value.prefix(Self.encodedSize))
        for lead in 0..<3 {
            let text = Base64.encode([UInt8](repeating: 0, count: lead) + start)
            let first = (lead * 8 + 5) / 6
            let core = text[first..<((lead + start.count) * 8 / 6)]
            self.add(core, .base64, secret)
            let other = core.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
            if other != Array(core) { self.add(other[...], .base64, secret) }
        }
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>, _ encoding: Encoding, _ secret: Int) {
        guard bytes.count >= Self.keySize else { return }
        let key = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        let length = self.length(for: bytes.count, key)
        let hash = bytes.withUnsafeBytes { TextHashes.hash($0) }
        let start = length == bytes.count ? hash : bytes.withUnsafeBytes { TextHashes.hash($0.slice(0..<length)) }
        let place = Place(length: length, hash: start)
        var others = 0
        var next = self.first[place] ?? -1
        while next >= 0 {
            others += 1
            let other = self.literals[next]
            guard others < Self.chainLimit, other.length != bytes.count || other.hash != hash else { return }
            next = other.next
        }
        let literal = Literal(
            encoding: encoding,
            secret: secret,
            start: self.pool.count,
            length: bytes.count,
            hash: hash,
            next: self.first[place] ?? -1
        )
        self.pool.append(contentsOf: bytes)
        self.first[place] = self.literals.count
        self.literals.append(literal)
        if let filter = self.filter, self.literals.count * 16 <= self.filterBits {
            filter.insert(key)
        } else {
            self.grow()
        }
    }

    /// Returns the length under which a literal is filed: its own, or a shorter one if there are too many of that
    /// length.
    private mutating func length(for count: Int, _ key: UInt64) -> Int {
        var known = self.lengths[key] ?? []
        if known.contains(count) { return count }
        if known.count >= Self.lengthLimit, let shorter = known.first(where: { $0 < count }) { return shorter }
        known.insert(count, at: known.firstIndex { $0 < count } ?? known.count)
        self.lengths[key] = known
        return count
    }

    private mutating func grow() {
        while self.literals.count * 16 > self.filterBits { self.filterBits *= 4 }
        let filter = LiteralFilter(bits: self.filterBits)
        for key in self.lengths.keys { filter.insert(key) }
        self.filter = filter
    }

    /// The longest literal that begins at `index`, and its length.
    func longest(at index: Int, in hashes: inout TextHashes) -> (literal: Literal, length: Int)? {
        let text = hashes.text
        guard index + Self.keySize <= text.count,
            let lengths = self.lengths[text.loadUnaligned(fromByteOffset: index, as: UInt64.self)]
        else { return nil }
        var found: (literal: Literal, length: Int)?
        for length in lengths where index + length <= text.count {
            let place = Place(length: length, hash: hashes.hash(index..<(index + length)))
            var next = self.first[place] ?? -1
            while next >= 0 {
                let literal = self.literals[next]
                next = literal.next
                guard literal.length > found?.length ?? 0, index + literal.length <= text.count,
                    literal.hash == hashes.hash(index..<(index + literal.length))
                else { continue }
                let isHere = self.pool.withUnsafeBytes { pool in
                    pool[literal.start..<(literal.start + literal.length)].elementsEqual(
                        text[index..<(index + literal.length)]
                    )
                }
                if isHere { found = (literal, literal.length) }
            }
            if found != nil, lengths.count < Self.lengthLimit { break }
        }
        return found
    }
}
