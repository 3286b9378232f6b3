extension JSONPath {
    /// The value without what the path selects. Items behind a removed one move up; without its root, a value is null.
    package func removing(from value: JSONValue) -> JSONValue {
        self.mapping(value) { _ in nil }
    }

    /// Returns the value with each selected place changed; `nil` removes it. If one selected value contains another,
    /// the inner one is changed first.
    package func mapping(_ value: JSONValue, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
        self.mapping(value, outermostOnly: false, change)
    }

    /// As ``mapping(_:_:)``. With `outermostOnly`, selected values inside another selected one are not changed.
    func mapping(_ value: JSONValue, outermostOnly: Bool, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
        var search = JSONPathSearch(root: value, keepsPlaces: true)
        let nodes = search.run(self.segments)
        guard !nodes.isEmpty else { return value }
        let tree = SelectedPlaces(nodes.map(\.place), of: search.places)
        return tree.apply(to: value, outermostOnly: outermostOnly, change) ?? .null
    }

    /// The value with `new` in every selected place. When the path ends in names, objects that lack one get it.
    package func setting(_ new: JSONValue, in value: JSONValue) -> JSONValue {
        guard let last = self.segments.last, !last.isDescendant else { return self.mapping(value) { _ in new } }
        var names: [String] = []
        for selector in last.selectors {
            guard case .name(let name) = selector else { return self.mapping(value) { _ in new } }
            names.append(name)
        }
        return self.parent.mapping(value) { parent in
            guard case .object(var members) = parent else { return parent }
            for name in names {
                if let index = members.lastIndex(where: { $0.name.isSameText(as: name) }) {
                    members[index].value = new
                } else {
                    members.append(JSONMember(name: name, value: new))
                }
            }
            return .object(members)
        }
    }

    /// The path without its last segment.
    private var parent: JSONPath {
        JSONPath(description: self.description, segments: self.segments.dropLast())
    }

    private init(description: String, segments: [Segment]) {
        self.description = description
        self.segments = segments
    }
}

/// The places that a path selects, as a tree like the value itself.
private final class SelectedPlaces {
    private var isSelected = false
    private var children: [Int: SelectedPlaces] = [:]

    private init() {}

    /// Each of `places` names its parent; the first is the root.
    convenience init(_ selected: [Int], of places: [JSONPathSearch.Place]) {
        self.init()
        var made: [Int: SelectedPlaces] = [0: self]
        for place in selected {
            // Up to a place that is in the tree, then down again.
            var missing: [Int] = []
            var known = place
            while made[known] == nil {
                missing.append(known)
                known = places[known].parent
            }
            guard var node = made[known] else { continue }
            for place in missing.reversed() {
                node = node.child(at: places[place].index)
                made[place] = node
            }
            node.isSelected = true
        }
    }

    private func child(at index: Int) -> SelectedPlaces {
        if let child = self.children[index] { return child }
        let child = SelectedPlaces()
        self.children[index] = child
        return child
    }

    func apply(to value: JSONValue, outermostOnly: Bool, _ change: (JSONValue) -> JSONValue?) -> JSONValue? {
        guard !self.isSelected || !outermostOnly else { return change(value) }
        var value = value
        var removed: Set<Int> = []
        let children = self.children.sorted { $0.key < $1.key }
        switch value {
        case .array(var items):
            for (index, places) in children {
                if let new = places.apply(to: items[index], outermostOnly: outermostOnly, change) {
                    items[index] = new
                } else {
                    removed.insert(index)
                }
            }
            if !removed.isEmpty { items = items.indices.compactMap { removed.contains($0) ? nil : items[$0] } }
            value = .array(items)
        case .object(var members):
            for (index, places) in children {
                if let new = places.apply(to: members[index].value, outermostOnly: outermostOnly, change) {
                    members[index].value = new
                } else {
                    removed.insert(index)
                }
            }
            value = .object(removed.isEmpty ? members : Self.without(removed, members))
        case .null, .bool, .number, .string: break
        }
        return self.isSelected ? change(value) : value
    }

    /// Members of the same name as a removed one go too: one of them would count in its place.
    private static func without(_ removed: Set<Int>, _ members: [JSONMember]) -> [JSONMember] {
        let names = Set(removed.map { JSONName(members[$0].name) })
        return members.filter { !names.contains(JSONName($0.name)) }
    }
}
