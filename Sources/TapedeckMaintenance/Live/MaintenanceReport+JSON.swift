import TapedeckCassettes
import TapedeckCore

extension MaintenanceReport {
    /// The report as JSON, for programs: `cassette`, `drift`, `requests`, `changes`, `failures`, `skipped`.
    package var json: String {
        let value = Self.object([
            ("cassette", .string(self.path)),
            ("drift", .bool(self.hasShapeDrift)),
            ("requests", .number(JSONNumber(self.requests))),
            ("changes", .array(self.changes.map(Self.value))),
            ("failures", .array(self.failures.map { Self.reason($0.set, $0.why) })),
            ("skipped", .array(self.skipped.map { Self.reason($0.set, $0.why) })),
        ])
        return String(decoding: value.prettyText, as: UTF8.self)
    }

    private static func value(_ change: Change) -> JSONValue {
        self.object([
            ("set", .string(change.set)),
            ("take", .number(JSONNumber(change.take))),
            ("differences", .array(change.differences.map(self.value))),
        ])
    }

    private static func value(_ difference: TakeDifference) -> JSONValue {
        self.object([
            ("kind", .string(difference.kind.rawValue)),
            ("place", .string(difference.place)),
            ("old", difference.old.map(JSONValue.string) ?? .null),
            ("new", difference.new.map(JSONValue.string) ?? .null),
        ])
    }

    private static func reason(_ set: String, _ why: String) -> JSONValue {
        self.object([("set", .string(set)), ("why", .string(why))])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(name: $0.0, value: $0.1) })
    }
}
