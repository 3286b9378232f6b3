/// Which requests a response set answers, or a condition is about. All that it says must hold.
package struct RequestMatcher: Sendable, Equatable {
    /// Empty is any method.
    package var methods: [String]
    package var url: URLMatcher
    /// Compared with the host, or `host:port`; beside a ``url`` that names none.
    package var host: HostMatcher?
    package var query: [Field]
    /// True if query parameters that neither the URL nor ``query`` names keep a request from matching; `nil` depends on
    /// the kind of URL: for an exact one they do.
    package var refusesOtherQuery: Bool?
    /// Names without regard to case.
    package var headers: [Field]
    package var cookies: [Field]
    package var body: [BodyMatcher]
    /// The required state of the session.
    package var state: [StateEntry]
    package var all: [RequestMatcher]
    /// At least one must match, unless there are none.
    package var any: [RequestMatcher]
    /// None may match.
    package var not: [RequestMatcher]

    /// A named value of a request and what it must be.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: ValueMatcher

        package init(_ name: String, _ value: ValueMatcher) {
            self.name = name
            self.value = value
        }
    }

    package init(
        methods: [String] = [],
        url: URLMatcher = .any,
        host: HostMatcher? = nil,
        query: [Field] = [],
        refusesOtherQuery: Bool? = nil,
        headers: [Field] = [],
        cookies: [Field] = [],
        body: [BodyMatcher] = [],
        state: [StateEntry] = [],
        all: [RequestMatcher] = [],
        any: [RequestMatcher] = [],
        not: [RequestMatcher] = []
    ) {
        self.methods = methods
        self.url = url
        self.host = host
        self.query = query
        self.refusesOtherQuery = refusesOtherQuery
        self.headers = headers
        self.cookies = cookies
        self.body = body
        self.state = state
        self.all = all
        self.any = any
        self.not = not
    }

    /// A method (`nil` is any), a whole URL, and a condition on the body: what a recording writes.
    package init(method: String?, url: AbsoluteURL, body: BodyMatcher? = nil) {
        self.init(methods: method.map { [$0] } ?? [], url: .exact(url), body: body.map { [$0] } ?? [])
    }

    /// The method and the URL of a matcher that asks for just one URL and at most one method, and of the rest of a
    /// request for nothing but its body; `nil` for any other.
    package var exact: (method: String?, url: AbsoluteURL)? {
        guard case .exact(let url) = self.url, self.methods.count <= 1 else { return nil }
        var plain = RequestMatcher(methods: self.methods, url: self.url, body: self.body)
        plain.refusesOtherQuery = self.refusesOtherQuery
        return self == plain && self.refusesOtherQuery != false ? (self.methods.first, url) : nil
    }

    /// Returns true if it matches requests to this origin and to no other.
    package func isOnly(for origin: Origin) -> Bool {
        switch self.url {
        case .exact(let url): return url.origin == origin
        case .template(let template):
            return AbsoluteURL(String(template.source.prefix { $0 != "{" }))?.origin == origin
        case .pattern(let pattern):
            return Array("\(origin)/".utf8).withUnsafeBytes { start in
                pattern.literals.prefix.starts(with: start)
            }
        case .exactPath, .any: break
        }
        guard case .names(let names) = self.host else { return false }
        return names.allSatisfy { $0 == origin.authority || $0 == origin.host }
    }
}

/// The URL a matcher asks for. URLs are compared in canonical form (``RequestKey``): the order of query keys and the
/// spelling of percent-encoding do not matter.
package enum URLMatcher: Sendable, Equatable {
    case any
    case exact(AbsoluteURL)
    /// Path and query on any origin; begins with `/`.
    case exactPath(String)
    /// As a cassette writes it: a whole URL, a path that begins with `/`, or `scheme://host` alone, which is every path
    /// there.
    case template(URLTemplate)
    /// Over the whole URL, or over path and query where the pattern begins with `/`.
    case pattern(Pattern)

    /// True if it is compared only with path and query.
    package var isPathOnly: Bool {
        switch self {
        case .any, .exact: false
        case .exactPath: true
        case .template(let template): template.source.utf8.first == ASCII.slash
        case .pattern(let pattern): Self.isPath(pattern.source)
        }
    }

    private static func isPath(_ pattern: String) -> Bool {
        let start = pattern.hasPrefix("^") ? pattern.dropFirst() : pattern[...]
        return start.hasPrefix("/") || start.hasPrefix("\\/")
    }

    /// The names that captures of the URL have.
    package var captureNames: [String] {
        switch self {
        case .any, .exact, .exactPath: []
        case .template(let template): template.captureNames
        case .pattern(let pattern): pattern.captureNames
        }
    }
}

/// The host a matcher asks for.
package enum HostMatcher: Sendable, Equatable {
    /// One of these, each `host` or `host:port`; `*.example.com` is every host below that.
    case names([String])
    /// Over the whole of `host`, or of `host:port` where the port is not the scheme's own.
    case pattern(Pattern)
}
