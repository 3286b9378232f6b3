import TapedeckCore
import TapedeckYAML

extension CassetteWriter {
    /// The lines of what the body of a request must be.
    mutating func write(_ conditions: [BodyMatcher], indent: Int) {
        var hasPaths = false
        var hasPattern = false
        for condition in conditions {
            switch condition {
            case .bytes(let body): self.write(body, indent: indent)
            case .json(let body, let comparison):
                self.write(body, indent: indent)
                self.write(comparison, indent: indent)
            case .xml(let body, let ignored):
                self.text("xml", body.content, indent: indent)
                if !ignored.isEmpty {
                    self.line("ignore", indent: indent) { $0.flowList(ignored.map(\.description)) }
                }
            case .jsonSubset(let body): self.text("jsonSubset", body.content, indent: indent)
            case .jsonPath:
                // All of them go under one key.
                if !hasPaths { self.writePaths(conditions, indent: indent) }
                hasPaths = true
            case .sha256(let digest): self.pair("sha256", digest, indent: indent)
            case .text(.pattern(let pattern)) where !hasPattern:
                hasPattern = true
                self.line("pattern", indent: indent) { $0.write(pattern) }
            case .text(let matcher):
                self.line("text", indent: indent) { $0.flowMapping(Self.conditions(of: matcher)) }
            case .form(let fields, let refusesOthers):
                if fields.isEmpty { self.line("form", indent: indent) { $0.yaml.raw("{}") } }
                self.write(fields, as: "form", indent: indent)
                if refusesOthers { self.write(true, as: "otherFields", indent: indent) }
            case .multipart(let parts): self.write(parts, indent: indent)
            case .graphQL(let operation, let variables): self.write(operation, variables, indent: indent)
            case .proto(let condition): self.write(condition, indent: indent)
            // Stands beside `body`, not in it.
            case .messages: break
            }
        }
    }

    private mutating func write(_ comparison: JSONComparison, indent: Int) {
        if !comparison.ignoredPaths.isEmpty {
            self.line("ignore", indent: indent) { $0.flowList(comparison.ignoredPaths.map(\.description)) }
        }
        if comparison.ignoresArrayOrder { self.line("ignoreArrayOrder", indent: indent) { $0.yaml.raw("true") } }
    }

    private mutating func writePaths(_ conditions: [BodyMatcher], indent: Int) {
        self.key("jsonPath", indent: indent)
        for case .jsonPath(let path, let test) in conditions {
            self.line(path.description, indent: indent + 2) { $0.write(test) }
        }
    }

    private mutating func write(_ parts: [BodyMatcher.Part], indent: Int) {
        guard !parts.isEmpty else {
            self.line("multipart", indent: indent) { $0.yaml.raw("{}") }
            return
        }
        self.key("multipart", indent: indent)
        for part in parts {
            self.line(part.name, indent: indent + 2) { writer in
                guard part.filename != nil || part.contentType != nil else {
                    writer.write(part.content)
                    return
                }
                let content = part.content == .present ? nil : part.content
                let matchers = zip(CassetteKeys.part, [content, part.filename, part.contentType])
                writer.flowMapping(matchers.compactMap { key, matcher in matcher.map { m in (key, { $0.write(m) }) } })
            }
        }
    }

    private mutating func write(_ operation: ValueMatcher?, _ variables: InlineBody?, indent: Int) {
        if case .equals(let name) = operation, variables == nil {
            self.pair("graphql", name, indent: indent)
            return
        }
        self.key("graphql", indent: indent)
        if let operation { self.line("operation", indent: indent + 2) { $0.write(operation) } }
        if let variables { self.text("variables", variables.content, indent: indent + 2) }
    }
}
