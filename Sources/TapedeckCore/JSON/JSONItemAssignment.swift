/// Assigns each expected item of an array a different value that matches it, in any order.
struct JSONItemAssignment {
    /// The number of pairs whose result is cached; beyond that some are compared again.
    private static let rememberedPairs = 4_000_000
    /// The maximum number of comparisons; pairs beyond count as different. It limits a hostile body to about ten
    /// milliseconds.
    private static let comparisonLimit = 100_000

    private let items: [JSONPattern]
    private let values: [JSONValue]
    private let rules: JSONPattern.Rules
    /// For each expected item, the index of its value.
    private(set) var valueOfItem: [Int?]
    /// For each value, the index of its expected item.
    private(set) var itemOfValue: [Int?]
    /// By pair: 0 for those that were not compared, 1 for those that differ, 2 for those that match.
    private var known: [UInt8] = []
    private var comparisons = 0

    /// As many expected items as can have a value get one. With `stopsEarly`, the rest is left once one gets none.
    init(_ items: [JSONPattern], _ values: [JSONValue], _ rules: JSONPattern.Rules, stopsEarly: Bool = false) {
        self.items = items
        self.values = values
        self.rules = rules
        self.valueOfItem = Array(repeating: nil, count: items.count)
        self.itemOfValue = Array(repeating: nil, count: values.count)
        self.assignKeys()
        if stopsEarly, items.indices.contains(where: { items[$0].key != nil && self.valueOfItem[$0] == nil }) { return }
        // Usually every item is in its place.
        for index in items.indices.prefix(values.count) where self.isOpen(index) && self.itemOfValue[index] == nil {
            if self.matches(index, index) { self.join(index, index) }
        }
        for index in items.indices where self.isOpen(index) && !self.assign(index) && stopsEarly {
            return
        }
    }

    /// True if each expected item has its value.
    var isComplete: Bool { !self.valueOfItem.contains(nil) }

    private func isOpen(_ item: Int) -> Bool {
        self.items[item].key == nil && self.valueOfItem[item] == nil
    }

    private mutating func join(_ item: Int, _ value: Int) {
        self.valueOfItem[item] = value
        self.itemOfValue[value] = item
    }

    /// Items that only values of one canonical form match come first: which of those values they get is the same to
    /// all other items.
    private mutating func assignKeys() {
        guard self.items.contains(where: { $0.key != nil }) else { return }
        var free: [[UInt8]: [Int]] = [:]
        for index in self.values.indices.reversed() {
            free[self.rules.comparison.canonical(self.values[index]), default: []].append(index)
        }
        for (index, item) in self.items.enumerated() {
            guard let key = item.key, let value = free[key]?.popLast() else { continue }
            self.join(index, value)
        }
    }

    /// Finds a value for an item. When all that match are taken, their items move on to others, if they can
    /// (augmenting paths, the shortest first). Whether it found one.
    private mutating func assign(_ item: Int) -> Bool {
        var queue = [item]
        var next = 0
        var reachedFrom: [Int: Int] = [:]
        while next < queue.count {
            let item = queue[next]
            next += 1
            for value in self.values.indices where reachedFrom[value] == nil {
                let owner = self.itemOfValue[value]
                guard owner.map({ self.items[$0].key == nil }) ?? true, self.matches(item, value) else { continue }
                reachedFrom[value] = item
                if let owner {
                    queue.append(owner)
                } else {
                    self.handOver(value, reachedFrom)
                    return true
                }
            }
        }
        return false
    }

    /// Along the way that led to a free value, each item takes the value it led to.
    private mutating func handOver(_ value: Int, _ reachedFrom: [Int: Int]) {
        var value: Int? = value
        while let taken = value, let item = reachedFrom[taken] {
            value = self.valueOfItem[item]
            self.join(item, taken)
        }
    }

    private mutating func matches(_ item: Int, _ value: Int) -> Bool {
        let (pairs, isTooMany) = self.items.count.multipliedReportingOverflow(by: self.values.count)
        guard !isTooMany, pairs <= Self.rememberedPairs else {
            self.comparisons += 1
            return self.comparisons <= Self.comparisonLimit && self.items[item].matches(self.values[value], self.rules)
        }
        if self.known.isEmpty { self.known = Array(repeating: 0, count: pairs) }
        let pair = item * self.values.count + value
        if self.known[pair] == 0 {
            self.comparisons += 1
            guard self.comparisons <= Self.comparisonLimit else { return false }
            self.known[pair] = self.items[item].matches(self.values[value], self.rules) ? 2 : 1
        }
        return self.known[pair] == 2
    }
}
