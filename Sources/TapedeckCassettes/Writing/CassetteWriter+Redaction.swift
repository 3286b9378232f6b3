import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// The rules for secrets, and the descriptions of those that were found.
extension CassetteWriter {
    mutating func write(_ settings: RedactionSettings) {
        guard !settings.isEmpty else { return }
        if settings.rules.isEmpty, settings.on.isEmpty, settings.off == RedactionRules.builtInIDs {
            self.yaml.raw("redact: off\n")
            return
        }
        self.key("redact", indent: 0)
        if !settings.off.isEmpty {
            // In the unquoted form: readers of cassettes do not parse this key as a Boolean.
            self.yaml.raw("  off: ")
            self.flowList(settings.off)
            self.yaml.newline()
        }
        if !settings.on.isEmpty {
            self.yaml.raw("  on: ")
            self.flowList(settings.on)
            self.yaml.newline()
        }
        guard !settings.rules.isEmpty else { return }
        self.key("rules", indent: 2)
        for rule in settings.rules { self.write(rule) }
    }

    private mutating func write(_ rule: RedactionRule) {
        self.item(indent: 4) { writer in
            switch rule.place {
            case .header(let name): writer.pair("header", name, indent: 6)
            case .query(let name): writer.pair("query", name, indent: 6)
            case .json(let path): writer.pair("json", path.description, indent: 6)
            case .form(let name): writer.pair("form", name, indent: 6)
            case .environment(let name): writer.pair("environment", name, indent: 6)
            case .pattern(let pattern):
                writer.pair("pattern", pattern.source, indent: 6)
                if pattern.ignoresCase { writer.line("ignoreCase", indent: 6) { $0.yaml.raw("true") } }
            }
            if let name = rule.name { writer.pair("name", name, indent: 6) }
            if let id = rule.id { writer.pair("id", id, indent: 6) }
        }
    }

    /// In the order of the list: a recording keeps it by name.
    mutating func write(_ secrets: [SecretDescription], isDeclared: Bool) {
        guard isDeclared else { return }
        guard !secrets.isEmpty else {
            self.yaml.raw("secrets: {}\n")
            return
        }
        self.key("secrets", indent: 0)
        for secret in secrets { self.write(secret, indent: 2) }
    }

    /// The line of a secret in `secrets:`.
    static func line(_ secret: SecretDescription, indent: Int) -> [UInt8] {
        var writer = CassetteWriter()
        writer.write(secret, indent: indent)
        return writer.yaml.bytes
    }

    private mutating func write(_ secret: SecretDescription, indent: Int) {
        self.line(secret.name, indent: indent) { writer in
            var pairs: [(key: String, write: (inout CassetteWriter) -> Void)] = []
            if let token = secret.shape.flatMap({ TokenShape($0) }) {
                pairs.append(("shape", { $0.yaml.scalar("jwt") }))
                pairs.append(("header", { $0.yaml.scalar(token.header) }))
                pairs.append(("claims", { $0.yaml.scalar(token.claims) }))
            } else if let shape = secret.shape {
                pairs.append(("shape", { $0.yaml.scalar(shape) }))
            }
            if let variable = secret.environment { pairs.append(("environment", { $0.yaml.scalar(variable) })) }
            writer.flowMapping(pairs)
        }
    }
}
