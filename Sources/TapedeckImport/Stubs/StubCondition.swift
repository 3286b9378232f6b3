import TapedeckCore

/// A condition on a request that is built up from parts, some of which every request meets, or none.
enum StubCondition: Equatable {
    case always
    case never
    case request(RequestMatcher)

    /// A condition on header fields, cookies or the query.
    static func field(
        _ place: WritableKeyPath<RequestMatcher, [RequestMatcher.Field]>,
        _ name: String,
        _ value: ValueMatcher
    ) -> StubCondition {
        var matcher = RequestMatcher()
        matcher[keyPath: place] = [RequestMatcher.Field(name, value)]
        return .request(matcher)
    }

    static func body(_ body: BodyMatcher...) -> StubCondition { .request(RequestMatcher(body: body)) }

    /// A pattern for path and query, which begins with a slash.
    static func url(_ source: String, ignoresCase: Bool, line: Int) throws(LeftOut) -> StubCondition {
        let pattern = try StubParts.pattern(source, .whole, ignoresCase: ignoresCase, line: line)
        return .request(RequestMatcher(url: .pattern(pattern)))
    }

    /// The opposite of the condition.
    var inverted: StubCondition {
        switch self {
        case .always: .never
        case .never: .always
        case .request(let matcher):
            // Twice inverted it is as it was.
            if matcher.not.count == 1, matcher == RequestMatcher(not: matcher.not) {
                .request(matcher.not[0])
            } else {
                .request(RequestMatcher(not: [matcher]))
            }
        }
    }

    /// Returns a condition that requires all of several.
    static func all(_ conditions: [StubCondition]) -> StubCondition {
        var matcher = RequestMatcher()
        for condition in conditions {
            switch condition {
            case .always: continue
            case .never: return .never
            case .request(let part): matcher.require(part)
            }
        }
        return matcher == RequestMatcher() ? .always : .request(matcher)
    }

    /// Returns a condition that requires at least one of several.
    static func any(_ conditions: [StubCondition]) -> StubCondition {
        var matchers: [RequestMatcher] = []
        for condition in conditions {
            switch condition {
            case .always: return .always
            case .never: continue
            case .request(let matcher): if !matchers.contains(matcher) { matchers.append(matcher) }
            }
        }
        if matchers.isEmpty { return .never }
        return .request(matchers.count == 1 ? matchers[0] : RequestMatcher(any: matchers))
    }

    /// The reason for which a stub is left out that no request gets.
    static let neverHolds = "no request meets its conditions"

    /// The matcher of a response set, which must say something of the URL.
    ///
    /// - Throws: for a condition that no request meets.
    func matcher(line: Int) throws(LeftOut) -> RequestMatcher {
        var result = RequestMatcher()
        switch self {
        case .always: break
        case .never: throw LeftOut(Self.neverHolds, line: line)
        case .request(let matcher): result = matcher
        }
        if result.url == .any { result.url = .pattern(try StubParts.pattern("/.*", .whole, line: line)) }
        return result
    }
}

extension RequestMatcher {
    /// Adds the conditions of another matcher: side by side where a cassette can write both, else as one of `all`.
    mutating func require(_ other: RequestMatcher) {
        guard self != RequestMatcher() else {
            self = other
            return
        }
        guard self.canHold(other) else {
            self.all.append(other)
            return
        }
        if !other.methods.isEmpty { self.methods = other.methods }
        if other.url != .any { (self.url, self.refusesOtherQuery) = (other.url, other.refusesOtherQuery) }
        self.query += other.query
        self.headers += other.headers
        self.cookies += other.cookies
        self.body += other.body
        self.all += other.all
        if !other.any.isEmpty { self.any = other.any }
        self.not += other.not
    }

    private func canHold(_ other: RequestMatcher) -> Bool {
        if !self.methods.isEmpty, !other.methods.isEmpty { return false }
        if self.url != .any, other.url != .any { return false }
        if self.url != .any || other.url != .any, !(self.query + other.query).isEmpty {
            // With an exact URL the query is a part of the URL unless other parameters are allowed.
            let refuses = self.url != .any ? self.refusesOtherQuery : other.refusesOtherQuery
            let isPattern = [self.url, other.url].contains { if case .pattern = $0 { true } else { false } }
            if !isPattern, refuses != false { return false }
        }
        if !self.any.isEmpty, !other.any.isEmpty { return false }
        func differ(_ fields: [Field], _ others: [Field]) -> Bool {
            let names = Set(fields.map { ASCII.lowercased($0.name) })
            return !others.contains { names.contains(ASCII.lowercased($0.name)) }
        }
        let areFieldsFree =
            differ(self.query, other.query) && differ(self.headers, other.headers)
            && differ(self.cookies, other.cookies)
        return areFieldsFree && !other.body.contains { part in self.body.contains { $0.isWritten(like: part) } }
    }
}

extension BodyMatcher {
    /// True if a cassette has one key for both.
    fileprivate func isWritten(like other: BodyMatcher) -> Bool {
        switch (self, other) {
        case (.text, .text), (.json, .json), (.jsonSubset, .jsonSubset), (.form, .form), (.bytes, .bytes),
            (.xml, .xml), (.multipart, .multipart):
            true
        case (.jsonPath(let path, _), .jsonPath(let other, _)): path == other
        default: false
        }
    }
}
