import TapedeckCore

/// Finds the differences between two shapes of JSON.
///
/// Lists are samples: a type or a member that only some items of the old list had may be missing in the new one, and an
/// empty list tells nothing. Differences are everything new, and members that all items had and some no longer have.
struct JSONShapeComparison {
    private(set) var differences: [TakeDifference] = []
    /// The reported places, each with everything below it.
    private(set) var told: Set<String> = []

    /// - Parameter isSample: whether the shapes are of items of a list.
    mutating func compare(_ old: JSONShape, _ new: JSONShape, at path: String, isSample: Bool = false) {
        let added = new.types.subtracting(old.types)
        guard added.isEmpty, isSample || old.types == new.types else {
            self.note(path, old: old.types.description, new: new.types.description)
            return
        }
        // With no object there now, nothing is known of its members.
        if old.types.contains(.object), new.types.contains(.object) {
            self.compareMembers(old, new, at: path)
        }
        if let oldItems = old.items, let newItems = new.items {
            self.compare(oldItems, newItems, at: path + "[*]", isSample: true)
        }
    }

    private mutating func compareMembers(_ old: JSONShape, _ new: JSONShape, at path: String) {
        var left: [JSONName: JSONShape.Member] = [:]
        for member in new.members { left[JSONName(member.name)] = member }
        for member in old.members {
            let path = JSONDifference.path(path, member: member.name)
            guard let other = left.removeValue(forKey: JSONName(member.name)) else {
                if member.isAlwaysThere { self.note(path, old: member.shape.types.description, new: nil) }
                continue
            }
            if member.isAlwaysThere, !other.isAlwaysThere {
                self.note(path, old: "always there", new: "sometimes there", coversBelow: false)
            }
            // A member of what is only seen now and then is a sample as well.
            self.compare(member.shape, other.shape, at: path, isSample: path.contains("[*]"))
        }
        for member in new.members where left[JSONName(member.name)] != nil {
            let path = JSONDifference.path(path, member: member.name)
            self.note(path, old: nil, new: member.shape.types.description)
        }
    }

    private mutating func note(_ path: String, old: String?, new: String?, coversBelow: Bool = true) {
        self.differences.append(TakeDifference(.shape, path, old: old, new: new))
        if coversBelow { self.told.insert(path) }
    }
}
