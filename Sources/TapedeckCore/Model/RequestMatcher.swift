package import TapedeckProtobuf

/// The conditions of a response set, or of a `when`, on a request. All must hold.
package struct RequestMatcher: Sendable, Equatable {
    /// Empty is any method.
    package var methods: [String]
    package var url: URLMatcher
    /// The calls that it matches; `nil` if it matches other requests, too.
    package var call: CallMatcher?
    /// Compared with the host, or `host:port`; required by a ``url`` without a host.
    package var host: HostMatcher?
    package var query: [Field]
    /// True if query parameters that neither the URL nor ``query`` names keep a request from matching; `nil` depends on
    /// the kind of URL: for an exact one they do.
    package var refusesOtherQuery: Bool?
    /// True if the names of ``query`` match in any case of ASCII letters.
    package var ignoresQueryNameCase = false
    /// Names without regard to case.
    package var headers: [Field]
    package var cookies: [Field]
    package var body: [BodyMatcher]
    /// The required state of the session.
    package var state: [StateEntry]
    package var all: [RequestMatcher]
    /// At least one must match, unless the list is empty.
    package var any: [RequestMatcher]
    /// Must not match.
    package var not: [RequestMatcher]

    /// A named value of a request and what it must be.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: ValueMatcher
        /// True for a parameter of the query whose name matches in any case.
        var ignoresNameCase = false

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

    /// The method and the URL of a matcher with exactly one URL, at most one method, and at most a condition on the
    /// body; `nil` for any other.
    package var exact: (method: String?, url: AbsoluteURL)? {
        guard case .exact(let url) = self.url, self.methods.count <= 1 else { return nil }
        var plain = RequestMatcher(methods: self.methods, url: self.url, body: self.body)
        plain.call = self.call
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

/// Calls of gRPC.
package struct CallMatcher: Sendable, Equatable {
    /// The type of their messages, where a descriptor says it.
    package var input: MessageType?

    package init(input: MessageType? = nil) {
        self.input = input
    }

    /// Matchers are equal if they are written alike.
    package static func == (left: CallMatcher, right: CallMatcher) -> Bool { true }
}

extension RequestMatcher {
    /// True if it matches calls of gRPC only.
    package var isGRPC: Bool { self.call != nil }
}

/// The URL that a matcher accepts. URLs are compared in canonical form (``RequestKey``): the order of query keys and
/// the spelling of percent-encoding do not matter.
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

/// The host that a matcher accepts.
package enum HostMatcher: Sendable, Equatable {
    /// A list of names, each `host` or `host:port`; `*.example.com` is every host below that.
    case names([String])
    /// Over the whole of `host`, or of `host:port` where the port is not the scheme's own.
    case pattern(Pattern)
}
