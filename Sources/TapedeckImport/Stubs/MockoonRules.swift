import TapedeckCore

/// The rules of Mockoon's responses as conditions on the request.
struct MockoonRules {
    let path: MockoonPath
    /// The method of the route, or `all`.
    let method: String

    /// The maximum number of rules of a response.
    private static let limit = 200

    /// The condition that the rules of a response hold.
    func condition(_ response: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        let nodes = response["rules"]?.items ?? []
        guard nodes.count <= Self.limit else {
            throw LeftOut("it has more than \(Self.limit) rules", line: response.line)
        }
        var conditions: [StubCondition] = []
        for rule in nodes {
            let condition = try self.condition(of: rule, &notes)
            conditions.append(rule["invert"]?.bool == true ? condition.inverted : condition)
        }
        return response["rulesOperator"]?.text == "AND" ? .all(conditions) : .any(conditions)
    }

    /// A rule without templates.
    struct Rule {
        let node: ForeignNode
        let target: String
        let modifier: String
        let test: MockoonTest

        init(_ node: ForeignNode) throws(LeftOut) {
            self.node = node
            self.target = node["target"]?.text ?? ""
            self.modifier = node["modifier"]?.text ?? ""
            self.test = try MockoonTest(node)
            guard !self.modifier.contains("{{"), !self.test.value.contains("{{") else {
                throw LeftOut("its rule on `\(self.target)` is a template, which cannot be stated", line: node.line)
            }
        }

        var line: Int { self.node.line }
    }

    /// Returns the test of a rule on the number of the request.
    static func numberTest(_ node: ForeignNode) throws(LeftOut) -> (String) -> Bool {
        let rule = try Rule(node)
        let isInverted = node["invert"]?.bool == true
        guard let pattern = try rule.test.pattern(in: .line) else {
            return { rule.test.holds(for: $0, nil) != isInverted }
        }
        let compiled = try StubParts.pattern(
            pattern.source,
            .anywhere,
            ignoresCase: rule.test.ignoresCase,
            line: node.line
        )
        return { number in
            ValueMatcher.pattern(compiled).matches([number], scratch: PatternScratch()) != isInverted
        }
    }

    private func condition(of node: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        let rule = try Rule(node)
        guard rule.test.operation != .schema else {
            throw LeftOut("its rule with a JSON schema cannot be stated", line: rule.line)
        }
        switch rule.target {
        case "": return .never
        case "body": return try self.body(rule, &notes)
        case "query": return try self.query(rule)
        case "header": return try self.header(rule)
        case "cookie": return try self.cookie(rule, &notes)
        case "params": return try self.parameter(rule)
        case "path": return try self.target(rule, &notes)
        case "method": return try self.methods(rule)
        default: throw LeftOut("its rule on `\(rule.target.prefix(40))` cannot be stated", line: rule.line)
        }
    }

    // MARK: Parts of the head

    private func header(_ rule: Rule) throws(LeftOut) -> StubCondition {
        guard !rule.modifier.isEmpty else { return try rule.test.constant("") }
        guard rule.modifier.utf8.allSatisfy(ASCII.isToken) else { return try rule.test.constant(nil) }
        return try rule.test.condition(in: .line) { .field(\.headers, rule.modifier, $0) }
    }

    private func cookie(_ rule: Rule, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        guard !rule.modifier.isEmpty else { return .never }
        if rule.test.operation == .equals {
            let encoded = ForeignText.formEncoded(rule.test.value, keeping: "!'()*").replacing("+", with: "%20")
            let value = encoded == rule.test.value ? ValueMatcher.equals(encoded) : .oneOf([rule.test.value, encoded])
            return .field(\.cookies, rule.modifier, value)
        }
        if rule.test.operation == .pattern {
            StubNote.add("cookies are compared as they are sent, encoded or not", to: &notes)
        }
        return try rule.test.condition(in: .line) { .field(\.cookies, rule.modifier, $0) }
    }

    private func query(_ rule: Rule) throws(LeftOut) -> StubCondition {
        // The whole query is a map, which is written like this.
        guard !rule.modifier.isEmpty else {
            return rule.test.isAboutLists ? .never : try rule.test.constant("[object Object]")
        }
        guard let name = Self.fieldName(rule.modifier) else {
            throw LeftOut("its rule on the query '\(rule.modifier.prefix(80))' cannot be stated", line: rule.line)
        }
        switch rule.test.operation {
        case .emptyList: return .never
        case .listItem:
            let key = StubParts.escaped(CanonicalURLText.name(name))
            let several = try StubCondition.url(
                "/[^?]*\\?(?:.*&)?\(key)(?:=[^&]*)?&(?:.*&)?\(key)(?:=[^&]*)?(?:&.*)?",
                ignoresCase: false,
                line: rule.line
            )
            let value = ValueMatcher.equals(rule.test.value)
            return .any([
                .all([several, .field(\.query, name, value)]), .field(\.query, name + "[]", value),
            ])
        default: return try rule.test.condition(in: .line) { .field(\.query, name, $0) }
        }
    }

    /// The name of a field of a form or a query for the steps of a path, `a.b` being `a[b]`; `nil` for other paths.
    static func fieldName(_ modifier: String) -> String? {
        guard !modifier.hasPrefix("$") else { return nil }
        let steps = Self.steps(modifier)
        guard !steps.contains(where: { $0.isEmpty || Int($0) != nil }), let first = steps.first else { return nil }
        return first + steps.dropFirst().map { "[\($0)]" }.joined()
    }

    /// The steps of a path with dots; a dot behind a backslash is a part of a name.
    static func steps(_ modifier: String) -> [String] {
        modifier.replacing("\\.", with: "\u{0}").split(separator: ".", omittingEmptySubsequences: false)
            .map { String($0).replacing("\u{0}", with: ".") }
    }

    private func parameter(_ rule: Rule) throws(LeftOut) -> StubCondition {
        let name = rule.modifier
        guard self.path.names.contains(name) else { return try rule.test.constant(nil) }
        if rule.test.isAboutLists { return .never }
        switch rule.test.operation {
        case .nothing where self.path.requires(name): return .never
        case .nothing: return try self.path.condition { $0 == name ? "(?!)" : nil }
        case .equals:
            guard let value = Self.segment(rule.test.value) else { return .never }
            return try self.path.condition(requiring: name) { $0 == name ? "(?-i:\(StubParts.escaped(value)))" : nil }
        default:
            guard self.path.isWholeSegment(name), let pattern = try rule.test.pattern(in: .segment) else {
                throw LeftOut("its rule on the parameter '\(name.prefix(80))' cannot be stated", line: rule.line)
            }
            let flag = rule.test.ignoresCase ? "(?i:" : "(?-i:"
            return try self.path.condition(requiring: name) {
                $0 == name ? "[^/?]*?\(flag)\(pattern.source))[^/?]*" : nil
            }
        }
    }

    /// A decoded segment as it is compared in a URL; `nil` if none is so.
    private static func segment(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        return CanonicalURLText.path(ForeignText.formEncoded(text, keeping: "!$&'()*,:@=").replacing("+", with: "%20"))
    }

    /// A rule on the path with the query.
    private func target(_ rule: Rule, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        let value = rule.test.value
        switch rule.test.operation {
        case .nothing, .emptyList: return .never
        case .equals, .listItem:
            // The second of two texts that Mockoon compares.
            if value == "*" { return .always }
            guard value.hasPrefix("/"), !value.contains("#"), AbsoluteURL("http://a\(value)") != nil else {
                return .never
            }
            return .request(RequestMatcher(url: .exactPath(value)))
        default:
            guard let pattern = try rule.test.pattern(in: .target) else { return .never }
            if pattern.matches("*", ignoresCase: rule.test.ignoresCase) { return .always }
            guard !value.contains("&") else {
                throw LeftOut("its rule on a path with several parameters cannot be stated", line: rule.line)
            }
            StubNote.add("its rule on the path sees the parameters of the query sorted by name", to: &notes)
            return try .url("/{0}.*?(?:\(pattern.source)).*", ignoresCase: rule.test.ignoresCase, line: rule.line)
        }
    }

    /// The methods that Express takes for a route.
    private static let methods = [
        "get", "post", "put", "patch", "delete", "head", "options", "propfind", "proppatch", "move", "copy", "mkcol",
        "lock", "unlock", "trace", "search", "merge", "purge", "report",
    ]

    private func methods(_ rule: Rule) throws(LeftOut) -> StubCondition {
        let pattern = try rule.test.pattern(in: .line)
        let own = self.method.isEmpty || self.method == "all" ? Self.methods : [self.method.lowercased()]
        let methods = own.filter { rule.test.holds(for: $0, pattern) }
        if methods.isEmpty { return .never }
        return methods.count == own.count
            ? .always : .request(RequestMatcher(methods: methods.map { $0.uppercased() }))
    }
}
