import TapedeckCassettes
import TapedeckCore

extension RandomCassette {
    private static let patterns = [
        "https://a\\.test/(?<id>[^/]+)", "/x/(\\d+)", "^/a", "it's", "a: b", "\\{\\}", "[#]", "-x", "é+", "(?i)a|b",
    ]
    private static let templates = [
        "https://a.test/users/{id}", "/users/{id}/{+rest}", "http://b.test:81", "/x?page={page}&a=1", "/it's/{a_1}",
    ]

    private mutating func pattern(_ scope: Pattern.Scope) -> Pattern {
        let source = self.one(of: Self.patterns)
        let ignoresCase = self.one(of: [false, false, true])
        return (try? Pattern(source, scope: scope, ignoresCase: ignoresCase)) ?? self.pattern(scope)
    }

    private mutating func template() -> URLTemplate {
        (try? URLTemplate(self.one(of: Self.templates))) ?? self.template()
    }

    /// The matcher of a set.
    mutating func matcher() -> RequestMatcher {
        var matcher = self.condition(depth: 0, isSet: true)
        while matcher.url == .any, matcher.host == nil { matcher = self.condition(depth: 0, isSet: true) }
        return matcher
    }

    /// A matcher that says something.
    mutating func condition(depth: Int, isSet: Bool = false) -> RequestMatcher {
        var matcher = RequestMatcher()
        matcher.methods = self.one(of: [[], ["GET"], ["NO", "1E3"], ["~"]])
        matcher.url = self.url()
        matcher.refusesOtherQuery = self.one(of: [nil, nil, true, false])
        // The query of a template allows no other.
        if case .template(let template) = matcher.url, template.hasQuery, matcher.refusesOtherQuery == false {
            matcher.refusesOtherQuery = nil
        }
        let isExact = matcher.url.isExactURL
        matcher.query = self.list(0...2) { random in
            random.value(allowsPlain: !isExact || matcher.refusesOtherQuery == false)
        }
        .map { RequestMatcher.Field("", $0) }
        matcher.query = self.named(matcher.query) { $0.one(of: Self.awkward) }
        if isExact, matcher.refusesOtherQuery == false { matcher.url = matcher.url.withoutQuery }
        if matcher.url == .any || matcher.url.isPathOnly {
            matcher.host = self.maybe { random in
                random.maybe { .pattern($0.pattern(.whole)) }
                    ?? .names(random.one(of: [["a.test"], ["*.a.test", "[::1]:81", "b.test:8443"]]))
            }
        }
        matcher.headers = self.named(self.fields()) { $0.one(of: Self.names) }
        matcher.cookies = self.named(self.fields()) { $0.one(of: Self.awkward) }
        matcher.body = self.maybe { $0.bodyConditions() } ?? []
        matcher.state = self.state()
        if depth < 2, Int.random(in: 0...2, using: &self.generator) == 0 {
            matcher.all = self.list(0...1) { $0.condition(depth: depth + 1) }
            matcher.any = self.list(0...2) { $0.condition(depth: depth + 1) }
            matcher.not = self.list(0...2) { $0.condition(depth: depth + 1) }
        }
        return !isSet && matcher == RequestMatcher() ? RequestMatcher(methods: ["GET"]) : matcher
    }

    private mutating func url() -> URLMatcher {
        var target = "/"
        if Bool.random(using: &self.generator) {
            // As it goes over the wire.
            target += QueryText.encoded(self.text())
        }
        switch Int.random(in: 0...5, using: &self.generator) {
        case 0: return .any
        case 1: return .template(self.template())
        case 2: return .pattern(self.pattern(.whole))
        case 3: return .exactPath(target)
        default:
            let origin = Origin(
                scheme: self.one(of: [.http, .https]),
                host: self.one(of: ["a.test", "::1"]),
                port: self.maybe { _ in 81 }
            )
            return .exact(AbsoluteURL(origin: origin, target: target))
        }
    }

    // MARK: Values

    private mutating func fields() -> [RequestMatcher.Field] {
        self.list(0...2) { RequestMatcher.Field("", $0.value()) }
    }

    /// The fields with names that are all different.
    private mutating func named(
        _ fields: [RequestMatcher.Field],
        _ name: (inout Self) -> String
    ) -> [RequestMatcher.Field] {
        let names = self.distinct(fields.count...fields.count, name)
        return zip(names, fields).map { RequestMatcher.Field($0, $1.value) }
    }

    private mutating func value(allowsPlain: Bool = true) -> ValueMatcher {
        if allowsPlain, Bool.random(using: &self.generator) {
            return self.maybe { .equals($0.one(of: Self.awkward)) }
                ?? .values(self.list(1...3) { $0.one(of: Self.awkward) })
        }
        var kinds = [0, 1, 2, 3, 4, 5, 6, 7, 8].shuffled(using: &self.generator)
        guard self.one(of: [false, false, true]) else { return self.condition(kinds[0]) }
        kinds.append(9)
        return .all(kinds.shuffled(using: &self.generator).prefix(2).map { self.condition($0) })
    }

    /// One of the kinds of condition; two of different kinds are different.
    private mutating func condition(_ kind: Int) -> ValueMatcher {
        switch kind {
        case 0: .oneOf(self.list(1...3) { $0.one(of: Self.awkward) })
        case 1: .contains(self.text())
        case 2: .prefix(self.text())
        case 3: .suffix(self.text())
        case 4: .pattern(self.pattern(.anywhere))
        case 5: .greaterThan(JSONNumber(Int.random(in: -9...9, using: &self.generator)))
        case 6: .lessThan(JSONNumber("1.50e3") ?? JSONNumber(1))
        case 7: self.one(of: [.present, .absent])
        case 8: .not(self.value())
        default: self.one(of: [.equals(self.one(of: Self.awkward)), .values([self.text()])])
        }
    }

    // MARK: Bodies

    private mutating func bodyConditions() -> [BodyMatcher] {
        if Int.random(in: 0...5, using: &self.generator) == 0 {
            return [.sha256(TestDigest.digest([UInt8.random(in: 0...255, using: &self.generator)]))]
        }
        let kinds = (0...7).shuffled(using: &self.generator)
        return kinds.prefix(self.one(of: [1, 1, 2, 8])).flatMap { self.bodyCondition($0) }
    }

    private mutating func bodyCondition(_ kind: Int) -> [BodyMatcher] {
        switch kind {
        case 0:
            let bytes = self.one(of: [InlineBody(form: .text, content: []), self.inline(.text, coding: nil)])
            return [self.one(of: [.bytes(bytes), .text(self.value(allowsPlain: false))])]
        case 1: return [.bytes(self.inline(.base64, coding: nil))]
        case 2:
            let comparison = JSONComparison(
                ignoredPaths: self.list(0...2) { $0.path() },
                ignoresArrayOrder: Bool.random(using: &self.generator)
            )
            var body = self.json()
            body.layout = self.maybe { $0.one(of: JSONLayout.allCases) }
            return [.json(body, comparison)]
        case 3: return [.jsonSubset(self.json())]
        case 4:
            let paths = self.distinct(1...3) { $0.path().description }.compactMap { try? JSONPath($0) }
            return paths.map { .jsonPath($0, self.test()) }
        case 5:
            let fields = self.named(self.fields()) { $0.one(of: Self.awkward) }
            return [.form(fields, refusesOthers: Bool.random(using: &self.generator))]
        case 6:
            return [
                .multipart(
                    self.distinct(0...2) { $0.one(of: Self.awkward) }.map { name in
                        BodyMatcher.Part(
                            name: name,
                            content: self.maybe { $0.value() } ?? .present,
                            filename: self.maybe { $0.value() },
                            contentType: self.maybe { $0.value() }
                        )
                    }
                )
            ]
        default:
            let operation = self.maybe { $0.value() }
            let variables = self.maybe { $0.json() }
            return [.graphQL(operation: operation ?? (variables == nil ? .present : nil), variables: variables)]
        }
    }

    private mutating func test() -> JSONTest {
        switch Int.random(in: 0...4, using: &self.generator) {
        case 0: .count(Int.random(in: 0...9, using: &self.generator))
        case 1: .type(self.one(of: JSONType.allCases))
        case 2: .all([.type(.string), .value(.prefix(self.text())), .count(2)])
        case 3: .value(.equals(self.one(of: ["1", "-1.50", "true", "null", "x", ""])))
        default:
            switch self.value() {
            case .all(let parts): .all(parts.map(JSONTest.value))
            case let value: .value(value)
            }
        }
    }

    private mutating func json() -> InlineBody {
        let value = self.jsonValue(depth: 0).compactText
        let readable = value.withUnsafeBytes { JSONLayout.readable($0)?.text }
        return InlineBody(form: .json, content: self.maybe { _ in readable ?? value } ?? value)
    }

    mutating func jsonValue(depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth < 3 ? 5 : 3), using: &self.generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self.generator))
        case 2: .number(JSONNumber(Int.random(in: -99...99, using: &self.generator)))
        case 3: .string(self.one(of: Self.awkward))
        case 4: .array(self.list(0...3) { $0.jsonValue(depth: depth + 1) })
        default:
            .object(
                self.distinct(0...3) { $0.one(of: Self.awkward) }
                    .map { JSONMember(name: $0, value: self.jsonValue(depth: depth + 1)) }
            )
        }
    }
}

extension URLMatcher {
    fileprivate var isExactURL: Bool {
        switch self {
        case .exact, .exactPath: true
        case .any, .template, .pattern: false
        }
    }

    fileprivate var withoutQuery: URLMatcher {
        switch self {
        case .exact(let url): .exact(AbsoluteURL(origin: url.origin, target: url.path))
        case .exactPath(let target): .exactPath(String(target.prefix { $0 != "?" }))
        case .any, .template, .pattern: self
        }
    }
}
