import TapedeckCodings

/// The forms in which secrets are looked for as literals: by their first eight bytes, so that the cost of a search does
/// not depend on how many there are, and adding one is O(1).
struct LiteralTable: Sendable {
    /// The fewest bytes of a literal.
    static let keySize = 8
    /// Of longer secrets only this many bytes are looked for in base64.
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
        fileprivate var next: Int
    }

    private(set) var filter: LiteralFilter?
    private var filterBits = 1024
    private var pool: [UInt8] = []
    private var literals: [Literal] = []
    private var first: [UInt64: Int] = [:]

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
        let literal = Literal(
            encoding: encoding,
            secret: secret,
            start: self.pool.count,
            length: bytes.count,
            next: self.first[key] ?? -1
        )
        self.pool.append(contentsOf: bytes)
        self.first[key] = self.literals.count
        self.literals.append(literal)
        if let filter = self.filter, self.literals.count * 16 <= self.filterBits {
            filter.insert(key)
        } else {
            self.grow()
        }
    }

    private mutating func grow() {
        while self.literals.count * 16 > self.filterBits { self.filterBits *= 4 }
        let filter = LiteralFilter(bits: self.filterBits)
        for key in self.first.keys { filter.insert(key) }
        self.filter = filter
    }

    /// The longest literal that begins at `index`, and its length.
    func longest(at index: Int, in text: UnsafeRawBufferPointer) -> (literal: Literal, length: Int)? {
        guard index + Self.keySize <= text.count else { return nil }
        var next = self.first[text.loadUnaligned(fromByteOffset: index, as: UInt64.self)] ?? -1
        var found: (literal: Literal, length: Int)?
        while next >= 0 {
            let literal = self.literals[next]
            next = literal.next
            guard literal.length > found?.length ?? 0, index + literal.length <= text.count else { continue }
            let isHere = self.pool.withUnsafeBytes { pool in
                pool[literal.start..<(literal.start + literal.length)].elementsEqual(
                    text[index..<(index + literal.length)]
                )
            }
            if isHere { found = (literal, literal.length) }
        }
        return found
    }
}
