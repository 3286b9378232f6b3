package import TapedeckCore

/// Identifies the sets of a recording: equal for two sets that answer the same requests.
package struct RecordedShape: Hashable {
    var key: RequestKey
    /// `nil` where any body will do.
    var body: BodyMatcher.Identity?
    /// By the names in lower case.
    var headers: [String: FieldValue]

    /// The condition on a field.
    enum FieldValue: Hashable {
        /// One of its values is equal.
        case one(String)
        /// Its values are just these.
        case list([String])
        case absent

        /// `nil` for a condition that no recording writes.
        init?(_ matcher: ValueMatcher) {
            switch matcher {
            case .equals(let text): self = .one(text)
            case .values(let texts): self = .list(texts)
            case .absent: self = .absent
            default: return nil
            }
        }
    }

    init(key: RequestKey, body: BodyMatcher.Identity?, headers: [RequestMatcher.Field]) {
        self.key = key
        self.body = body
        self.headers = [:]
        for field in headers {
            self.headers[ASCII.lowercased(field.name)] = FieldValue(field.value)
        }
    }

    /// Returns the shape of a set, if it is of the kind that a recording writes; `nil` for other sets, which a person
    /// wrote or changed.
    package init?(_ set: ResponseSet, rules: MatchingRules) {
        let matcher = set.request
        let counting = matcher.headers.filter { field in
            !rules.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, field.name) }
        }
        guard let request = RecordedRequest(matcher, rules: rules), !rules.counts(.method) || request.method != nil,
            set.requires.isEmpty, matcher.hasNothingElse,
            counting.isEmpty || rules.counts(.headers),
            counting.allSatisfy({ RecordedCondition.counts(field: $0.name) && FieldValue($0.value) != nil })
        else { return nil }
        var body: BodyMatcher.Identity?
        if let condition = matcher.body.first, rules.counts(.body) {
            guard let identity = condition.recordedIdentity(rules) else { return nil }
            body = identity
        }
        self.init(key: request.key, body: body, headers: counting)
    }
}

extension RequestMatcher {
    /// True if its only conditions are method, URL, header fields and one body.
    fileprivate var hasNothingElse: Bool {
        self.host == nil && self.query.isEmpty && self.refusesOtherQuery != false && self.cookies.isEmpty
            && self.state.isEmpty && self.all.isEmpty && self.any.isEmpty && self.not.isEmpty && self.body.count <= 1
    }
}

extension BodyMatcher {
    /// Returns the identity of a condition without its own rules; `nil` for any other.
    func recordedIdentity(_ rules: MatchingRules) -> Identity? {
        switch self {
        case .bytes, .sha256: self.identity
        case .messages(let matcher): BodyMatcher.messages(matcher.counting(rules)).identity
        case .json(let body, JSONComparison()): BodyMatcher.json(body, rules.jsonComparison).identity
        default: nil
        }
    }
}
