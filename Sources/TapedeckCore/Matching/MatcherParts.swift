/// The conditions of a matcher after the rules of its cassette are applied.
struct MatcherParts {
    private(set) var methods: [String]
    private(set) var url = CompiledMatcher.URLCondition.any
    private(set) var conditions: [Condition] = []

    init(_ matcher: RequestMatcher, rules: MatchingRules) {
        self.methods = matcher.methods
        switch matcher.url {
        case .any:
            break
        case .exact(let url):
            if !rules.counts(.method) { self.methods = [] }
            self.addExact(target: url.target, origin: url.origin, matcher, rules)
        case .exactPath(let target):
            if !rules.counts(.method) { self.methods = [] }
            self.addExact(target: target, origin: nil, matcher, rules)
        case .template(let template):
            self.addTemplate(template, isPathOnly: matcher.url.isPathOnly, rules)
        case .pattern(let pattern):
            let query = Self.query(ignoring: rules.ignoredQuery)
            let projection = URLProjection(part: matcher.url.isPathOnly ? .target : .url, query: query)
            self.url = .pattern(pattern, projection, isTemplate: false)
        }
        if matcher.isGRPC { self.conditions.append(.call) }
        if let host = matcher.host { self.conditions.append(.host(host)) }
        if !matcher.url.isExact { self.addQuery(matcher, rules, knownBesides: []) }
        self.conditions += matcher.headers
            .filter { field in !rules.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, field.name) } }
            .map(Condition.header)
        self.conditions += matcher.cookies.map(Condition.cookie)
        self.addBody(matcher, rules)
        self.conditions += matcher.state.map(Condition.state)
    }

    private static func query(ignoring names: [String]) -> URLProjection.Query {
        names.isEmpty ? .all : .except(names.sorted())
    }

    // MARK: Exact

    private mutating func addExact(
        target: String,
        origin: Origin?,
        _ matcher: RequestMatcher,
        _ rules: MatchingRules
    ) {
        let origin = rules.counts(.origin) ? origin : nil
        guard rules.counts(.path) else {
            let projection = URLProjection(part: .origin, query: .none)
            if let origin { self.url = .exact(Array("\(origin)/".utf8), projection) }
            return
        }
        let looksAtParameters = !matcher.query.isEmpty || matcher.refusesOtherQuery == false
        let query: URLProjection.Query
        if !rules.counts(.query) {
            query = .none
        } else {
            let signed = SignedURL(target: target)
            let ignored = rules.ignoredQuery + (signed?.names ?? [])
            if let signed { self.conditions.append(.query(RequestMatcher.Field(signed.signature, .present))) }
            if looksAtParameters {
                query = .none
                self.addQueryOfExact(target, matcher, rules, ignoring: ignored)
            } else {
                query = Self.query(ignoring: ignored)
            }
        }
        let projection = URLProjection(part: origin == nil ? .target : .url, query: query)
        let whole = AbsoluteURL(origin: origin ?? Origin(scheme: .http, host: "-"), target: target)
        let facts = RequestFacts(MatchRequest(RequestKey(method: nil, url: whole)), scratch: PatternScratch())
        self.url = .exact(facts.projected(projection), projection)
    }

    /// Turns the parameters of the URL into conditions, in addition to the existing ones.
    private mutating func addQueryOfExact(
        _ target: String,
        _ matcher: RequestMatcher,
        _ rules: MatchingRules,
        ignoring ignored: [String]
    ) {
        let own = QueryText.parameters(of: ByteText.bytes(of: target)[...]).filter { !ignored.contains($0.name) }
        var names: [String] = []
        for name in own.map(\.name) where !names.contains(name) {
            names.append(name)
            let values = own.compactMap { $0.name == name ? $0.value : nil }
            self.conditions.append(.query(RequestMatcher.Field(name, .values(values))))
        }
        self.addQuery(matcher, rules, knownBesides: names + ignored)
    }

    // MARK: Others

    private mutating func addTemplate(_ template: URLTemplate, isPathOnly: Bool, _ rules: MatchingRules) {
        // `https://{tenant}.example.com`: every path there.
        let isOriginOnly = !isPathOnly && !template.source.dropFirst("https://".count).contains("/")
        let part: URLProjection.Part = isPathOnly ? .target : isOriginOnly ? .origin : .url
        let query = template.hasQuery ? Self.query(ignoring: rules.ignoredQuery) : .none
        self.url = .pattern(template.pattern, URLProjection(part: part, query: query), isTemplate: true)
    }

    private mutating func addQuery(_ matcher: RequestMatcher, _ rules: MatchingRules, knownBesides names: [String]) {
        guard rules.counts(.query) || !matcher.url.isExact else { return }
        var fields = matcher.query.filter { !rules.ignoredQuery.contains($0.name) }
        for index in fields.indices { fields[index].ignoresNameCase = matcher.ignoresQueryNameCase }
        self.conditions += fields.map(Condition.query)
        // A template with a query allows no other parameters.
        if case .template(let template) = matcher.url, template.hasQuery { return }
        if matcher.refusesOtherQuery ?? matcher.url.isExact {
            self.conditions.append(.onlyQuery(Set(names + matcher.query.map(\.name) + rules.ignoredQuery)))
        }
    }

    private mutating func addBody(_ matcher: RequestMatcher, _ rules: MatchingRules) {
        guard rules.counts(.body) || !matcher.url.isExact else { return }
        for body in matcher.body {
            if case .json(let expected, var comparison) = body, !rules.ignoredJSON.isEmpty {
                comparison.ignoredPaths += rules.ignoredJSON
                self.conditions.append(Condition(.json(expected, comparison)))
            } else if case .xml(let expected, let ignored) = body, !rules.ignoredXML.isEmpty {
                self.conditions.append(Condition(.xml(expected, ignoring: ignored + rules.ignoredXML)))
            } else if case .bytes(let expected) = body, !rules.ignoredFields.isEmpty {
                let counting = CanonicalBody.counting(expected.decoded, ignoring: rules.ignoredFields)
                self.conditions.append(
                    counting == expected.decoded
                        ? Condition(body) : .canonical(counting, ignoring: rules.ignoredFields)
                )
            } else if case .messages(let matcher) = body {
                self.conditions.append(Condition(.messages(matcher.counting(rules))))
            } else {
                self.conditions.append(Condition(body))
            }
        }
    }
}

extension URLMatcher {
    var isExact: Bool {
        switch self {
        case .exact, .exactPath: true
        case .any, .template, .pattern: false
        }
    }
}
