/// The parts of a JSON body that count when two are compared.
package struct JSONComparison: Sendable, Hashable {
    /// Paths whose values are left out of both.
    package var ignoredPaths: [JSONPath] = []
    /// True if lists with the same items in another order are equal, at every level.
    package var ignoresArrayOrder = false

    package init(ignoredPaths: [JSONPath] = [], ignoresArrayOrder: Bool = false) {
        self.ignoredPaths = ignoredPaths
        self.ignoresArrayOrder = ignoresArrayOrder
    }

    /// JSON that is equal for values that count as the same: without white space, members sorted by name, of members of one
    /// name the last, numbers and strings in one spelling, strings that hold JSON as well, GraphQL by its tokens, ignored paths
    /// removed, lists sorted where their order does not count.
    package func canonical(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        self.appendCanonical(self.counting(value), to: &bytes)
        return bytes
    }

    /// The value without what is ignored, GraphQL requests in one spelling.
    package func counting(_ value: JSONValue) -> JSONValue {
        let value = GraphQLRequest.normalised(value)
        guard self.ignoredPaths.count > 1 else { return self.ignoredPaths.first?.removing(from: value) ?? value }
        // All places first: an item that goes would move those behind it.
        let marked = self.ignoredPaths.reduce(value) { value, path in path.mapping(value) { _ in Self.mark } }
        return Self.withoutMarks(marked) ?? .null
    }

    /// A text that JSON of a request hardly has.
    private static let mark = JSONValue.string("\u{0}\u{E000}ignored\u{E000}\u{0}")

    private static func withoutMarks(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string: value == self.mark ? nil : value
        case .array(let items): .array(items.compactMap(self.withoutMarks))
        case .object(let members):
            .object(
                members.compactMap { member in
                    self.withoutMarks(member.value).map { JSONMember(name: member.name, value: $0) }
                }
            )
        default: value
        }
    }

    /// As ``canonical(_:)``, with ignored paths left in.
    func appendCanonical(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null, .bool: value.appendText(to: &bytes)
        case .string(let text):
            guard let document = JSONValue.document(in: text) else { return value.appendText(to: &bytes) }
            var spelling: [UInt8] = []
            self.appendCanonical(document, to: &spelling)
            JSONValue.appendQuoted(ByteText.string(from: spelling), to: &bytes)
        case .number(let number): number.appendCanonical(to: &bytes)
        case .array(let items): self.append(items, to: &bytes)
        case .object(let members): self.append(members, to: &bytes)
        }
    }

    private func append(_ items: [JSONValue], to bytes: inout [UInt8]) {
        bytes.append(ASCII.openBracket)
        let start = bytes.count
        var ends: [Int] = []
        let sorts = self.ignoresArrayOrder && items.count > 1
        for item in items {
            self.appendCanonical(item, to: &bytes)
            bytes.append(ASCII.comma)
            if sorts { ends.append(bytes.count) }
        }
        if sorts { Self.sort(&bytes, from: start, ends: ends) }
        if !items.isEmpty { bytes.removeLast() }
        bytes.append(ASCII.closeBracket)
    }

    /// Sorts the pieces of the bytes behind `start`.
    private static func sort(_ bytes: inout [UInt8], from start: Int, ends: [Int]) {
        let sorted = bytes.withUnsafeBufferPointer { bytes in
            zip([start] + ends, ends)
                .map { bytes[$0..<$1] }
                .sorted { $0.lexicographicallyPrecedes($1) }
                .flatMap { $0 }
        }
        bytes.replaceSubrange(start..., with: sorted)
    }

    private func append(_ members: [JSONMember], to bytes: inout [UInt8]) {
        bytes.append(ASCII.openBrace)
        var order = Array(members.indices)
        // Stable, so that of members of one name the last one stays the last.
        order.sort { members[$0].name.precedesText(members[$1].name) }
        for (place, index) in order.enumerated() {
            let name = members[index].name
            if place + 1 < order.count, members[order[place + 1]].name.isSameText(as: name) { continue }
            JSONValue.appendQuoted(name, to: &bytes)
            bytes.append(ASCII.colon)
            self.appendCanonical(members[index].value, to: &bytes)
            bytes.append(ASCII.comma)
        }
        if !members.isEmpty { bytes.removeLast() }
        bytes.append(ASCII.closeBrace)
    }
}
