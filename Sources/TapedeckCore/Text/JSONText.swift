/// A value that Tapedeck itself says as JSON: the bodies of its own answers and reports.
package enum JSONText: Sendable, Equatable {
    case string(String)
    case int(Int)
    case bool(Bool)
    case null
    case array([JSONText])
    /// Members in reading order.
    case object([(String, JSONText)])

    package static func == (left: JSONText, right: JSONText) -> Bool {
        left.compact == right.compact
    }

    /// Several lines, two spaces a level: meant to be read in a terminal.
    package var pretty: String { String(decoding: self.value.prettyText, as: UTF8.self) }

    /// One line without white space.
    package var compact: String { String(decoding: self.value.compactText, as: UTF8.self) }

    private var value: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .int(let value): .number(JSONNumber(value))
        case .bool(let value): .bool(value)
        case .null: .null
        case .array(let items): .array(items.map(\.value))
        case .object(let members): .object(members.map { JSONMember(name: $0.0, value: $0.1.value) })
        }
    }
}
