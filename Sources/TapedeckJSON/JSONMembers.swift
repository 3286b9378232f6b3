/// The members of a JSON object that count, found by name. Made for looking up many: a look-up costs the same however
/// many members there are.
package struct JSONMembers {
    /// Few enough that looking at each is quicker than a table.
    private static let fewMembers = 8

    private let members: [JSONMember]
    /// The last member of each name, when there are many.
    private let table: [JSONName: Int]

    package init(_ members: [JSONMember]) {
        self.members = members
        var table: [JSONName: Int] = [:]
        if members.count > Self.fewMembers {
            table.reserveCapacity(members.count)
            for (index, member) in members.enumerated() {
                table[JSONName(member.name)] = index
            }
        }
        self.table = table
    }

    /// The value of the last member of that name.
    package subscript(_ name: String) -> JSONValue? {
        self.index(of: name).map { self.members[$0].value }
    }

    /// The members without those that a later one of their name replaces.
    package var counting: [JSONMember] {
        var counting: [JSONMember] = []
        counting.reserveCapacity(self.members.count)
        for (index, member) in self.members.enumerated() where self.index(of: member.name) == index {
            counting.append(member)
        }
        return counting
    }

    private func index(of name: String) -> Int? {
        self.members.count > Self.fewMembers
            ? self.table[JSONName(name)]
            : self.members.lastIndex { $0.name.isSameText(as: name) }
    }
}

/// A member name as a key. Names are the same when their characters are (RFC 8259 section 8.3); for Swift, two
/// spellings of an accented letter are the same text too.
package struct JSONName: Hashable {
    /// As it is spelt.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: JSONName, right: JSONName) -> Bool {
        left.text.isSameText(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// True if both have the same characters, ignoring Unicode's canonical equivalence.
    package func isSameText(as other: String) -> Bool {
        self.withBytes(and: other) { left, right in
            guard left.count == right.count else { return false }
            for index in 0..<left.count where left[index] != right[index] {
                return false
            }
            return true
        }
    }

    /// True if this comes before `other` in the order of their characters' code points.
    package func precedesText(_ other: String) -> Bool {
        self.withBytes(and: other) { left, right in
            for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                return left[index] < right[index]
            }
            return left.count < right.count
        }
    }

    @inline(__always)
    private func withBytes(
        and other: String,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        var left = self
        var right = other
        return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
    }
}
