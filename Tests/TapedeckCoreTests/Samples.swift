import TapedeckCore
import Testing

/// Short ways to say what the tests of matching need.
enum Samples {
    static func url(_ text: String) throws -> AbsoluteURL {
        try #require(AbsoluteURL(text))
    }

    static func key(_ method: String?, _ url: String) throws -> RequestKey {
        RequestKey(method: method, url: try self.url(url))
    }

    /// The key of a request as it is read off the wire, in storage that was in use before.
    static func wireKey(_ method: String, origin: String, target: [UInt8]) throws -> RequestKey {
        var key = try self.key("DELETE", "https://long.example.com/with/a/path?and=query")
        Array(method.utf8).withUnsafeBytes { key.begin(method: $0, origin: Array(origin.utf8)) }
        target.withUnsafeBytes { key.append(target: $0) }
        return key
    }

    static func line(_ method: String, _ url: String) throws -> RequestLine {
        RequestLine(method: method, url: try self.url(url))
    }

    static func set(
        _ name: String,
        _ method: String?,
        _ url: String,
        body: BodyMatcher? = nil,
        takes: [Take] = [Take()]
    ) throws -> ResponseSet {
        ResponseSet(
            name: name,
            request: RequestMatcher(method: method, url: try self.url(url), body: body),
            variants: [Variant(name: "recorded", takes: takes)]
        )
    }

    static func cassette(_ sets: [ResponseSet], name: String = "test") -> Cassette {
        Cassette(name: name, responseSets: sets)
    }

    static func text(_ text: String) -> BodyMatcher {
        .bytes(InlineBody(form: .text, content: Array(text.utf8)))
    }

    static func json(_ text: String) -> BodyMatcher {
        .json(InlineBody(form: .json, content: Array(text.utf8)))
    }

    /// A request with a body, or with none.
    static func matchRequest(
        _ method: String,
        _ url: String,
        headers: [HeaderField] = [],
        body: String? = nil
    ) throws -> MatchRequest {
        MatchRequest(try self.key(method, url), fields: headers, body: body.map(self.body) ?? .empty)
    }

    /// A response set that answers with as many takes as statuses.
    static func set(
        _ name: String,
        _ request: RequestMatcher,
        priority: Int = 0,
        requires: [StateEntry] = [],
        sets: [StateEntry] = [],
        statuses: [Int] = [200]
    ) -> ResponseSet {
        ResponseSet(
            name: name,
            request: request,
            priority: priority,
            requires: requires,
            sets: sets,
            variants: [Variant(name: "recorded", takes: statuses.map { Take(status: $0) })]
        )
    }

    static func template(_ text: String) throws -> URLMatcher {
        .template(try URLTemplate(text))
    }

    static func pattern(_ text: String) throws -> URLMatcher {
        .pattern(try Pattern(text, scope: .whole))
    }

    static func body(_ text: String) -> ObservedBody {
        ObservedBody(bytes: Array(text.utf8), sha256: "of \(text)")
    }
}
