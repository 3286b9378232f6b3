package import TapedeckCore

/// Identifies the sets of a recording: equal for two sets that answer the same requests.
package struct RecordedShape: Hashable {
    var key: RequestKey
    /// `nil` where any body will do.
    var body: BodyMatcher.Identity?
    /// By the names in lower case; cookies by `cookie:NAME`.
    var headers: [String: FieldValue]

    /// The beginning of a cookie's name among header fields, none of which has a colon.
    static let cookie = "cookie:"

    /// The condition on a field.
    enum FieldValue: Hashable {
        /// One of its values is equal.
        case one(String)
        /// Its values are just these.
        case list([String])
        case absent

        /// True if it names secrets.
        var isCredential: Bool {
            switch self {
            case .one(let text): !SecretPlaceholder.all(in: text).isEmpty
            case .list(let texts): texts.allSatisfy { !SecretPlaceholder.all(in: $0).isEmpty }
            case .absent: false
            }
        }

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

    init(
        key: RequestKey,
        body: BodyMatcher.Identity?,
        headers: [RequestMatcher.Field],
        cookies: [RequestMatcher.Field] = []
    ) {
        self.key = key
        self.body = body
        self.headers = [:]
        for field in cookies { self.headers[Self.cookie + field.name] = FieldValue(field.value) }
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
            counting.isEmpty && matcher.cookies.isEmpty || rules.parts == nil || rules.counts(.headers),
            counting.allSatisfy({ RecordedCondition.counts(field: $0.name) || Self.isOfCredential($0) }),
            (counting + matcher.cookies).allSatisfy({ FieldValue($0.value) != nil })
        else { return nil }
        var body: BodyMatcher.Identity?
        if let condition = matcher.body.first, rules.counts(.body) {
            guard let identity = condition.recordedIdentity(rules) else { return nil }
            body = identity
        }
        self.init(key: request.key, body: body, headers: counting, cookies: matcher.cookies)
    }

    /// Equal for sets that differ in their credentials alone.
    var withoutCredentials: RecordedShape {
        var shape = self
        shape.headers = shape.headers.filter { !$0.value.isCredential }
        return shape
    }

    /// Returns true for the conditions that recordings write on credentials: a placeholder, or none.
    private static func isOfCredential(_ field: RequestMatcher.Field) -> Bool {
        FieldValue(field.value).map { $0.isCredential || $0 == .absent } ?? false
    }
}

extension RequestMatcher {
    /// True if a header field or cookie is to be a secret.
    var mentionsCredential: Bool {
        (self.headers + self.cookies).contains { RecordedShape.FieldValue($0.value)?.isCredential ?? false }
    }

    /// True if its only conditions are method, URL, header fields, cookies and one body.
    fileprivate var hasNothingElse: Bool {
        self.host == nil && self.query.isEmpty && self.refusesOtherQuery != false
            && self.state.isEmpty && self.all.isEmpty && self.any.isEmpty && self.not.isEmpty && self.body.count <= 1
    }
}

extension BodyMatcher {
    /// Returns the identity of a condition without its own rules; `nil` for any other.
    func recordedIdentity(_ rules: MatchingRules) -> Identity? {
        switch self {
        case .bytes(let body) where !rules.ignoredFields.isEmpty:
            BodyMatcher.bytes(
                InlineBody(
                    form: body.form,
                    content: CanonicalBody.counting(body.decoded, ignoring: rules.ignoredFields)
                )
            ).identity
        case .bytes, .sha256: self.identity
        case .xml(let body, ignoring: []): BodyMatcher.xml(body, ignoring: rules.ignoredXML).identity
        case .messages(let matcher): BodyMatcher.messages(matcher.counting(rules)).identity
        case .json(let body, JSONComparison()): BodyMatcher.json(body, rules.jsonComparison).identity
        default: nil
        }
    }
}
