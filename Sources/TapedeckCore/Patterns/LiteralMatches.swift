/// The patterns that a search in a ``LiteralIndex`` has found so far.
struct LiteralMatches {
    private var found: NumberSet
    /// The slots all of whose patterns are found, by the number of the first entry of each.
    private var done: NumberSet

    /// - Parameter patterns: the number of patterns of the index.
    init(patterns: Int) {
        self.found = NumberSet(limit: patterns)
        self.done = NumberSet(limit: patterns)
    }

    @inline(__always)
    func contains(_ pattern: Int) -> Bool {
        self.found.contains(pattern)
    }

    @inline(__always)
    mutating func add(_ pattern: Int) {
        self.found.insert(pattern)
    }

    @inline(__always)
    func isDone(slot: Int) -> Bool {
        self.done.contains(slot)
    }

    @inline(__always)
    mutating func finish(slot: Int) {
        self.done.insert(slot)
    }

    /// The found patterns and those that are always candidates, ascending; the two have no pattern in common.
    consuming func candidates(always: [Int]) -> [Int] {
        let found = self.found.sorted()
        guard !always.isEmpty else { return found }
        var candidates: [Int] = []
        candidates.reserveCapacity(found.count + always.count)
        var next = 0
        for pattern in always {
            while next < found.count, found[next] < pattern {
                candidates.append(found[next])
                next += 1
            }
            candidates.append(pattern)
        }
        candidates.append(contentsOf: found[next...])
        return candidates
    }
}

/// Numbers below a limit, each once.
///
/// Up to 16 are searched one by one. With more there is a bit for each number below the limit, which most requests never
/// need: they find one pattern.
private struct NumberSet {
    private static let few = 16

    private let limit: Int
    private var numbers: [Int] = []
    /// A bit for each number below the limit; empty while there are few.
    private var bits: [UInt64] = []

    init(limit: Int) {
        self.limit = limit
    }

    @inline(__always)
    func contains(_ number: Int) -> Bool {
        self.bits.isEmpty ? self.numbers.contains(number) : self.bits[number >> 6] & (1 << UInt64(number & 63)) != 0
    }

    /// - Precondition: the number is not in the set.
    @inline(__always)
    mutating func insert(_ number: Int) {
        self.numbers.append(number)
        if !self.bits.isEmpty {
            self.mark(number)
        } else if self.numbers.count > Self.few {
            self.bits = Array(repeating: 0, count: self.limit >> 6 + 1)
            for number in self.numbers { self.mark(number) }
        }
    }

    private mutating func mark(_ number: Int) {
        self.bits[number >> 6] |= 1 << UInt64(number & 63)
    }

    consuming func sorted() -> [Int] {
        if self.numbers.count > 1 { self.numbers.sort() }
        return self.numbers
    }
}
