/// RFC 7396: a JSON value that describes changes to another.
package enum JSONMergePatch {
    /// Returns `value` with the patch applied: members of the patch are set, and members that are null in it are
    /// removed. A patch that is not an object replaces the whole value. Lists are replaced, not merged.
    package static func apply(_ patch: JSONValue, to value: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [JSONMember] = []
        if case .object(let old) = value { members = JSONMembers(old).counting }
        var places: [JSONName: Int] = [:]
        for (index, member) in members.enumerated() {
            places[JSONName(member.name)] = index
        }
        var removed: Set<Int> = []
        for change in JSONMembers(changes).counting {
            let place = places[JSONName(change.name)]
            if case .null = change.value {
                if let place { removed.insert(place) }
            } else if let place {
                members[place].value = self.apply(change.value, to: members[place].value)
            } else {
                // Nulls within a new member go as well (section 2).
                members.append(JSONMember(name: change.name, value: self.apply(change.value, to: .null)))
            }
        }
        guard !removed.isEmpty else { return .object(members) }
        return .object(members.indices.compactMap { removed.contains($0) ? nil : members[$0] })
    }
}
