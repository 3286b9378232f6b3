/// Holds a request against one response set, part by part.
struct MatcherReport {
    let request: RequestFacts

    /// Everything the set asks for, met or not.
    func parts(_ entry: Tape.Entry) -> [MatchPart] {
        self.parts(entry.matcher, entry.set.request)
            + entry.set.requires.map { self.state($0) }
    }

    private func parts(_ matcher: CompiledMatcher, _ written: RequestMatcher) -> [MatchPart] {
        var parts: [MatchPart] = []
        if !matcher.methods.isEmpty {
            let wanted = matcher.methods.joined(separator: " or ")
            let isMet = matcher.takesMethod(self.request.method)
            parts.append(MatchPart(name: "method", wanted: wanted, came: self.request.method, isMet: isMet))
        }
        parts += self.url(matcher, written.url)
        parts += matcher.conditions.flatMap { self.parts($0) }
        parts += zip(matcher.all, written.all).flatMap { self.parts($0, $1) }
        if !matcher.any.isEmpty {
            let isMet = matcher.any.contains { $0.matches(self.request) }
            let wanted = "one of the \(matcher.any.count) of `any`"
            parts.append(MatchPart(name: "request", wanted: wanted, came: isMet ? "one" : "none", isMet: isMet))
        }
        for nested in matcher.not where nested.matches(self.request) {
            let wanted = "nothing that matches its `not`"
            parts.append(MatchPart(name: "request", wanted: wanted, came: "what does", isMet: false))
        }
        return parts
    }

    // MARK: URL

    private func url(_ matcher: CompiledMatcher, _ written: URLMatcher) -> [MatchPart] {
        switch matcher.url {
        case .any:
            return []
        case .exact(let bytes, let projection):
            return self.exact(bytes, projection)
        case .pattern(_, let projection, let isTemplate):
            let source: String
            switch written {
            case .template(let template): source = template.source
            case .pattern(let pattern): source = pattern.source
            case .any, .exact, .exactPath: return []
            }
            let came = ByteText.string(from: self.request.projected(projection))
            let isMet = matcher.takesURL(self.request)
            if isTemplate, !isMet, let parts = self.template(source, came: came, projection) { return parts }
            return [MatchPart(name: "url", wanted: source, came: came, isMet: isMet)]
        }
    }

    /// Origin and path apart, where that tells more.
    private func template(_ source: String, came: String, _ projection: URLProjection) -> [MatchPart]? {
        guard projection.part == .url, let wanted = AbsoluteURL(String(source.prefix { $0 != "{" })),
            let asked = AbsoluteURL(came), source.contains("://"), !source.prefix(while: { $0 != "{" }).hasSuffix("//")
        else { return nil }
        let path = String(source.dropFirst(wanted.origin.description.count))
        return [
            self.origin(wanted.origin, asked.origin),
            MatchPart(name: "path", wanted: path, came: asked.path, isMet: false),
        ]
    }

    private func origin(_ wanted: Origin, _ came: Origin) -> MatchPart {
        MatchPart(name: "origin", wanted: "\(wanted)", came: "\(came)", isMet: wanted == came)
    }

    private func exact(_ bytes: [UInt8], _ projection: URLProjection) -> [MatchPart] {
        var parts: [MatchPart] = []
        let wantedURL = RequestFacts.ofURL(bytes, part: projection.part)
        if projection.part == .url, let wanted = AbsoluteURL(ByteText.string(from: wantedURL.origin))?.origin,
            let came = AbsoluteURL(ByteText.string(from: self.request.origin))?.origin
        {
            parts.append(self.origin(wanted, came))
        }
        let wantedPath = ByteText.string(from: wantedURL.path)
        let path = ByteText.string(from: self.request.path)
        parts.append(MatchPart(name: "path", wanted: wantedPath, came: path, isMet: wantedPath == path))
        if projection.query != .none {
            parts += self.query(wanted: wantedURL.query, ignoring: projection.query)
        }
        return parts
    }

    private func query(
        wanted: [(name: String, value: String)],
        ignoring query: URLProjection.Query
    ) -> [MatchPart] {
        var ignored: [String] = []
        if case .except(let names) = query { ignored = names }
        let came = self.request.query.filter { !ignored.contains($0.name) }
        var names: [String] = []
        for name in wanted.map(\.name) + came.map(\.name) where !names.contains(name) { names.append(name) }
        return names.map { name in
            let wantedValues = wanted.filter { $0.name == name }.map(\.value)
            let values = came.filter { $0.name == name }.map(\.value)
            return MatchPart(
                name: "query \(name)",
                wanted: wantedValues.isEmpty
                    ? "none" : Discretion.shown(wantedValues.joined(separator: ", "), name: name),
                came: values.isEmpty ? nil : Discretion.shown(values.joined(separator: ", "), name: name),
                isMet: wantedValues == values
            )
        }
    }

    // MARK: Conditions

    private func parts(_ condition: Condition) -> [MatchPart] {
        let request = self.request
        let isMet = condition.holds(for: request)
        func part(_ name: String, _ wanted: String, _ came: String?) -> [MatchPart] {
            [MatchPart(name: name, wanted: wanted, came: came, isMet: isMet)]
        }
        func field(_ kind: String, _ field: RequestMatcher.Field, _ values: [String]) -> [MatchPart] {
            let came = values.isEmpty ? nil : Discretion.shown(values.joined(separator: ", "), name: field.name)
            let hidden = kind == "cookie" || Discretion.hides(field.name)
            let wanted = hidden ? Discretion.hidden(field.value) : Discretion.short(field.value.summary)
            let shown = kind == "cookie" ? came.map { _ in "another value, not shown" } : came
            return part("\(kind) \(field.name)", wanted, shown)
        }
        switch condition {
        case .query(let query): return field("query", query, request.queryValues(query.name))
        case .onlyQuery(let names):
            let others = request.query.map(\.name).filter { !names.contains($0) }
            return others.map { MatchPart(name: "query \($0)", wanted: "none", came: "there", isMet: false) }
        case .header(let header): return field("header", header, request.headerValues(header.name))
        case .cookie(let cookie): return field("cookie", cookie, request.cookieValues(cookie.name))
        case .host(let host): return part("host", host.summary, request.authority)
        case .state(let entry): return [self.state(entry)]
        case .body, .json, .jsonPath, .text, .form, .multipart, .graphQL, .never:
            return self.body(condition, isMet: isMet)
        }
    }

    private func state(_ entry: StateEntry) -> MatchPart {
        let came = self.request.state[entry.key]
        return MatchPart(
            name: "state \(entry.key)",
            wanted: entry.value ?? "none",
            came: came ?? "none",
            isMet: came == entry.value
        )
    }

    // MARK: Bodies

    private func body(_ condition: Condition, isMet: Bool) -> [MatchPart] {
        func part(_ name: String, _ wanted: String, _ came: String?) -> [MatchPart] {
            [MatchPart(name: name, wanted: wanted, came: came, isMet: isMet)]
        }
        guard let body = self.request.body else { return part("body", Self.summary(condition), "not known") }
        guard let bytes = body.bytes else {
            return part("body", Self.summary(condition), "too large to look at, SHA-256 \(body.sha256.prefix(12))…")
        }
        switch condition {
        case .body(_, .json(let expected, let comparison)) where !isMet:
            guard let wanted = JSONValue.inBody(expected) else { return [] }
            return self.json(JSONExpectation(wanted, comparison: comparison))
        case .body:
            return part("body", Self.summary(condition), Self.shown(bytes))
        case .json(let expected):
            return isMet ? part("body", "such JSON", "it") : self.json(expected)
        case .jsonPath(let path, let test):
            let values = self.request.json.map(path.values)?.map(\.plainText)
            let came = values.map { $0.isEmpty ? "nothing" : $0.joined(separator: ", ") } ?? "no JSON"
            let wanted = Discretion.hides(path.description) ? "another value, not shown" : test.summary
            return part("body \(path)", wanted, Discretion.shown(came, name: path.description))
        case .text(let matcher): return part("body", matcher.summary, Self.shown(bytes))
        case .form(let fields, _): return self.form(fields, isMet: isMet)
        case .multipart(let parts):
            let names = self.request.multipart?.parts.compactMap(\.name).joined(separator: ", ")
            return part("body", "the parts " + parts.map(\.name).joined(separator: ", "), names ?? "no multipart body")
        case .graphQL(let operation, _):
            let names = self.request.graphQL.map { $0.operationName ?? "one without a name" }
            let came = names.isEmpty ? "no GraphQL" : names.joined(separator: ", ")
            return part("GraphQL operation", operation?.summary ?? "one with other variables", came)
        case .never: return part("body", "JSON that does not parse", Self.shown(bytes))
        case .query, .onlyQuery, .header, .cookie, .host, .state: return []
        }
    }

    private func json(_ expected: JSONExpectation) -> [MatchPart] {
        guard let json = self.request.json else {
            return [MatchPart(name: "body", wanted: "JSON", came: "no JSON", isMet: false)]
        }
        return expected.differences(json, limit: 5).map { difference in
            let hidden = Discretion.hides(difference.path)
            return MatchPart(
                name: "body \(difference.path)",
                wanted: difference.wanted.map { hidden ? "another value, not shown" : $0 } ?? "nothing",
                came: difference.came.map { hidden ? "(not shown)" : $0 },
                isMet: false
            )
        }
    }

    private func form(_ fields: [RequestMatcher.Field], isMet: Bool) -> [MatchPart] {
        let form = self.request.form
        return fields.compactMap { field in
            let values = form.compactMap { $0.name == field.name ? $0.value : nil }
            let isMet = field.value.matches(values, scratch: self.request.scratch)
            return MatchPart(
                name: "form \(field.name)",
                wanted: Discretion.hides(field.name) ? Discretion.hidden(field.value) : field.value.summary,
                came: values.isEmpty ? nil : Discretion.shown(values.joined(separator: ", "), name: field.name),
                isMet: isMet
            )
        }
    }

    private static func summary(_ condition: Condition) -> String {
        guard case .body(_, let matcher) = condition else { return "a certain body" }
        switch matcher {
        case .bytes(let body): return "the body " + self.shown(body.decoded)
        case .sha256(let digest): return "a body with SHA-256 \(digest.prefix(12))…"
        default: return "a certain JSON body"
        }
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "empty" }
        guard bytes.count <= 60, let text = String(validating: bytes, as: UTF8.self), !text.contains("\n"),
            !Discretion.mentionsSecret(text)
        else { return bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes" }
        return text
    }
}

extension Discretion {
    static func hidden(_ matcher: ValueMatcher) -> String {
        switch matcher {
        case .present, .absent: matcher.summary
        default: "another value, not shown"
        }
    }
}

extension RequestFacts {
    /// A URL, or a path and query, that no request asked for.
    static func ofURL(_ bytes: [UInt8], part: URLProjection.Part) -> RequestFacts {
        var key = RequestKey()
        Array("GET".utf8).withUnsafeBytes { method in
            key.begin(method: method, origin: part == .url ? [] : Array("http://-".utf8))
        }
        key.appendCanonical(bytes)
        return RequestFacts(Inquiry(key), scratch: PatternScratch())
    }
}
