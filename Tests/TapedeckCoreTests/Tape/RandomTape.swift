@testable import TapedeckCore

/// Makes cassettes and requests that often, but not always, fit together.
struct RandomTape {
    private var generator: SeededRandom
    private static let methods = ["GET", "POST", "PUT"]
    private static let hosts = ["https://a.test", "https://b.test", "http://a.test:8080"]
    private static let paths = ["/", "/users", "/users/1", "/users/2/repos", "/search", "/a%2Fb"]
    private static let names = ["q", "page", "ts"]
    private static let values = ["1", "2", "swift", "a b"]
    private static let headers = ["accept", "x-plan"]
    private static let jsonBodies = [#"{"a": 1, "b": [1, 2]}"#, #"{"a": 2}"#, #"{"b": [2, 1], "a": 1}"#, "[]", "{}"]
    private static let texts = ["", "x", "a=1&b=2", "plain"]
    private static let templates = [
        "https://a.test/users/{id}", "/users/{id}/repos", "https://{host}/search", "https://a.test", "/{+rest}",
        "https://b.test/users/{id}?page={page}",
    ]
    private static let patterns = [
        "https://[ab]\\.test/users/[0-9]+", "/users/(?<id>\\d)(/repos)?", ".*q=swift.*", "/search(\\?.*)?",
        "https?://a\\.test(:8080)?/.*", "(?i)HTTPS://A\\.TEST/USERS.*",
    ]

    /// True if sets have conditions on the text of a body, which JSON can spell in several ways.
    private let asksForText: Bool

    /// Compiled once: that takes longer than all else here.
    private let urls: (templates: [URLMatcher], patterns: [URLMatcher])

    init(seed: UInt64, asksForText: Bool = true) throws {
        self.generator = SeededRandom(seed: seed)
        self.asksForText = asksForText
        self.urls = (try Self.templates.map(Samples.template), try Self.patterns.map(Samples.pattern))
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self.generator)]
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &self.generator) == 0
    }

    // MARK: Cassettes

    mutating func cassettes() throws -> [Cassette] {
        try (0..<Int.random(in: 1...2, using: &self.generator)).map { number in
            var sets: [ResponseSet] = []
            for index in 0..<Int.random(in: 0...14, using: &self.generator) {
                sets.append(try self.set("\(number)-\(index)"))
            }
            return Cassette(name: "\(number)", matching: try self.rules(), responseSets: sets)
        }
    }

    private mutating func rules() throws -> MatchingRules {
        guard self.chance(3) else { return MatchingRules() }
        return MatchingRules(
            parts: self.chance(2)
                ? nil
                : self.pick([[.method, .url], [.method, .path], [.url, .body], [.method, .origin, .path, .body]]),
            ignoredQuery: self.chance(2) ? ["ts"] : [],
            ignoredHeaders: self.chance(3) ? ["Accept"] : [],
            ignoredJSON: self.chance(3) ? [try JSONPath("$.a")] : []
        )
    }

    private mutating func set(_ name: String) throws -> ResponseSet {
        Samples.set(
            name,
            try self.matcher(depth: 0),
            priority: self.chance(6) ? Int.random(in: -1...1, using: &self.generator) : 0,
            requires: self.chance(8) ? [StateEntry("cart", self.chance(2) ? nil : "full")] : []
        )
    }

    private mutating func matcher(depth: Int) throws -> RequestMatcher {
        var matcher = RequestMatcher()
        if !self.chance(4) { matcher.methods = [self.pick(Self.methods)] }
        if self.chance(8) { matcher.methods.append("PATCH") }
        switch Int.random(in: 0..<(depth == 0 ? 10 : 14), using: &self.generator) {
        case 0...4: matcher.url = .exact(try Samples.url(self.url()))
        case 5: matcher.url = .exactPath(self.path())
        case 6, 7: matcher.url = self.pick(self.urls.templates)
        case 8: matcher.url = self.pick(self.urls.patterns)
        default: matcher.host = .names([self.pick(["a.test", "b.test", "*.test", "a.test:8080"])])
        }
        if self.chance(5) { matcher.query = [RequestMatcher.Field(self.pick(Self.names), self.value())] }
        if self.chance(8) { matcher.refusesOtherQuery = self.chance(2) }
        if self.chance(6) { matcher.headers = [RequestMatcher.Field(self.pick(Self.headers), self.value())] }
        if self.chance(10) { matcher.cookies = [RequestMatcher.Field("sid", self.value())] }
        if self.chance(3) { matcher.body = [try self.body()] }
        if depth == 0, self.chance(10) { matcher.any = [try self.matcher(depth: 1), try self.matcher(depth: 1)] }
        if depth == 0, self.chance(12) { matcher.not = [try self.matcher(depth: 1)] }
        if depth == 0, self.chance(16) { matcher.all = [try self.matcher(depth: 1)] }
        return matcher
    }

    private mutating func value() -> ValueMatcher {
        switch Int.random(in: 0..<8, using: &self.generator) {
        case 0: .present
        case 1: .absent
        case 2: .oneOf(["1", "swift"])
        case 3: .not(.equals(self.pick(Self.values)))
        case 4: .prefix("s")
        default: .equals(self.pick(Self.values))
        }
    }

    private mutating func body() throws -> BodyMatcher {
        switch Int.random(in: 0..<(self.asksForText ? 10 : 6), using: &self.generator) {
        case 0...3: return Samples.json(self.pick(Self.jsonBodies))
        case 4: return .jsonSubset(InlineBody(form: .json, content: Array(#"{"a": 1}"#.utf8)))
        case 5: return .jsonPath(try JSONPath("$.a"), .value(.equals("1")))
        case 6, 7: return Samples.text(self.pick(Self.texts))
        case 8: return .form([RequestMatcher.Field("a", .equals("1"))], refusesOthers: self.chance(2))
        default: return .text(.contains("1"))
        }
    }

    // MARK: Requests

    private mutating func path() -> String {
        self.pick(Self.paths) + self.query()
    }

    private mutating func url() -> String {
        self.pick(Self.hosts) + self.path()
    }

    private mutating func query() -> String {
        guard self.chance(2) else { return "" }
        let parameters = (0..<Int.random(in: 1...3, using: &self.generator)).map { _ in
            "\(self.pick(Self.names))=\(self.pick(["1", "2", "swift", "a%20b"]))"
        }
        return "?" + parameters.joined(separator: "&")
    }

    mutating func state() -> [String: String] {
        self.chance(2) ? ["cart": "full"] : [:]
    }

    private mutating func fields() -> [HeaderField] {
        var fields: [HeaderField] = []
        if self.chance(2) { fields.append(HeaderField(self.pick(Self.headers), self.pick(Self.values))) }
        if self.chance(3) { fields.append(HeaderField("cookie", "sid=\(self.pick(Self.values)); other=1")) }
        return fields
    }

    mutating func matchRequest() throws -> MatchRequest {
        let body = self.chance(2) ? self.pick(Self.jsonBodies) : self.pick(Self.texts)
        let key = try Samples.key(self.pick(Self.methods + ["PATCH"]), self.url())
        return MatchRequest(key, fields: self.fields(), body: self.chance(8) ? nil : Samples.body(body))
    }

    /// A request, and the same with its query parameters, header names and JSON members in another order or case.
    mutating func inquiryAndRespelling() throws -> (MatchRequest, MatchRequest) {
        let parameters = Self.names.map { "\($0)=\(self.pick(Self.values).replacingSpaces())" }
        let target = self.pick(Self.hosts) + self.pick(["/users/1", "/search", "/a%2Fb"])
        let method = self.pick(Self.methods)
        let one = try Samples.key(method, "\(target)?\(parameters.joined(separator: "&"))")
        let shuffled = parameters.shuffled(using: &self.generator).joined(separator: "&")
        let other = try Samples.key(
            method,
            target.replacing("a.test", with: "A.Test").replacing("%2F", with: "%2f").replacing("users", with: "%75sers")
                + "?\(shuffled)#fragment"
        )
        let fields = self.fields()
        let bodies = self.pick([
            (#"{"a": 1, "b": [1, 2]}"#, "{\"b\":[1, 2.0],\n \"a\":1e0}"), (#"{"a": 2}"#, #"{ "\u0061":2}"#), ("x", "x"),
        ])
        return (
            MatchRequest(one, fields: fields, body: Samples.body(bodies.0)),
            MatchRequest(
                other,
                fields: fields.map { HeaderField($0.name.uppercased(), $0.value) },
                body: Samples.body(bodies.1)
            )
        )
    }
}

extension String {
    fileprivate func replacingSpaces() -> String {
        self.replacing(" ", with: "%20")
    }
}
