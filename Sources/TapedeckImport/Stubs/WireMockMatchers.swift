import TapedeckCodings
import TapedeckCore
import TapedeckJSON

/// The conditions of a WireMock stub on a request.
struct WireMockRequest {
    private let node: ForeignNode
    /// True if a pattern of the path captures each of its segments.
    private let capturesSegments: Bool

    init(_ node: ForeignNode, capturesSegments: Bool = false) {
        self.node = node
        self.capturesSegments = capturesSegments
    }

    /// The segments of the path, for templates.
    var segments: PathSegments {
        if let pattern = (self.node["urlPathPattern"] ?? self.node["urlPattern"])?.text {
            return PathSegments(pattern: pattern)
        }
        let template = self.node["urlPathTemplate"]?.text.map(Self.withGaps)
        return PathSegments(path: template ?? (self.node["urlPath"] ?? self.node["url"])?.text ?? "")
    }

    /// A template whose gaps have names that ours can have.
    private static func withGaps(_ template: String) -> String {
        var result = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open] + "{\(StubParts.gap(rest[open..<close].dropFirst()))}"
            rest = rest[close...].dropFirst()
        }
        return result + String(rest)
    }

    /// - Throws: for a condition that a cassette cannot state: a stub without it would answer too much.
    ///
    /// - Parameter notes: gets the conditions that are compared in another way.
    func matcher(_ notes: inout [String]) throws(LeftOut) -> RequestMatcher {
        var matcher = RequestMatcher()
        for pair in self.node.pairs where !Self.known.contains(pair.key.text ?? "") {
            throw LeftOut("its condition `\(pair.key.text ?? "")` cannot be stated", line: pair.key.line)
        }
        if let method = self.node["method"] {
            if let text = method.text {
                matcher.methods = text == "ANY" ? [] : [text]
            } else if let list = method["oneOf"] ?? method["or"] {
                matcher.methods = list.items.compactMap { ($0.text ?? $0["equalTo"]?.text)?.uppercased() }
            } else {
                throw LeftOut("its condition on the method cannot be stated", line: method.line)
            }
        }
        try self.readURL(into: &matcher)
        try self.readHost(into: &matcher)
        let query = try Self.fields(self.node["queryParameters"])
        if self.node["url"]?.text != nil {
            try self.check(query)
        } else {
            matcher.query += query
        }
        matcher.headers += try Self.fields(self.node["headers"])
        matcher.cookies += try Self.fields(self.node["cookies"], isMet: false)
        if let form = self.node["formParameters"] {
            matcher.body.append(.form(try Self.fields(form), refusesOthers: false))
        }
        if let basic = self.node["basicAuthCredentials"] ?? self.node["basicAuth"] {
            let value = RequestDraft.basic(basic["username"]?.text ?? "", basic["password"]?.text ?? "")
            matcher.headers.append(.init("authorization", .equals(value)))
        }
        for pattern in self.node["bodyPatterns"]?.items ?? [] {
            for body in try Self.body(pattern, &notes) { matcher.require(RequestMatcher(body: [body])) }
        }
        for part in self.node["multipartPatterns"]?.items ?? [] {
            matcher.require(RequestMatcher(body: [try Self.part(part)]))
        }
        return matcher
    }

    private static let known: Set<String> = [
        "method", "url", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate", "pathParameters",
        "queryParameters", "formParameters", "headers", "cookies", "bodyPatterns", "multipartPatterns",
        "basicAuthCredentials", "basicAuth", "scheme", "host", "port",
    ]

    // MARK: URLs

    private func readURL(into matcher: inout RequestMatcher) throws(LeftOut) {
        if let url = self.node["url"]?.text {
            matcher.url = AbsoluteURL(url).map { .exact($0) } ?? .exactPath(Self.path(url))
        } else if let path = self.node["urlPath"]?.text {
            matcher.url = .exactPath(Self.path(path))
            matcher.refusesOtherQuery = false
        } else if let pattern = self.node["urlPattern"] ?? self.node["urlPathPattern"] {
            let source = pattern.text ?? ""
            matcher.url = try StubParts.url(
                matching: self.capturesSegments ? PathSegments(pattern: source).pattern : source,
                isPathAlone: self.node["urlPattern"] == nil,
                line: pattern.line
            )
        } else if let template = self.node["urlPathTemplate"] {
            try self.readTemplate(template, into: &matcher)
        } else {
            matcher.url = .pattern(try StubParts.pattern("/.*", .whole, line: self.node.line))
        }
    }

    /// Checks conditions on the query beside a whole URL, which decides them.
    private func check(_ query: [RequestMatcher.Field]) throws(LeftOut) {
        let url = self.node["url"]?.text ?? ""
        let parameters = QueryText.parameters(of: Array(url.utf8)[...])
        let scratch = PatternScratch()
        for field in query {
            let values = parameters.compactMap { $0.name == field.name ? $0.value : nil }
            guard field.value.matches(values, scratch: scratch) else {
                throw LeftOut(
                    "no request meets both its `url` and its condition on '\(field.name)'",
                    line: self.node.line
                )
            }
        }
    }

    /// Differences that the canonical form of URLs makes, in half a sentence each.
    var notes: [String] {
        var notes: [String] = []
        let query = (self.node["url"]?.text ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        if query.contains("&") { notes.append("the parameters of its `url` match in any order") }
        if let pattern = self.node["urlPattern"]?.text, pattern.contains("?"), pattern.contains("&") {
            notes.append("its `urlPattern` sees the parameters of the query sorted by name")
        }
        if self.node["multipartPatterns"]?.items.contains(where: { $0["name"] != nil }) == true {
            notes.append("the `name` of a part is a condition, which WireMock itself does not check")
        }
        return notes
    }

    private func readTemplate(_ template: ForeignNode, into matcher: inout RequestMatcher) throws(LeftOut) {
        var text = Self.withGaps(template.text ?? "")
        var patterns: [(name: String, source: String)] = []
        for pair in self.node["pathParameters"]?.pairs ?? [] {
            let name = StubParts.gap(pair.key.text ?? "")
            if let value = pair.value["equalTo"]?.text {
                text = text.replacing("{\(name)}", with: value)
            } else if let pattern = pair.value["matches"]?.text, pair.value.pairs.count == 1 {
                patterns.append((name, pattern))
            } else {
                throw LeftOut("a condition on a path parameter cannot be stated", line: pair.key.line)
            }
        }
        guard patterns.isEmpty else {
            var source = ""
            for segment in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
                let name = segment.dropFirst().dropLast()
                let pattern = patterns.first { segment == "{\($0.name)}" }?.source ?? "[^/]+"
                let isGap = segment.hasPrefix("{") && segment.hasSuffix("}")
                source += "/" + (isGap ? "(?<\(name)>\(pattern))" : StubParts.escaped(segment))
            }
            matcher.url = try StubParts.url(matching: source, isPathAlone: true, line: template.line)
            return
        }
        matcher.refusesOtherQuery = false
        do throws(PatternError) {
            matcher.url = text.contains("{") ? .template(try URLTemplate(text)) : .exactPath(text)
        } catch {
            throw LeftOut("its URL template cannot be used: \(error)", line: template.line)
        }
    }

    private static func path(_ text: String) -> String { text.hasPrefix("/") ? text : "/\(text)" }

    private func readHost(into matcher: inout RequestMatcher) throws(LeftOut) {
        guard let host = self.node["host"] else { return }
        let port = self.node["port"]?.int.map { ":\($0)" } ?? ""
        if let name = host["equalTo"]?.text {
            matcher.host = .names(["\(name)\(port)"])
        } else if let pattern = host["matches"] {
            matcher.host = .pattern(try StubParts.pattern(pattern.text ?? "", .whole, line: pattern.line))
        } else {
            throw LeftOut("its condition on the host cannot be stated", line: host.line)
        }
    }

    // MARK: Values

    /// - Parameter isMet: true if a name without a value meets a condition that its value is not to be something.
    private static func fields(_ node: ForeignNode?, isMet: Bool = true) throws(LeftOut) -> [RequestMatcher.Field] {
        var fields: [RequestMatcher.Field] = []
        for pair in node?.pairs ?? [] where pair.value["anything"] == nil {
            fields.append(.init(pair.key.text ?? "", try self.value(pair.value, isMetByNone: isMet)))
        }
        return fields
    }

    /// - Parameter isMetByNone: true if no value meets a condition that the value is not to be something.
    static func value(_ node: ForeignNode, isMetByNone: Bool = false) throws(LeftOut) -> ValueMatcher {
        func negated(_ matcher: ValueMatcher, line: Int) throws(LeftOut) -> ValueMatcher {
            if case .absent = matcher { return .present }
            return isMetByNone ? .not(matcher) : try self.negated(matcher, line: line)
        }
        let isCaseless = node["caseInsensitive"]?.bool == true
        var matchers: [ValueMatcher] = []
        for pair in node.pairs {
            let value = pair.value
            let text = value.text ?? ""
            switch pair.key.text ?? "" {
            case "equalTo":
                matchers.append(
                    isCaseless
                        ? try StubParts.whole(StubParts.escaped(text), ignoresCase: true, line: value.line)
                        : .equals(text)
                )
            case "contains": matchers.append(.contains(text))
            case "doesNotContain": matchers.append(try negated(.contains(text), line: value.line))
            case "matches": matchers.append(try StubParts.whole(text, lines: true, line: value.line))
            case "doesNotMatch":
                let pattern = try StubParts.whole(text, lines: true, line: value.line)
                matchers.append(try negated(pattern, line: value.line))
            // Also with `false`.
            case "absent": matchers.append(.absent)
            case "not": matchers.append(try negated(try self.value(value, isMetByNone: isMetByNone), line: value.line))
            case "and":
                let all = try self.values(value, isMetByNone: isMetByNone)
                matchers.append(try StubParts.all(all, isOneValue: true, line: value.line))
            case "or":
                let any = try self.values(value, isMetByNone: isMetByNone)
                matchers.append(try StubParts.any(any, line: value.line))
            case "hasExactly":
                let texts = value.items.compactMap { $0["equalTo"]?.text }
                guard texts.count == value.items.count else {
                    throw LeftOut("its condition `hasExactly` cannot be stated", line: value.line)
                }
                matchers.append(texts.count == 1 ? .values(texts) : .valuesInAnyOrder(texts))
            case "includes":
                let all = try self.values(value, isMetByNone: isMetByNone)
                matchers.append(try StubParts.all(all, isOneValue: false, line: value.line))
            case "equalToXml": matchers.append(try StubParts.xml(text, line: value.line))
            case "greaterThanNumber": matchers.append(.greaterThan(try self.number(value)))
            case "lessThanNumber": matchers.append(.lessThan(try self.number(value)))
            case "greaterThanEqualNumber":
                matchers += [try StubParts.anyNumber(line: value.line), .not(.lessThan(try self.number(value)))]
            case "lessThanEqualNumber":
                matchers += [try StubParts.anyNumber(line: value.line), .not(.greaterThan(try self.number(value)))]
            case "equalToNumber":
                let parts = try self.number(value).spelling.split(separator: ".")
                guard parts.count <= 2, parts.allSatisfy({ Int($0) != nil }) else {
                    throw LeftOut("its number cannot be stated", line: value.line)
                }
                let fraction = parts.count == 2 ? "\\.\(parts[1])0*" : "(?:\\.0*)?"
                let sign = parts[0].hasPrefix("-") ? "-" : ""
                let whole = "\(sign)0*\(parts[0].dropFirst(sign.count))\(fraction)"
                matchers.append(try StubParts.whole(whole, line: value.line))
            case "caseInsensitive", "anything", "namespaceAwareness", "enablePlaceholders": continue
            case let name: throw LeftOut("its condition `\(name)` cannot be stated", line: pair.key.line)
            }
        }
        return try StubParts.all(matchers, isOneValue: true, line: node.line)
    }

    /// A value that is not as a condition says: with several values, one of them.
    private static func negated(_ matcher: ValueMatcher, line: Int) throws(LeftOut) -> ValueMatcher {
        try StubParts.some(not: matcher, line: line) ?? .all([.present, .not(matcher)])
    }

    private static func values(_ node: ForeignNode, isMetByNone: Bool) throws(LeftOut) -> [ValueMatcher] {
        var matchers: [ValueMatcher] = []
        for item in node.items { matchers.append(try self.value(item, isMetByNone: isMetByNone)) }
        return matchers
    }

    private static func number(_ node: ForeignNode) throws(LeftOut) -> JSONNumber {
        guard let number = JSONNumber(node.text ?? "") else { throw LeftOut("a limit is no number", line: node.line) }
        return number
    }

    // MARK: Bodies

    private static func body(_ node: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> [BodyMatcher] {
        if let xml = node["equalToXml"]?.text {
            return [try StubParts.xml(body: xml, notes: &notes, line: node.line)]
        }
        if let json = node["equalToJson"] {
            let ignoresOrder = node["ignoreArrayOrder"]?.bool == true
            guard node["ignoreExtraElements"]?.bool == true else {
                return [try StubParts.json(equal: try StubJSON.withPlaceholders(json), ignoresOrder: ignoresOrder)]
            }
            let text = try StubJSON.withPlaceholders(json)
            let value = try? JSONValue(parsing: try StubParts.json(text))
            guard let value, StubJSON.hasItems(value), !ignoresOrder else { return [try StubParts.json(within: text)] }
            guard JSONExpectation.unknownPlaceholders(in: value).isEmpty,
                !JSONExpectation(value).hasPlaceholders
            else {
                throw LeftOut("its list with placeholders and further items cannot be stated", line: json.line)
            }
            return try StubJSON.beginning(with: value, line: json.line)
        }
        if let path = node["matchesJsonPath"] {
            if let text = path.text { return [try StubJSONPath.matcher(text, line: path.line)] }
            return try self.jsonPath(path)
        }
        if let binary = node["binaryEqualTo"] {
            guard let bytes = binary.text.flatMap(ForeignText.base64) else {
                throw LeftOut("its binary body is no base64", line: binary.line)
            }
            return [.bytes(InlineBody(form: .base64, content: bytes))]
        }
        // A request without a body has an empty one here.
        if node["absent"] != nil, node.pairs.count == 1 { return [.text(.equals(""))] }
        return [.text(try self.value(node))]
    }

    /// A condition on the values of a JSONPath.
    private static func jsonPath(_ node: ForeignNode) throws(LeftOut) -> [BodyMatcher] {
        let text = StubJSONPath.plain(node["expression"]?.text ?? "")
        let expression = try StubParts.jsonPath(text, line: node.line)
        if let json = node["equalToJson"] {
            guard let value = try? JSONValue(parsing: try StubParts.json(json)), StubJSONPath.isDefinite(text) else {
                throw LeftOut("its JSON below a JSONPath of several places cannot be stated", line: json.line)
            }
            guard node["ignoreArrayOrder"]?.bool != true || !StubJSON.hasItems(value) else {
                throw LeftOut("`ignoreArrayOrder` below a JSONPath cannot be stated", line: json.line)
            }
            if node["ignoreExtraElements"]?.bool == true {
                return try StubJSON.beginning(with: value, at: text, line: json.line)
            }
            return [.jsonPath(expression, StubJSON.equal(to: value))]
        }
        let rest = ForeignNode(.map(node.pairs.filter { $0.key.text != "expression" }), line: node.line)
        if rest["absent"] != nil {
            // Null is absent, too.
            let other = try StubParts.pattern(StubJSON.notNull, .anywhere, line: node.line)
            return [.jsonPath(expression, .value(.not(.pattern(other))))]
        }
        if let equal = rest["equalTo"]?.text, equal.hasPrefix("{") || equal.hasPrefix("[") {
            throw LeftOut("it compares an object as text: `equalToJson` compares it as JSON", line: node.line)
        }
        let value = try self.value(rest)
        // Null is no value.
        let isNegative = rest.pairs.contains { ["doesNotMatch", "doesNotContain", "not"].contains($0.key.text) }
        let some = try StubParts.pattern(StubJSON.notNull, .anywhere, line: node.line)
        return [
            .jsonPath(
                expression,
                .value(
                    isNegative ? try StubParts.all([.pattern(some), value], isOneValue: true, line: node.line) : value
                )
            )
        ]
    }

    /// Returns the name of a part, if the field's condition requires exactly that: `name="file"` in it.
    private static func name(in disposition: ForeignNode?) -> String? {
        guard let text = disposition?["contains"]?.text, disposition?.pairs.count == 1 else { return nil }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "name=" && parts[2].isEmpty ? String(parts[1]) : nil
    }

    private static func part(_ node: ForeignNode) throws(LeftOut) -> BodyMatcher {
        let disposition = node["headers"]?["Content-Disposition"]
        guard let name = node["name"]?.text ?? Self.name(in: disposition), node["matchingType"]?.text != "ALL",
            node["headers"]?.pairs.allSatisfy({ $0.key.text == "Content-Disposition" }) ?? true
        else {
            throw LeftOut("its condition on a part of a multipart body cannot be stated", line: node.line)
        }
        var values: [ValueMatcher] = []
        for pattern in node["bodyPatterns"]?.items ?? [] { values.append(try self.value(pattern)) }
        let filename = node["fileName"]?.text.map { ValueMatcher.equals($0) }
        let content = try StubParts.all(values, isOneValue: true, line: node.line)
        return .multipart([BodyMatcher.Part(name: name, content: content, filename: filename)])
    }
}
