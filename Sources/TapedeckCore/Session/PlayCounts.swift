/// The number of answers of each variant of a tape's sets. Stores only answers of other variants than the default one,
/// so that the usual answer needs no count besides that of its set.
struct VariantCounts: Sendable {
    /// The variants of one set.
    private struct Counts: Sendable {
        /// The requests for which the default variant did not play.
        var withoutDefault = 0
        /// The answers of the other variants, by their names; built-in ones among them.
        var others: [String: Int] = [:]
    }

    /// By the number of the set.
    private var sets: [Int: Counts] = [:]

    /// Counts a request that reached a set.
    ///
    /// - Parameters:
    ///   - playsDefault: true if the default variant played.
    ///   - others: the other variants that played.
    mutating func add(_ set: Int, playsDefault: Bool, others: some Sequence<String>) {
        if !playsDefault { self.sets[set, default: Counts()].withoutDefault += 1 }
        for name in others { self.sets[set, default: Counts()].others[name, default: 0] += 1 }
    }

    /// Returns the number of answers of each variant of a set, by its name, without those that gave none.
    ///
    /// - Parameter asked: the number of requests that reached the set.
    func counts(of set: ResponseSet, number: Int, asked: Int) -> [String: Int] {
        let counts = self.sets[number] ?? Counts()
        var all = counts.others
        let byDefault = asked - counts.withoutDefault
        if byDefault > 0 { all[set.variants[set.defaultVariant].name] = byDefault }
        return all
    }

    /// Takes over the counts of a set of another tape.
    ///
    /// - Parameters:
    ///   - counts: the number of answers of each variant.
    ///   - asked: the number of requests that reached it.
    mutating func take(over counts: [String: Int], of set: ResponseSet, number: Int, asked: Int) {
        var others = counts
        let byDefault = others.removeValue(forKey: set.variants[set.defaultVariant].name) ?? 0
        guard byDefault < asked || !others.isEmpty else { return }
        self.sets[number] = Counts(withoutDefault: asked - byDefault, others: others)
    }
}

/// The number of requests for each set of a tape. Uses memory only for the parts of a tape that are played: a session
/// that uses ten sets of a hundred thousand is as small as one on a tape of ten.
struct HitCounts: Sendable {
    /// Sets on one page.
    private static let pageSize = 256

    private var pages: [[UInt32]] = []

    /// True if no set has counted yet.
    var isEmpty: Bool { self.pages.isEmpty }

    subscript(_ set: Int) -> Int {
        let page = set / Self.pageSize
        guard page < self.pages.count, !self.pages[page].isEmpty else { return 0 }
        return Int(self.pages[page][set % Self.pageSize])
    }

    mutating func add(_ set: Int, _ count: Int = 1) {
        guard count > 0 else { return }
        let page = set / Self.pageSize
        while page >= self.pages.count { self.pages.append([]) }
        if self.pages[page].isEmpty { self.pages[page] = Array(repeating: 0, count: Self.pageSize) }
        self.pages[page][set % Self.pageSize] &+= UInt32(truncatingIfNeeded: count)
    }
}
