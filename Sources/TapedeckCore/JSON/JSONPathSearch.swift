/// Finds what the segments of a path select in one JSON value.
struct JSONPathSearch {
    /// The maximum number of values that one segment may select.
    private static let resultLimit = 100_000
    /// The maximum number of values that may be visited. Some paths visit every value once for each value above it.
    private static let stepLimit = 5_000_000

    /// A selected value.
    struct Node {
        var value: JSONValue
        /// Its number in ``JSONPathSearch/places``; 0 when they are not kept.
        var place: Int
    }

    /// The position of a value: its parent, and its index in it.
    struct Place {
        var parent: Int
        var index: Int
    }

    private let root: JSONValue
    private var keepsPlaces: Bool
    /// The first is the root.
    private(set) var places = [Place(parent: -1, index: 0)]
    private var steps = 0

    init(root: JSONValue, keepsPlaces: Bool = false) {
        self.root = root
        self.keepsPlaces = keepsPlaces
    }

    mutating func run(_ segments: [JSONPath.Segment]) -> [Node] {
        self.run(segments, from: self.root, limit: Self.resultLimit)
    }

    /// `limit` is how many are wanted in the end.
    private mutating func run(_ segments: [JSONPath.Segment], from start: JSONValue, limit: Int) -> [Node] {
        var nodes = [Node(value: start, place: 0)]
        for (number, segment) in segments.enumerated() {
            let limit = number == segments.count - 1 ? limit : Self.resultLimit
            var selected: [Node] = []
            for node in nodes where selected.count < limit {
                self.select(segment, in: node, limit: limit, into: &selected)
            }
            nodes = selected
        }
        return nodes
    }

    private mutating func select(
        _ segment: JSONPath.Segment,
        in node: Node,
        limit: Int,
        into selected: inout [Node]
    ) {
        for selector in segment.selectors {
            self.select(selector, in: node, limit: limit, into: &selected)
        }
        guard segment.isDescendant else { return }
        self.forEachChild(of: node) { search, child in
            guard selected.count < limit else { return false }
            // A value without children selects nothing.
            switch child.value {
            case .array, .object: search.select(segment, in: child, limit: limit, into: &selected)
            case .null, .bool, .number, .string: break
            }
            return true
        }
    }

    private mutating func select(
        _ selector: JSONPath.Selector,
        in node: Node,
        limit: Int,
        into selected: inout [Node]
    ) {
        guard selected.count < limit, self.steps <= Self.stepLimit else { return }
        switch (selector, node.value) {
        case (.name(let name), .object(let members)):
            guard let index = members.lastIndex(where: { $0.name.isSameText(as: name) }) else { return }
            self.steps += members.count - index
            selected.append(self.child(of: node, at: index, members[index].value))
        case (.index(let number), .array(let items)):
            let index = number < 0 ? items.count + number : number
            guard items.indices.contains(index) else { return }
            selected.append(self.child(of: node, at: index, items[index]))
        case (.slice(let start, let end, let step), .array(let items)):
            for index in Self.slice(start, end, step, of: items.count).prefix(limit - selected.count) {
                selected.append(self.child(of: node, at: index, items[index]))
            }
        case (.wildcard, _):
            self.forEachChild(of: node) { _, child in
                selected.append(child)
                return selected.count < limit
            }
        case (.filter(let filter), _):
            self.forEachChild(of: node) { search, child in
                if search.holds(filter, for: child.value) { selected.append(child) }
                return selected.count < limit
            }
        default: break
        }
    }

    private mutating func child(of node: Node, at index: Int, _ value: JSONValue) -> Node {
        guard self.keepsPlaces else { return Node(value: value, place: 0) }
        self.places.append(Place(parent: node.place, index: index))
        return Node(value: value, place: self.places.count - 1)
    }

    /// Until `body` returns false, or the steps are used up.
    private mutating func forEachChild(of node: Node, _ body: (inout JSONPathSearch, Node) -> Bool) {
        switch node.value {
        case .array(let items):
            for (index, item) in items.enumerated() {
                self.steps += 1
                guard self.steps <= Self.stepLimit, body(&self, self.child(of: node, at: index, item)) else { return }
            }
        case .object(let members):
            for (index, member) in members.enumerated() {
                self.steps += 1
                guard self.steps <= Self.stepLimit, body(&self, self.child(of: node, at: index, member.value)) else {
                    return
                }
            }
        case .null, .bool, .number, .string: break
        }
    }

    /// RFC 9535 section 2.3.4.2.2.
    private static func slice(_ start: Int?, _ end: Int?, _ step: Int, of count: Int) -> StrideTo<Int> {
        guard step != 0 else { return stride(from: 0, to: 0, by: 1) }
        func position(_ index: Int?, _ otherwise: Int) -> Int {
            index.map { $0 < 0 ? count + $0 : $0 } ?? otherwise
        }
        if step > 0 {
            let lower = min(max(position(start, 0), 0), count)
            return stride(from: lower, to: min(max(position(end, count), 0), count), by: step)
        }
        let upper = min(max(position(start, count - 1), -1), count - 1)
        return stride(from: upper, to: min(max(position(end, -count - 1), -1), count - 1), by: step)
    }

    // MARK: Filters

    private mutating func holds(_ filter: JSONPath.Filter, for value: JSONValue) -> Bool {
        switch filter {
        case .any(let parts):
            for part in parts where self.holds(part, for: value) { return true }
            return false
        case .all(let parts):
            for part in parts where !self.holds(part, for: value) { return false }
            return true
        case .not(let part): return !self.holds(part, for: value)
        case .exists(let query): return self.first(query, for: value) != nil
        case .compare(let left, let relation, let right):
            return Self.compare(self.value(of: left, for: value), relation, self.value(of: right, for: value))
        }
    }

    private mutating func value(of operand: JSONPath.Operand, for value: JSONValue) -> JSONValue? {
        switch operand {
        case .literal(let literal): literal
        case .query(let query): self.first(query, for: value)
        }
    }

    private mutating func first(_ query: JSONPath.Query, for value: JSONValue) -> JSONValue? {
        let keptPlaces = self.keepsPlaces
        self.keepsPlaces = false
        defer { self.keepsPlaces = keptPlaces }
        return self.run(query.segments, from: query.isRelative ? value : self.root, limit: 1).first?.value
    }

    /// RFC 9535 section 2.3.5.2.2. `nil` is what a path gives that selects nothing; it equals itself.
    private static func compare(_ left: JSONValue?, _ relation: JSONPath.Relation, _ right: JSONValue?) -> Bool {
        switch relation {
        case .equal: left == right
        case .notEqual: left != right
        case .less: self.isLess(left, right)
        case .greater: self.isLess(right, left)
        case .atMost: self.isLess(left, right) || left == right
        case .atLeast: self.isLess(right, left) || left == right
        }
    }

    /// Only numbers and strings have an order.
    private static func isLess(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.string(let left), .string(let right)): left.precedesText(right)
        default: false
        }
    }
}
