import TapedeckCore

/// Finds the values that differ between two JSON values, where their shape does not.
struct JSONValueComparison {
    /// Places whose shape differs, which are reported already.
    let told: Set<String>
    let limit: Int
    private(set) var differences: [TakeDifference] = []

    init(told: Set<String>, limit: Int) {
        self.told = told
        self.limit = limit
    }

    private var isFull: Bool { self.differences.count >= self.limit }

    /// A place in a value, and the same with `[*]` for each item, as shapes have it.
    struct Place {
        var path = "$"
        var general = "$"

        func member(_ name: String) -> Place {
            Place(
                path: JSONDifference.path(self.path, member: name),
                general: JSONDifference.path(self.general, member: name)
            )
        }

        func item(_ index: Int) -> Place {
            Place(path: "\(self.path)[\(index)]", general: self.general + "[*]")
        }
    }

    mutating func compare(_ old: JSONValue, _ new: JSONValue, at place: Place = Place()) {
        guard !self.isFull, !self.told.contains(place.general) else { return }
        switch (old, new) {
        case (.object(let old), .object(let new)): self.compare(JSONMembers(old), JSONMembers(new), at: place)
        case (.array(let old), .array(let new)): self.compare(old, new, at: place)
        default: if old != new { self.note(place, old, new) }
        }
    }

    private mutating func compare(_ old: JSONMembers, _ new: JSONMembers, at place: Place) {
        var names: Set<JSONName> = []
        for member in old.counting where !self.isFull {
            names.insert(JSONName(member.name))
            let place = place.member(member.name)
            if let other = new[member.name] {
                self.compare(member.value, other, at: place)
            } else {
                self.note(place, member.value, nil)
            }
        }
        for member in new.counting where !names.contains(JSONName(member.name)) {
            self.note(place.member(member.name), nil, member.value)
        }
    }

    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue], at place: Place) {
        if old.count != new.count {
            self.differences.append(
                TakeDifference(.value, place.path, old: Self.count(old.count), new: Self.count(new.count))
            )
        }
        for (index, pair) in zip(old, new).enumerated() where !self.isFull {
            self.compare(pair.0, pair.1, at: place.item(index))
        }
    }

    private static func count(_ items: Int) -> String { items == 1 ? "1 item" : "\(items) items" }

    private mutating func note(_ place: Place, _ old: JSONValue?, _ new: JSONValue?) {
        guard !self.isFull, !self.told.contains(place.general) else { return }
        self.differences.append(
            TakeDifference(.value, place.path, old: old.map(JSONDifference.short), new: new.map(JSONDifference.short))
        )
    }
}
