package import TapedeckCore

/// The structure of a JSON value, without the values: types, names of members, and contents of lists.
///
/// The items of a list share one shape: a type that one of them has, any of them may have.
package struct JSONShape: Sendable, Equatable {
    /// The types that were seen at one place.
    package struct Types: OptionSet, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let object = Types(rawValue: 1)
        package static let array = Types(rawValue: 1 << 1)
        package static let string = Types(rawValue: 1 << 2)
        package static let number = Types(rawValue: 1 << 3)
        package static let boolean = Types(rawValue: 1 << 4)
        package static let null = Types(rawValue: 1 << 5)

        private static let names: [(type: Types, name: String)] = [
            (.object, "object"), (.array, "array"), (.string, "string"), (.number, "number"), (.boolean, "boolean"),
            (.null, "null"),
        ]

        /// `string`, or `string or null`.
        package var description: String {
            Self.names.filter { self.contains($0.type) }.map(\.name).joined(separator: " or ")
        }
    }

    /// A member that objects at one place have.
    package struct Member: Sendable, Equatable {
        package var name: String
        package var shape: JSONShape
        /// True if all of those objects have it.
        package var isAlwaysThere: Bool
    }

    package private(set) var types: Types
    /// In the order in which they were first seen.
    package private(set) var members: [Member] = []
    /// The shape of the items of a list; empty while no item was seen, else one.
    private var itemShape: [JSONShape] = []

    /// The common shape of list items here; `nil` while there were none.
    package var items: JSONShape? { self.itemShape.first }

    package init(of value: JSONValue) {
        switch value {
        case .null: self.types = .null
        case .bool: self.types = .boolean
        case .number: self.types = .number
        case .string: self.types = .string
        case .array(let items):
            self.types = .array
            guard let first = items.first else { return }
            self.itemShape = [items.dropFirst().reduce(into: JSONShape(of: first)) { $0.merge(JSONShape(of: $1)) }]
        case .object(let members):
            self.types = .object
            self.members = JSONMembers(members).counting.map { member in
                Member(name: member.name, shape: JSONShape(of: member.value), isAlwaysThere: true)
            }
        }
    }

    /// Adds the shape of another value at the same place.
    package mutating func merge(_ other: JSONShape) {
        if other.types.contains(.object) {
            if self.types.contains(.object) {
                self.mergeMembers(other.members)
            } else {
                self.members = other.members
            }
        }
        if let items = other.items {
            if self.itemShape.isEmpty {
                self.itemShape = [items]
            } else {
                self.itemShape[0].merge(items)
            }
        }
        self.types.formUnion(other.types)
    }

    private mutating func mergeMembers(_ others: [Member]) {
        // Mostly the same members in the same order.
        guard self.members.count != others.count || !zip(self.members, others).allSatisfy(Self.haveSameName) else {
            for index in self.members.indices { self.members[index].take(others[index]) }
            return
        }
        var places: [JSONName: Int] = [:]
        for (index, member) in self.members.enumerated() { places[JSONName(member.name)] = index }
        var seen: Set<Int> = []
        for other in others {
            if let place = places[JSONName(other.name)] {
                seen.insert(place)
                self.members[place].take(other)
            } else {
                seen.insert(self.members.count)
                self.members.append(Member(name: other.name, shape: other.shape, isAlwaysThere: false))
            }
        }
        for index in self.members.indices where !seen.contains(index) { self.members[index].isAlwaysThere = false }
    }

    private static func haveSameName(_ left: Member, _ right: Member) -> Bool {
        left.name.isSameText(as: right.name)
    }
}

extension JSONShape.Member {
    fileprivate mutating func take(_ other: JSONShape.Member) {
        self.shape.merge(other.shape)
        self.isAlwaysThere = self.isAlwaysThere && other.isAlwaysThere
    }
}
