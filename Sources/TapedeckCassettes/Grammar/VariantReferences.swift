import TapedeckYAML

/// The places where the variants of one response set name other variants of it.
struct VariantReferences {
    struct Use {
        /// The variant it is in, by number; `nil` for the set's own `selected`.
        var variant: Int?
        var name: String
        var node: YAMLNode
    }

    private(set) var uses: [Use] = []
    /// The variant that is being read, by number.
    var current: Int?

    mutating func begin() {
        self.current = nil
        if !self.uses.isEmpty { self.uses = [] }
    }

    mutating func add(_ name: String, _ node: YAMLNode) {
        self.uses.append(Use(variant: self.current, name: name, node: node))
    }

    /// The first use, in the order of the file, that leads back to a variant on the way to it, with that way.
    func cycle(among names: [String]) -> (use: Use, way: [String])? {
        var uses: [Int: [(to: Int, use: Use)]] = [:]
        for use in self.uses {
            guard let from = use.variant, let to = names.firstIndex(of: use.name) else { continue }
            uses[from, default: []].append((to, use))
        }
        var isDone = Array(repeating: false, count: names.count)
        var way: [Int] = []
        /// For each variant on the way, which of its uses comes next.
        var next: [Int] = []
        for start in names.indices where !isDone[start] {
            way = [start]
            next = [0]
            while let last = way.last, let position = next.last {
                guard let edges = uses[last], position < edges.count else {
                    isDone[last] = true
                    way.removeLast()
                    next.removeLast()
                    continue
                }
                next[next.count - 1] += 1
                let (to, use) = edges[position]
                if let place = way.firstIndex(of: to) {
                    return (use, (way[place...] + [to]).map { names[$0] })
                }
                if !isDone[to] {
                    way.append(to)
                    next.append(0)
                }
            }
        }
        return nil
    }
}
