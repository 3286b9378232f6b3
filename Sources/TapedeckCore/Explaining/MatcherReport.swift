import TapedeckProtobuf

/// Compares a request with one response set, part by part.
///
/// Compares the request as received, or with placeholders if the set has some; shows the request with placeholders
/// only.
struct MatcherReport {
    let request: RequestFacts
    private var shown: RequestFacts { self.request.shown }

    /// Every condition of the set, met or not.
    ///
    /// - Parameter matches: true if the set matches; otherwise at least one part is not met.
    func parts(_ entry: Tape.Entry, matches: Bool) -> [MatchPart] {
        var parts = self.parts(entry.matcher, entry.set.request) + entry.set.requires.map { self.state($0) }
        // If the tape has the secret of the request, the expected value reveals it.
        for index in parts.indices where parts[index].isMet && !SecretMention.isIn(parts[index].wanted ?? "") {
            if let came = parts[index].came, SecretMention.isIn(came) { parts[index].wanted = came }
        }
        guard !matches, parts.allSatisfy(\.isMet) else { return parts }
        return parts + [MatchPart(name: "request", wanted: "all conditions of the set", came: "not all", isMet: false)]
    }

    private func parts(_ matcher: CompiledMatcher, _ written: RequestMatcher) -> [MatchPart] {
        var parts: [MatchPart] = []
        if !matcher.methods.isEmpty {
            let wanted = matcher.methods.joined(separator: " or ")
            let isMet = matcher.takesMethod(self.request.method)
            parts.append(
                MatchPart(name: "method", wanted: wanted, came: SecretMasking.short(self.request.method), isMet: isMet)
            )
        }
        parts += self.url(matcher, written.url)
        for (number, condition) in matcher.conditions.enumerated() {
            let view = self.request.view(asksForSecrets: matcher.asksForSecrets(condition: number))
            parts += self.parts(condition, isMet: condition.holds(for: view), judged: view)
        }
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
            let view = self.request.view(asksForSecrets: matcher.urlAsksForSecrets)
            return self.exact(bytes, projection, judged: view)
        case .pattern(_, let projection, let isTemplate):
            let source: String
            switch written {
            case .template(let template): source = template.source
            case .pattern(let pattern): source = pattern.source
            case .any, .exact, .exactPath: return []
            }
            let came = ByteText.string(from: self.shown.projected(projection))
            let isMet = matcher.takesURL(self.request)
            if isTemplate, !isMet, let parts = self.template(source, came: came, projection) { return parts }
            let shown =
                AbsoluteURL(came).map(SecretMasking.shown) ?? SecretMasking.short(came, limit: SecretMasking.urlLimit)
            return [MatchPart(name: "url", wanted: source, came: shown, isMet: isMet)]
        }
    }

    /// Origin, path and query apart, where that tells more.
    private func template(_ source: String, came: String, _ projection: URLProjection) -> [MatchPart]? {
        guard projection.part == .url, let wanted = AbsoluteURL(String(source.prefix { $0 != "{" })),
            let asked = AbsoluteURL(came), source.contains("://"), !source.prefix(while: { $0 != "{" }).hasSuffix("//")
        else { return nil }
        let target = source.dropFirst(wanted.origin.description.count)
        let path = target.prefix { $0 != "?" }
        let isPathMet = Self.takes(String(path), asked.path, self.request.scratch)
        let parts = [
            self.origin(wanted.origin, asked.origin),
            MatchPart(name: "path", wanted: String(path), came: Self.shown(path: asked.path), isMet: isPathMet),
        ]
        guard parts.allSatisfy(\.isMet), path.count < target.count else { return parts }
        let query = SecretMasking.shown(asked).drop { $0 != "?" }.dropFirst()
        return parts + [
            MatchPart(
                name: "query",
                wanted: String(target.dropFirst(path.count + 1)),
                came: String(query),
                isMet: false
            )
        ]
    }

    private static func shown(path: String) -> String {
        SecretMasking.short(path, limit: SecretMasking.urlLimit)
    }

    private static func takes(_ template: String, _ path: String, _ scratch: PatternScratch) -> Bool {
        guard let pattern = try? URLTemplate(template).pattern else { return false }
        return Array(path.utf8).withUnsafeBytes { pattern.match($0, scratch: scratch) } == .matched
    }

    private func origin(_ wanted: Origin, _ came: Origin) -> MatchPart {
        MatchPart(name: "origin", wanted: "\(wanted)", came: "\(came)", isMet: wanted == came)
    }

    private func exact(_ bytes: [UInt8], _ projection: URLProjection, judged: RequestFacts) -> [MatchPart] {
        var parts: [MatchPart] = []
        let wantedURL = RequestFacts.ofURL(bytes, part: projection.part)
        if projection.part == .url, let wanted = AbsoluteURL(ByteText.string(from: wantedURL.origin))?.origin,
            let came = AbsoluteURL(ByteText.string(from: self.request.origin))?.origin
        {
            parts.append(self.origin(wanted, came))
        }
        let wantedPath = ByteText.string(from: wantedURL.path)
        let isPathMet = wantedPath == ByteText.string(from: judged.path)
        let path = ByteText.string(from: self.shown.path)
        parts.append(
            MatchPart(
                name: "path",
                wanted: isPathMet ? Self.shown(path: path) : wantedPath,
                came: Self.shown(path: path),
                isMet: isPathMet
            )
        )
        if projection.query != .none {
            parts += self.query(wanted: wantedURL.query, ignoring: projection.query, judged: judged)
        }
        return parts
    }

    private func query(
        wanted: [(name: String, value: String)],
        ignoring query: URLProjection.Query,
        judged: RequestFacts
    ) -> [MatchPart] {
        var ignored: [String] = []
        if case .except(let names) = query { ignored = names }
        // Names and values are compared by their bytes, which Unicode may call equal.
        func values(_ parameters: [(name: String, value: String)]) -> [JSONName: [String]] {
            let counted = parameters.filter { !ignored.contains($0.name) }
            return Dictionary(grouping: counted) { JSONName($0.name) }.mapValues { $0.map(\.value) }
        }
        func sorted(_ names: some Sequence<JSONName>) -> [JSONName] { names.sorted { $0.text.precedesText($1.text) } }
        let wantedValues = values(wanted)
        let shown = values(self.shown.query)
        let values = values(judged.query)
        let unexpected = sorted(values.keys.filter { wantedValues[$0] == nil })
        let names = sorted(wantedValues.keys) + unexpected.prefix(Self.unexpectedLimit)
        var parts = names.map { key in
            let name = key.text
            let isMet = wantedValues[key]?.map { Array($0.utf8) } == values[key]?.map { Array($0.utf8) }
            return MatchPart(
                name: "query \(SecretMasking.short(name))",
                wanted: wantedValues[key].map { SecretMasking.shown($0, name: name) },
                came: shown[key].map { SecretMasking.shown($0, name: name) },
                isMet: isMet,
                ignore: IgnoredPlace(.query, name)
            )
        }
        let more = unexpected.count - Self.unexpectedLimit
        if more > 0 { parts.append(MatchPart(name: "query", wanted: nil, came: "\(more) more", isMet: false)) }
        return parts
    }

    /// Unexpected parameters are listed one by one up to this number.
    private static let unexpectedLimit = 5

    // MARK: Conditions

    private func parts(_ condition: Condition, isMet: Bool, judged: RequestFacts) -> [MatchPart] {
        let request = self.shown
        func part(_ name: String, _ wanted: String, _ came: String?, ignore: IgnoredPlace? = nil) -> [MatchPart] {
            [MatchPart(name: name, wanted: wanted, came: came, isMet: isMet, ignore: ignore)]
        }
        func field(_ kind: String, _ field: RequestMatcher.Field, _ values: [String]) -> [MatchPart] {
            let came = values.isEmpty ? nil : SecretMasking.shown(values.joined(separator: ", "), name: field.name)
            let hidden = kind == "cookie" || SecretMasking.hides(field.name)
            let secret = isMet ? "(not shown)" : SecretMasking.hidden(field.value)
            let summary = SecretMasking.short(field.value.summary)
            let wanted = hidden && !SecretMention.isIn(summary) ? secret : summary
            guard kind == "cookie", let value = came, !SecretMention.isIn(value) else {
                let place = IgnoredPlace(kind == "header" ? .headers : .query, field.name)
                let ignore = kind == "cookie" ? nil : place
                return part("\(kind) \(field.name)", wanted, came, ignore: ignore)
            }
            return part("\(kind) \(field.name)", wanted, isMet ? "(not shown)" : "another value, not shown")
        }
        switch condition {
        case .query(let query): return field("query", query, request.queryValues(query.name))
        case .onlyQuery(let names):
            let others = request.query.map(\.name).filter { !names.contains($0) }
            return others.prefix(Self.unexpectedLimit + 1).map { name in
                MatchPart(
                    name: "query \(SecretMasking.short(name))",
                    wanted: nil,
                    came: "there",
                    isMet: false,
                    ignore: IgnoredPlace(.query, name)
                )
            }
            .limited(to: Self.unexpectedLimit)
        case .header(let header): return field("header", header, request.headerValues(header.name))
        case .cookie(let cookie): return field("cookie", cookie, request.cookieValues(cookie.name))
        case .host(let host): return part("host", host.summary, request.authority)
        case .state(let entry): return [self.state(entry)]
        case .call:
            let type = request.headerValues("content-type").first
            return part("content-type", "a call of gRPC", type.map { SecretMasking.short($0) })
        case .messages(let condition): return self.messages(condition, isMet: isMet, judged: judged)
        case .body, .canonical, .json, .xml, .jsonPath, .text, .form, .multipart, .graphQL, .proto, .never:
            return self.body(condition, isMet: isMet, judged: judged, shown: self.shown)
        }
    }

    private func state(_ entry: StateEntry) -> MatchPart {
        let came = self.request.state[entry.key]
        return MatchPart(
            name: "state \(entry.key)",
            wanted: entry.value.map { SecretMasking.shown($0, name: entry.key) } ?? "none",
            came: came.map { SecretMasking.shown($0, name: entry.key) } ?? "none",
            isMet: came == entry.value
        )
    }

    // MARK: Bodies

    /// - Parameters:
    ///   - judged: the request that the condition is about.
    ///   - shown: the request as it is shown.
    func body(_ condition: Condition, isMet: Bool, judged: RequestFacts, shown: RequestFacts) -> [MatchPart] {
        func part(_ name: String, _ wanted: String, _ came: String?) -> [MatchPart] {
            [MatchPart(name: name, wanted: wanted, came: came, isMet: isMet)]
        }
        guard let body = shown.body else { return part("body", Self.summary(condition), "not known") }
        guard let bytes = body.bytes else {
            return part("body", Self.summary(condition), "too large to look at, SHA-256 \(body.sha256.prefix(12))…")
        }
        switch condition {
        case .body(_, .json(let expected, let comparison)) where !isMet:
            guard let wanted = JSONValue.inBody(expected) else { return [] }
            return self.json(JSONExpectation(wanted, comparison: comparison), judged: judged, shown: shown)
        case .body(_, .xml(let body, let ignored)) where !isMet:
            guard let expected = XMLExpectation(body.content, ignoring: ignored) else { return [] }
            return self.xml(expected, judged: judged, shown: shown)
        case .xml(let expected):
            return isMet ? part("body", "such XML", "it") : self.xml(expected, judged: judged, shown: shown)
        case .body(_, .bytes(let body)) where !isMet:
            return self.whole(body.decoded, ignoring: IgnoredFields(), judged: judged, shown: shown)
        case .canonical(let text, let ignored):
            return isMet
                ? part("body", "such a body", "it")
                : self.whole(text, ignoring: ignored, judged: judged, shown: shown)
        case .body:
            return part("body", Self.summary(condition), Self.shown(bytes))
        case .json(let expected):
            return isMet ? part("body", "such JSON", "it") : self.json(expected, judged: judged, shown: shown)
        case .jsonPath(let path, let test):
            let values = shown.json.map(path.values)?.map(\.plainText)
            let came = values.map { $0.isEmpty ? "nothing" : $0.joined(separator: ", ") } ?? "no JSON"
            let hides = SecretMasking.hides(path.description)
            let summary = test.summary
            return part(
                "body \(path)",
                SecretMasking.conceals(summary, hides) ? "another value, not shown" : SecretMasking.short(summary),
                SecretMasking.conceals(came, hides) ? "(not shown)" : SecretMasking.short(came)
            )
        case .text(let matcher):
            let wanted = matcher.summary
            return part("body", SecretMasking.conceals(wanted, false) ? "a text, not shown" : wanted, Self.shown(bytes))
        case .form(let fields, let refusesOthers):
            return self.form(fields, refusesOthers: refusesOthers, judged: judged)
        case .multipart(let parts): return self.multipart(parts, judged: judged)
        case .graphQL(let operation, let variables): return self.graphQL(operation, variables, judged: judged)
        case .proto(let condition): return self.fields(condition, isMet: isMet, judged: judged, shown: shown)
        case .never: return part("body", "JSON that does not parse", Self.shown(bytes))
        case .query, .onlyQuery, .header, .cookie, .host, .state, .call, .messages: return []
        }
    }

    private func json(_ expected: JSONExpectation, judged: RequestFacts, shown: RequestFacts) -> [MatchPart] {
        guard let json = judged.json else {
            return [MatchPart(name: "body", wanted: "JSON", came: "no JSON", isMet: false)]
        }
        let parts = self.json(expected, in: json, shown: shown.json, as: "body")
        guard !expected.isSubset, judged.wholeJSON == nil else { return parts }
        let came = "one with fields that its descriptor does not know"
        return parts + [MatchPart(name: "body", wanted: "one without", came: came, isMet: false)]
    }

    /// - Parameter shown: the same value as it is shown.
    private func json(
        _ expected: JSONExpectation,
        in json: JSONValue,
        shown: JSONValue?,
        as name: String
    ) -> [MatchPart] {
        guard !expected.matches(json) else { return [] }
        let limit = 5
        // The shown text differs in more places: it may have placeholders where the request has the wanted values.
        let texts = shown.map { expected.differences($0, limit: .max) } ?? []
        let parts = expected.differences(json, limit: limit + 1).map { difference in
            let hides = SecretMasking.hides(difference.path)
            let wanted = difference.wanted.map { SecretMasking.conceals($0, hides) ? "another value, not shown" : $0 }
            let came = difference.came.map { _ in
                guard let text = texts.first(where: { $0.path == difference.path })?.came else { return "(not shown)" }
                return SecretMasking.conceals(text, hides) ? "(not shown)" : SecretMasking.visible(text)
            }
            return MatchPart(
                name: "\(name) \(SecretMasking.short(difference.path, limit: SecretMasking.urlLimit))",
                wanted: wanted ?? "nothing",
                came: came,
                isMet: false,
                ignore: name == "body" ? IgnoredPlace(.json, difference.outerPath) : nil
            )
        }
        return parts.limited(to: limit)
    }

    private func form(
        _ fields: [RequestMatcher.Field],
        refusesOthers: Bool,
        judged: RequestFacts
    ) -> [MatchPart] {
        let form = self.shown.form
        func values(_ name: String, of request: RequestFacts) -> [String] {
            request.form.compactMap { $0.name == name ? $0.value : nil }
        }
        var parts = fields.map { field in
            let came = values(field.name, of: self.shown)
            let summary = field.value.summary
            let hides = SecretMasking.hides(field.name) && !SecretMention.isIn(summary)
            return MatchPart(
                name: "form \(field.name)",
                wanted: hides ? SecretMasking.hidden(field.value) : summary,
                came: came.isEmpty ? nil : SecretMasking.shown(came.joined(separator: ", "), name: field.name),
                isMet: field.value.matches(values(field.name, of: judged), scratch: self.request.scratch)
            )
        }
        if refusesOthers {
            let others = Set(form.map(\.name)).subtracting(fields.map(\.name)).sorted()
            parts += others.prefix(Self.unexpectedLimit).map { name in
                MatchPart(name: "form \(SecretMasking.short(name))", wanted: nil, came: "there", isMet: false)
            }
        }
        return parts
    }

    private func multipart(_ wanted: [BodyMatcher.Part], judged: RequestFacts) -> [MatchPart] {
        guard let body = self.shown.multipart, let judged = judged.multipart else {
            return [MatchPart(name: "body", wanted: "a multipart body", came: "none", isMet: false)]
        }
        return wanted.map { part in
            let found = body.parts.filter { $0.name == part.name }
            let contents = found.map { Self.shown($0.content) }.joined(separator: ", ")
            let others = [
                part.filename.map { "filename \($0.summary)" }, part.contentType.map { "type \($0.summary)" },
            ]
            let files = found.flatMap { [$0.filename, $0.contentType].compactMap { $0 } }
            let hides = SecretMasking.hides(part.name)
            return MatchPart(
                name: "part \(part.name)",
                wanted: hides
                    ? "another value, not shown"
                    : ([part.content.summary] + others.compactMap { $0 }).joined(separator: ", "),
                came: found.isEmpty ? nil : hides ? "(not shown)" : ([contents] + files).joined(separator: ", "),
                isMet: part.matches(judged, scratch: self.request.scratch)
            )
        }
    }

    private func graphQL(
        _ operation: ValueMatcher?,
        _ variables: JSONExpectation?,
        judged: RequestFacts
    ) -> [MatchPart] {
        let operations = self.shown.graphQL
        func isMeant(_ graphQL: GraphQLRequest) -> Bool {
            operation?.matches(graphQL.operationName.map { [$0] } ?? [], scratch: self.request.scratch) ?? true
        }
        let matching = judged.graphQL.filter(isMeant)
        let names = operations.map { $0.operationName ?? "one without a name" }.joined(separator: ", ")
        let part = MatchPart(
            name: "GraphQL operation",
            wanted: operation?.summary ?? "any",
            came: operations.isEmpty ? "no GraphQL" : SecretMasking.short(names),
            isMet: !matching.isEmpty
        )
        guard let variables, let first = matching.first else { return [part] }
        let shown = operations.first(where: isMeant)?.variables
        return [part]
            + self.json(variables, in: first.variables ?? .object([]), shown: shown, as: "GraphQL variables")
    }

    private static func summary(_ condition: Condition) -> String {
        guard case .body(_, let matcher) = condition else { return "a certain body" }
        switch matcher {
        case .bytes(let body): return body.content.isEmpty ? "no body" : self.shown(body.decoded)
        case .sha256(let digest): return "a body with SHA-256 \(digest.prefix(12))…"
        default: return "a certain JSON body"
        }
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "empty" }
        guard bytes.count <= 60, let text = String(validating: bytes, as: UTF8.self), !text.contains("\n"),
            !SecretMasking.conceals(text, false)
        else { return bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes" }
        return SecretMasking.visible(text)
    }
}

extension RequestFacts {
    /// The facts of a URL, or of a path and query, for which no request came.
    static func ofURL(_ bytes: [UInt8], part: URLProjection.Part) -> RequestFacts {
        var key = RequestKey()
        Array("GET".utf8).withUnsafeBytes { method in
            key.begin(method: method, origin: part == .url ? [] : Array("http://-".utf8))
        }
        key.appendCanonical(bytes)
        return RequestFacts(MatchRequest(key), scratch: PatternScratch())
    }
}
