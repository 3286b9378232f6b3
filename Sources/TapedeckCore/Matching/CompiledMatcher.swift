/// A request matcher, ready to be asked.
struct CompiledMatcher: Sendable {
    /// The condition on the URL.
    enum URLCondition: Sendable {
        case any
        /// These bytes, in canonical form.
        case exact([UInt8], URLProjection)
        case pattern(Pattern, URLProjection, isTemplate: Bool)
    }

    let methods: [String]
    let url: URLCondition
    let conditions: [Condition]
    /// True if the URL has a placeholder of a secret in it.
    let urlAsksForSecrets: Bool
    private let secretConditions: [Bool]
    /// The secrets that it names.
    let secretNames: Set<String>
    let all: [CompiledMatcher]
    let any: [CompiledMatcher]
    let not: [CompiledMatcher]

    /// - Parameter hasEscapes: true if texts of the matcher may have escapes in them: see ``PlaceholderEscape``.
    init(_ matcher: RequestMatcher, rules: MatchingRules = MatchingRules(), hasEscapes: Bool = false) {
        let parts = MatcherParts(matcher, rules: rules)
        self.methods = parts.methods
        let urlNames = parts.url.secretNames(written: matcher.url)
        self.urlAsksForSecrets = !urlNames.isEmpty
        let names = parts.conditions.map(\.secretNames)
        self.secretConditions = names.contains { !$0.isEmpty } ? names.map { !$0.isEmpty } : []
        let live = hasEscapes ? MatcherParts(matcher.unescaped, rules: rules) : parts
        self.url = urlNames.isEmpty ? live.url : parts.url
        self.conditions = zip(names, zip(parts.conditions, live.conditions)).map { names, conditions in
            names.isEmpty ? conditions.1 : conditions.0
        }
        func compiled(_ matcher: RequestMatcher) -> CompiledMatcher {
            CompiledMatcher(matcher, rules: rules, hasEscapes: hasEscapes)
        }
        self.all = matcher.all.map(compiled)
        self.any = matcher.any.map(compiled)
        self.not = matcher.not.map(compiled)
        let nested = (self.all + self.any + self.not).flatMap(\.secretNames)
        self.secretNames = Set(urlNames + names.joined() + nested)
    }

    /// The secrets in the conditions on each header field and cookie.
    var credentials: [(field: String, names: [String])] {
        let own: [(field: String, names: [String])] = self.conditions.compactMap { condition in
            switch condition {
            case .header(let field): (ASCII.lowercased(field.name), field.value.secretNames)
            case .cookie(let field): ("cookie:\(field.name)", field.value.secretNames)
            default: nil
            }
        }
        return own + self.nested.flatMap(\.credentials)
    }

    // MARK: Asking

    func matches(_ request: RequestFacts) -> Bool {
        self.takesMethod(request.method) && self.takesURL(request) && self.conditionsHold(request)
    }

    func takesMethod(_ method: String) -> Bool {
        self.methods.isEmpty || self.methods.contains(method)
    }

    func takesURL(_ request: RequestFacts) -> Bool {
        let request = request.view(asksForSecrets: self.urlAsksForSecrets)
        return switch self.url {
        case .any: true
        case .exact(let bytes, let projection): request.projected(projection) == bytes
        case .pattern(let pattern, let projection, _):
            request.projected(projection).withUnsafeBytes { pattern.match($0, scratch: request.scratch) } == .matched
        }
    }

    /// Everything but method and URL, which an index may have looked at already.
    func conditionsHold(_ request: RequestFacts) -> Bool {
        self.ownConditionsHold(request)
            && self.all.allSatisfy { $0.matches(request) }
            && (self.any.isEmpty || self.any.contains { $0.matches(request) })
            && !self.not.contains { $0.matches(request) }
    }

    private func ownConditionsHold(_ request: RequestFacts) -> Bool {
        guard !self.secretConditions.isEmpty else { return self.conditions.allSatisfy { $0.holds(for: request) } }
        return zip(self.conditions, self.secretConditions).allSatisfy { condition, asksForSecrets in
            condition.holds(for: request.view(asksForSecrets: asksForSecrets))
        }
    }

    /// Returns true if the messages of a call that come after the first `count`, which are those of `request`, meet the condition
    /// on messages as well; see ``MessagesCondition/goesOn(_:after:isWhole:)``.
    func goesOn(_ request: RequestFacts, after count: Int, isWhole: Bool) -> Bool {
        self.conditions.indices.allSatisfy { number in
            guard case .messages(let condition) = self.conditions[number] else { return true }
            let request = request.view(asksForSecrets: self.asksForSecrets(condition: number))
            return condition.goesOn(request, after: count, isWhole: isWhole)
        }
    }

    /// Returns true if the condition of that number has a placeholder of a secret.
    func asksForSecrets(condition number: Int) -> Bool {
        !self.secretConditions.isEmpty && self.secretConditions[number]
    }

    /// True if it requires a digest of the body.
    var asksForDigest: Bool {
        self.conditions.contains(where: \.isDigest) || self.nested.contains(where: \.asksForDigest)
    }

    /// True if it consists of method and URL only.
    var hasNoConditions: Bool {
        self.conditions.isEmpty && self.all.isEmpty && self.any.isEmpty && self.not.isEmpty
    }

    /// The one condition of a matcher that requires a certain body and nothing else in addition to method and URL.
    var identity: BodyMatcher.Identity? {
        guard self.conditions.count == 1, self.all.isEmpty, self.any.isEmpty, self.not.isEmpty else { return nil }
        if case .body(let identity, _) = self.conditions[0] { return identity }
        return nil
    }

    /// The condition on the messages of a call; `nil` for any other request.
    var messages: MessagesCondition? {
        for case .messages(let condition) in self.conditions { return condition }
        return nil
    }

    var needsBody: Bool {
        self.conditions.contains(where: \.isAboutBody) || self.nested.contains(where: \.needsBody)
    }

    var asksForFields: Bool {
        self.conditions.contains(where: \.asksForFields) || self.nested.contains(where: \.asksForFields)
    }

    private var nested: [CompiledMatcher] { self.all + self.any + self.not }

    /// Returns the URL's captures in this request; empty if it has none.
    func captures(_ request: RequestFacts) -> [String: String] {
        guard case .pattern(let pattern, let projection, _) = self.url else { return [:] }
        let found = request.projected(projection).withUnsafeBytes { pattern.captures($0, scratch: request.scratch) }
        return (found ?? [:]).mapValues { ByteText.string(from: PercentEncoding.decoded($0)) }
    }

    // MARK: Order

    /// The rank of the URL's kind; smaller wins (exact, template, pattern, none).
    var urlRank: Int {
        switch self.url {
        case .exact: 0
        case .pattern(_, _, let isTemplate): isTemplate ? 1 : 2
        case .any: 3
        }
    }

    /// The number of conditions; more wins.
    var conditionCount: Int {
        var count = self.methods.isEmpty ? 0 : 1
        switch self.url {
        case .any: break
        case .exact(let bytes, let projection):
            count += projection.part == .target ? 0 : 1
            if projection.query != .none { count += 1 + bytes.count { $0 == ASCII.equals || $0 == ASCII.ampersand } }
        case .pattern(_, let projection, _): count += projection.part == .target ? 0 : 1
        }
        count += self.conditions.count
        // All values of a field are more than one of them.
        count += self.conditions.count { condition in
            guard case .header(let field) = condition else { return false }
            return switch field.value {
            case .values, .valuesInAnyOrder: true
            default: false
            }
        }
        if let messages = self.messages, !messages.isOpen { count += 1 }
        count += self.all.reduce(0) { $0 + $1.conditionCount }
        count += self.any.map(\.conditionCount).max() ?? 0
        return count + self.not.count
    }
}

extension CompiledMatcher.URLCondition {
    /// The secrets that it names.
    fileprivate func secretNames(written: URLMatcher) -> [String] {
        switch (self, written) {
        case (.exact(let bytes, _), _): SecretMention.names(in: bytes)
        case (.pattern, .template(let template)): SecretMention.names(in: template.source)
        case (.pattern(let pattern, _, _), _): SecretMention.names(inPattern: pattern.source)
        case (.any, _): []
        }
    }
}
