import TapedeckCore
import TapedeckYAML

/// `record:` of a project file: what is recorded.
extension CassetteReader {
    /// The keys of `record:`.
    static let recordKeys = [
        "only", "except", "passthrough", "block", "loopback", "keepHeaders", "maxBody", "statuses", "faults",
    ]

    /// Reads the value of `record:`; what is wrong with it goes to the diagnostics.
    mutating func readRecord(_ node: YAMLNode) -> RecordSettings {
        var settings = RecordSettings()
        guard !node.isNull, self.expectMapping(node, "`record`") else { return settings }
        for (key, value) in node.pairs {
            switch key.string {
            case "only": settings.only = self.hosts(value, "only")
            case "except": settings.except = self.hosts(value, "except")
            case "passthrough": settings.passthrough = self.hosts(value, "passthrough")
            case "block": settings.block = self.hosts(value, "block")
            case "loopback": settings.recordsLoopback = self.bool(value, "loopback")
            case "keepHeaders": settings.keptHeaders = self.keptHeaders(value)
            case "maxBody": settings.maxBody = self.made(value, "maxBody") { try ByteSize($0) }
            case "statuses": settings.statuses = self.statuses(value)
            case "faults": settings.recordsFaults = self.bool(value, "faults")
            default: self.unknown(key, Self.recordKeys, of: "`record`")
            }
        }
        return settings
    }

    /// One pattern, or a list of them.
    mutating func hosts(_ node: YAMLNode, _ what: String) -> [HostPattern] {
        guard node.kind == .sequence else { return self.host(node, what).map { [$0] } ?? [] }
        if node.count == 0 { self.error(node, "`\(what)` is an empty list; leave it out, or name hosts") }
        return node.items.compactMap { self.host($0, what) }
    }

    private mutating func host(_ node: YAMLNode, _ what: String) -> HostPattern? {
        self.made(node, what) { try HostPattern($0) }
    }

    /// `"*"`, `none`, or a list of names.
    private mutating func keptHeaders(_ node: YAMLNode) -> KeptHeaders? {
        guard node.kind == .sequence else { return self.made(node, "keepHeaders") { try KeptHeaders($0) } }
        let names = self.texts(node, "keepHeaders")
        guard !names.isEmpty else { return nil }
        return self.made(node, "keepHeaders", from: names.joined(separator: ",")) { try KeptHeaders($0) }
    }

    /// A text such as `200,2xx`, or a list.
    private mutating func statuses(_ node: YAMLNode) -> StatusFilter? {
        guard node.kind == .sequence else { return self.made(node, "statuses") { try StatusFilter($0) } }
        let items = self.texts(node, "statuses")
        guard !items.isEmpty else { return nil }
        return self.made(node, "statuses", from: items.joined(separator: ",")) { try StatusFilter($0) }
    }

    /// Converts a text; returns `nil`, and reports an error, if that throws.
    private mutating func made<Value>(
        _ node: YAMLNode,
        _ what: String,
        from text: String? = nil,
        _ make: (String) throws -> Value
    ) -> Value? {
        guard let text = text ?? self.text(node, what) else { return nil }
        do {
            return try make(text)
        } catch {
            self.error(node, "`\(what)`: \(error)")
            return nil
        }
    }
}
