/// The result of a search in a ``LiteralIndex``, with its memory; made once and reused.
package struct LiteralMatches {
    /// The numbers of the patterns that may match, ascending, each once.
    package private(set) var candidates: [Int] = []

    private var found: [Int] = []
    /// The search that found a pattern last, so that nothing must be cleared between searches.
    private var foundIn: [UInt32] = []
    /// The search that found all patterns of a slot, by the number of the first entry of each.
    private var doneIn: [UInt32] = []
    private var search: UInt32 = 0

    package init() {}

    mutating func begin(patterns: Int) {
        self.found.removeAll(keepingCapacity: true)
        self.candidates.removeAll(keepingCapacity: true)
        self.search &+= 1
        if self.search == 0 || self.foundIn.count < patterns {
            self.foundIn = Array(repeating: 0, count: patterns)
            self.doneIn = self.foundIn
            self.search = 1
        }
    }

    @inline(__always)
    func contains(_ pattern: Int) -> Bool {
        self.foundIn[pattern] == self.search
    }

    @inline(__always)
    mutating func add(_ pattern: Int) {
        self.foundIn[pattern] = self.search
        self.found.append(pattern)
    }

    @inline(__always)
    func isDone(slot: Int) -> Bool {
        self.doneIn[slot] == self.search
    }

    @inline(__always)
    mutating func finish(slot: Int) {
        self.doneIn[slot] = self.search
    }

    /// Merges the found patterns with those that are always candidates; the two have no pattern in common.
    mutating func finish(always: [Int]) {
        if self.found.count > 1 { self.found.sort() }
        guard !always.isEmpty else {
            swap(&self.candidates, &self.found)
            return
        }
        var next = 0
        for pattern in always {
            while next < self.found.count, self.found[next] < pattern {
                self.candidates.append(self.found[next])
                next += 1
            }
            self.candidates.append(pattern)
        }
        self.candidates.append(contentsOf: self.found[next...])
    }
}
