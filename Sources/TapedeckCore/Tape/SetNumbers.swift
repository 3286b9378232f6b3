/// The numbers of the sets of each name. Names are unique only within a cassette.
struct SetNumbers: Sendable {
    private var count = 0
    /// The first set of each name: most have no other.
    private var first: [String: Int32] = [:]
    /// All sets of names that several have.
    private var several: [String: [Int]] = [:]

    mutating func reserveCapacity(_ capacity: Int) {
        self.first.reserveCapacity(capacity)
    }

    /// Adds the next set.
    mutating func append(_ name: String) {
        defer { self.count += 1 }
        guard let first = self.first.updateValue(Int32(self.count), forKey: name) else { return }
        self.first[name] = first
        self.several[name, default: [Int(first)]].append(self.count)
    }

    /// The sets of a name, in order.
    subscript(name: String) -> [Int] {
        self.several[name] ?? self.first[name].map { [Int($0)] } ?? []
    }
}
