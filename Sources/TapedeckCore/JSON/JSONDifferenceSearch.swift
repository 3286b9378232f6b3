/// Walks through an expected and an actual value and notes where they differ.
struct JSONDifferenceSearch {
    let rules: JSONPattern.Rules
    let limit: Int
    private(set) var differences: [JSONDifference] = []

    init(rules: JSONPattern.Rules, limit: Int) {
        self.rules = rules
        self.limit = limit
    }

    private var isFull: Bool { self.differences.count >= self.limit }

    private mutating func note(_ path: String, wanted: JSONPattern?, came: JSONValue?) {
        guard !self.isFull else { return }
        self.differences.append(JSONDifference(path: path, wanted: wanted?.source, came: came))
    }

    mutating func compare(_ wanted: JSONPattern, _ came: JSONValue, at path: String) {
        guard !self.isFull else { return }
        switch (wanted.kind, came) {
        case (.object(let members), .object(let values)):
            self.compare(members, JSONMembers(values), at: path)
        case (.array(let items), .array(let values)):
            if self.rules.itemsMove {
                self.compareMoving(items, values, at: path)
            } else {
                self.compare(items, values, at: path)
            }
        case (.document(let document), .string(let text)):
            guard let value = JSONValue.document(in: text) else { return self.note(path, wanted: wanted, came: came) }
            self.compare(document, value, at: "\(path)\(JSONDifference.asJSON)$")
        default:
            if !wanted.matches(came, self.rules) { self.note(path, wanted: wanted, came: came) }
        }
    }

    private mutating func compare(
        _ members: [(name: String, value: JSONPattern)],
        _ values: JSONMembers,
        at path: String
    ) {
        var names: Set<JSONName> = []
        for member in members where !self.isFull {
            names.insert(JSONName(member.name))
            let path = JSONDifference.path(path, member: member.name)
            if let value = values[member.name] {
                self.compare(member.value, value, at: path)
            } else {
                self.note(path, wanted: member.value, came: nil)
            }
        }
        guard !self.rules.isSubset, !self.isFull else { return }
        for member in values.counting where !names.contains(JSONName(member.name)) {
            self.note(JSONDifference.path(path, member: member.name), wanted: nil, came: member.value)
        }
    }

    private mutating func compare(_ items: [JSONPattern], _ values: [JSONValue], at path: String) {
        for index in 0..<max(items.count, values.count) {
            guard !self.isFull else { return }
            let path = "\(path)[\(index)]"
            if index < items.count, index < values.count {
                self.compare(items[index], values[index], at: path)
            } else {
                self.note(
                    path,
                    wanted: index < items.count ? items[index] : nil,
                    came: index < values.count ? values[index] : nil
                )
            }
        }
    }

    /// Compares items and values without an equal partner in their order, to show where they differ.
    private mutating func compareMoving(_ items: [JSONPattern], _ values: [JSONValue], at path: String) {
        let assignment = JSONItemAssignment(items, values, self.rules)
        var left = values.indices.filter { assignment.itemOfValue[$0] == nil }[...]
        for (index, item) in items.enumerated() where assignment.valueOfItem[index] == nil {
            let path = "\(path)[\(index)]"
            if let value = left.popFirst() {
                self.compare(item, values[value], at: path)
            } else {
                self.note(path, wanted: item, came: nil)
            }
        }
        guard !self.rules.isSubset else { return }
        for value in left {
            self.note("\(path)[\(value)]", wanted: nil, came: values[value])
        }
    }
}
