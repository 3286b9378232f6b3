import TapedeckCore
import TapedeckYAML

extension CassetteWriter {
    /// The lines of a request matcher.
    mutating func write(_ matcher: RequestMatcher, indent: Int) {
        let saysMethod = matcher.isGRPC && matcher.methods == ["POST"]
        if !matcher.methods.isEmpty, !saysMethod {
            self.line("method", indent: indent) { $0.oneOrList(matcher.methods) }
        }
        switch matcher.url {
        case .exact where matcher.isGRPC, .exactPath where matcher.isGRPC: self.writeCall(matcher, indent: indent)
        case .any: break
        case .exact(let url): self.pair("url", url.description, indent: indent)
        case .exactPath(let target): self.pair("url", target, indent: indent)
        case .template(let template): self.pair("urlTemplate", template.source, indent: indent)
        case .pattern(let pattern): self.line("urlPattern", indent: indent) { $0.write(pattern) }
        }
        switch matcher.host {
        case .names(let names): self.line("host", indent: indent) { $0.oneOrList(names) }
        case .pattern(let pattern): self.line("hostPattern", indent: indent) { $0.write(pattern) }
        case nil: break
        }
        self.write(matcher.query, as: "query", indent: indent)
        if let refuses = matcher.refusesOtherQuery { self.write(refuses, as: "otherQuery", indent: indent) }
        self.write(matcher.headers, as: "headers", indent: indent)
        self.write(matcher.cookies, as: "cookies", indent: indent)
        if case .messages(let messages)? = matcher.body.first {
            self.write(messages, indent: indent)
        } else if !matcher.body.isEmpty {
            self.key("body", indent: indent)
            self.write(matcher.body, indent: indent + 2)
        }
        self.write(matcher.state, as: "state", indent: indent)
        self.write(matcher.all, as: "all", indent: indent)
        self.write(matcher.any, as: "any", indent: indent)
        if matcher.not.count == 1 {
            self.key("not", indent: indent)
            self.write(matcher.not[0], indent: indent + 2)
        } else {
            self.write(matcher.not, as: "not", indent: indent)
        }
    }

    private mutating func write(_ matchers: [RequestMatcher], as name: StaticString, indent: Int) {
        guard !matchers.isEmpty else { return }
        self.key(name, indent: indent)
        for matcher in matchers {
            self.item(indent: indent + 2) { $0.write(matcher, indent: indent + 4) }
        }
    }

    /// Writes if unnamed parts are refused.
    mutating func write(_ refuses: Bool, as name: StaticString, indent: Int) {
        self.pair(name, refuses ? "refused" : "allowed", indent: indent)
    }

    mutating func write(_ fields: [RequestMatcher.Field], as name: StaticString, indent: Int) {
        guard !fields.isEmpty else { return }
        self.key(name, indent: indent)
        for field in fields { self.line(field.name, indent: indent + 2) { $0.write(field.value) } }
    }

    /// A regular expression that is the whole value of a key.
    mutating func write(_ pattern: Pattern) {
        if pattern.ignoresCase {
            self.write(ValueMatcher.pattern(pattern))
        } else {
            self.yaml.scalar(pattern.source)
        }
    }

    // MARK: Values

    mutating func write(_ matcher: ValueMatcher) {
        switch matcher {
        case .equals(let text): self.yaml.scalar(text)
        case .values(let texts): self.flowList(texts)
        default: self.flowMapping(Self.conditions(of: matcher))
        }
    }

    /// The pairs that a condition is written as.
    static func conditions(of matcher: ValueMatcher) -> [(key: String, write: (inout Self) -> Void)] {
        switch matcher {
        case .equals(let text): [("equals", { $0.yaml.scalar(text) })]
        case .values(let texts): [("values", { $0.flowList(texts) })]
        case .oneOf(let texts): [("oneOf", { $0.flowList(texts) })]
        case .contains(let text): [("contains", { $0.yaml.scalar(text) })]
        case .prefix(let text): [("prefix", { $0.yaml.scalar(text) })]
        case .suffix(let text): [("suffix", { $0.yaml.scalar(text) })]
        case .pattern(let pattern):
            [("pattern", { $0.yaml.scalar(pattern.source) })]
                + (pattern.ignoresCase ? [("ignoreCase", { $0.yaml.raw("true") })] : [])
        case .greaterThan(let number): [("greaterThan", { $0.yaml.raw(number.spelling) })]
        case .lessThan(let number): [("lessThan", { $0.yaml.raw(number.spelling) })]
        case .present: [("present", { $0.yaml.raw("true") })]
        case .absent: [("absent", { $0.yaml.raw("true") })]
        case .not(let matcher): [("not", { $0.write(matcher) })]
        case .all(let matchers): matchers.flatMap(self.conditions)
        }
    }

    /// Writes the test of the values at a path.
    mutating func write(_ test: JSONTest) {
        switch test {
        case .value(.equals(let text)):
            // Numbers, true, false and null as JSON has them.
            if JSONNumber(text) != nil || ["true", "false", "null"].contains(text) {
                self.yaml.raw(text)
            } else {
                self.yaml.scalar(text)
            }
        case .value(let matcher): self.write(matcher)
        case .count, .type, .all: self.flowMapping(Self.conditions(of: test))
        }
    }

    private static func conditions(of test: JSONTest) -> [(key: String, write: (inout Self) -> Void)] {
        switch test {
        case .value(let matcher): self.conditions(of: matcher)
        case .count(let count): [("count", { $0.yaml.int(count) })]
        case .type(let type): [("type", { $0.yaml.scalar(type.rawValue) })]
        case .all(let tests): tests.flatMap(self.conditions)
        }
    }
}
