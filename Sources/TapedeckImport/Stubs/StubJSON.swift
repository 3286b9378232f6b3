import TapedeckCore
import TapedeckJSON

/// Conditions on JSON bodies that a cassette states with several JSONPaths.
enum StubJSON {
    /// A pattern for every value but null.
    static let notNull = "\\A(?!null\\z)"

    /// The most JSONPaths that one condition becomes.
    private static let limit = 500

    /// Conditions for JSON that has all that another has, and maybe more members, and more items behind those of a list.
    ///
    /// - Parameter root: the JSONPath of the place in the body.
    static func beginning(
        with value: JSONValue,
        at root: String = "$",
        line: Int
    ) throws(LeftOut) -> [BodyMatcher] {
        var tests: [(path: String, test: JSONTest)] = []
        self.add(value, at: root, to: &tests)
        guard tests.count <= self.limit else {
            throw LeftOut("its JSON has more than \(self.limit) values", line: line)
        }
        var conditions: [BodyMatcher] = []
        for (path, test) in tests { conditions.append(.jsonPath(try StubParts.jsonPath(path, line: line), test)) }
        return conditions
    }

    /// A test for one value, which is compared with its type: `"2"` is not `2`.
    static func equal(to value: JSONValue) -> JSONTest {
        switch value {
        case .null: .type(.null)
        case .bool: .all([.value(.equals(value.plainText)), .type(.boolean)])
        case .number: .all([.value(.equals(value.plainText)), .type(.number)])
        case .string(let text): .all([.value(.equals(text)), .type(.string)])
        case .array: .all([.value(.equals(String(decoding: value.compactText, as: UTF8.self))), .type(.array)])
        case .object: .all([.value(.equals(String(decoding: value.compactText, as: UTF8.self))), .type(.object)])
        }
    }

    private static func add(_ value: JSONValue, at path: String, to tests: inout [(path: String, test: JSONTest)]) {
        guard tests.count <= self.limit else { return }
        switch value {
        case .object(let members) where !members.isEmpty:
            for member in members { self.add(member.value, at: "\(path)[\(self.quoted(member.name))]", to: &tests) }
        case .array(let items) where !items.isEmpty:
            for (index, item) in items.enumerated() { self.add(item, at: "\(path)[\(index)]", to: &tests) }
        case .object: tests.append((path, .type(.object)))
        case .array: tests.append((path, .type(.array)))
        default: tests.append((path, self.equal(to: value)))
        }
    }

    /// A name in a JSONPath (RFC 9535 section 2.3.1.1).
    static func quoted(_ name: String) -> String {
        var bytes: [UInt8] = []
        JSONValue.appendQuoted(name, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// True if the JSON has a list that is not empty, whose order counts unless something else is said.
    static func hasItems(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let items): !items.isEmpty
        case .object(let members): members.contains { self.hasItems($0.value) }
        default: false
        }
    }

    /// JSON whose placeholders of JSON Unit are ours.
    static func withPlaceholders(_ node: ForeignNode) throws(LeftOut) -> ForeignNode {
        let text = String(decoding: try StubParts.json(node), as: UTF8.self)
        guard text.contains("{json-unit") else { return node }
        var result = text
        for (theirs, ours) in self.placeholders {
            for sign in ["$", "#"] {
                result = result.replacing("\"\(sign){json-unit.\(theirs)}\"", with: "\"\(ours)\"")
            }
        }
        guard !result.contains("{json-unit") else {
            throw LeftOut("its placeholders of JSON Unit cannot be stated", line: node.line)
        }
        return ForeignNode(.scalar(result, isPlain: false), line: node.line)
    }

    private static let placeholders = [
        ("any-string", "{{any.string}}"), ("any-number", "{{any.number}}"), ("any-boolean", "{{any.boolean}}"),
        ("ignore", "{{any}}"),
    ]
}
