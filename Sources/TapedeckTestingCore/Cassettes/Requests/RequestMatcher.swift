/// Conditions on requests: for a response set, a stub, an expectation or a query of the journal.
///
/// ```swift
/// .post("/login")
/// .get("/users/{id}").query("page", 2)
/// .put("https://api.example.com/orders").json(["sku": "a1"])
/// ```
///
/// The text is a whole URL, or path and query of any host, beginning with `/`. A text with `{` is a template, in which
/// `{name}` matches a part of a path segment and `{+name}` may span slashes. Without `?` it accepts any query; with one
/// the query must be exactly that. ``otherQuery(_:)`` changes this.
///
/// All added conditions must hold; for example, two conditions on one header field must both hold.
public struct RequestMatcher: Sendable, Equatable {
    /// The action on query parameters besides those in conditions.
    public enum Others: String, Sendable {
        /// Any others too.
        case allowed
        /// Other parameters do not match.
        case refused
    }

    enum URL: Sendable, Equatable {
        /// `url`: whole, or from the `/` on.
        case exact(String)
        case template(String)
        /// A regular expression, in the shape that a cassette has.
        case pattern(Tapedeck.JSON)
        /// A method of gRPC.
        case call(String)
    }

    enum Host: Sendable, Equatable {
        case names([String])
        case pattern(Tapedeck.JSON)
    }

    /// Empty is any.
    var methods: [String] = []
    var url: URL?
    var host: Host?
    var query: [Tapedeck.JSON.Member] = []
    var others: Others?
    var headers: [Tapedeck.JSON.Member] = []
    var cookies: [Tapedeck.JSON.Member] = []
    /// The keys of `body`.
    var body: [Tapedeck.JSON.Member] = []
    /// The conditions on the messages of a call.
    var messages: [Tapedeck.JSON]?
    var state: [Tapedeck.JSON.Member] = []
    var all: [RequestMatcher] = []
    var alternatives: [RequestMatcher] = []
    var not: [RequestMatcher] = []

    init(_ methods: [String] = [], url: URL? = nil) {
        self.methods = methods
        self.url = url
    }

    private init(_ methods: [String], _ text: String) {
        self.init(methods, url: text.contains("{") ? .template(text) : .exact(text))
    }

    private init(_ methods: [String], pattern: String, ignoringCase: Bool) {
        self.init(methods, url: .pattern(Self.pattern(pattern, ignoringCase)))
    }

    static func pattern(_ pattern: String, _ ignoresCase: Bool) -> Tapedeck.JSON {
        ignoresCase ? ["pattern": Tapedeck.JSON(pattern), "ignoreCase": true] : Tapedeck.JSON(pattern)
    }
}

// MARK: Beginning

extension RequestMatcher {
    /// Every request.
    public static let any = RequestMatcher()

    /// Requests with any method for a URL, a path or a template of one.
    public static func any(_ url: String) -> Self { Self([], url) }
    /// GET requests for a URL, a path or a template of one.
    public static func get(_ url: String) -> Self { Self(["GET"], url) }
    /// HEAD requests for a URL, a path or a template of one.
    public static func head(_ url: String) -> Self { Self(["HEAD"], url) }
    /// POST requests for a URL, a path or a template of one.
    public static func post(_ url: String) -> Self { Self(["POST"], url) }
    /// PUT requests for a URL, a path or a template of one.
    public static func put(_ url: String) -> Self { Self(["PUT"], url) }
    /// PATCH requests for a URL, a path or a template of one.
    public static func patch(_ url: String) -> Self { Self(["PATCH"], url) }
    /// DELETE requests for a URL, a path or a template of one.
    public static func delete(_ url: String) -> Self { Self(["DELETE"], url) }
    /// OPTIONS requests for a URL, a path or a template of one.
    public static func options(_ url: String) -> Self { Self(["OPTIONS"], url) }

    /// Requests with a method, which is compared as it is written, for a URL, a path or a template of one.
    public static func method(_ method: String, _ url: String) -> Self { Self([method], url) }
    /// Requests with one of several methods for a URL, a path or a template of one; with no methods, with any.
    public static func methods(_ methods: [String], _ url: String) -> Self { Self(methods, url) }

    /// Requests with any method whose URL a regular expression (PCRE2) matches: the whole of it, or, if it begins with
    /// `/`, the whole of path and query.
    ///
    /// URLs are compared in one form: query parameters sorted by name, spaces as `%20`.
    public static func any(pattern: String, ignoringCase: Bool = false) -> Self {
        Self([], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// GET requests, as ``any(pattern:ignoringCase:)``.
    public static func get(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["GET"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// HEAD requests, as ``any(pattern:ignoringCase:)``.
    public static func head(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["HEAD"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// POST requests, as ``any(pattern:ignoringCase:)``.
    public static func post(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["POST"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// PUT requests, as ``any(pattern:ignoringCase:)``.
    public static func put(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["PUT"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// PATCH requests, as ``any(pattern:ignoringCase:)``.
    public static func patch(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["PATCH"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// DELETE requests, as ``any(pattern:ignoringCase:)``.
    public static func delete(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["DELETE"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// OPTIONS requests, as ``any(pattern:ignoringCase:)``.
    public static func options(pattern: String, ignoringCase: Bool = false) -> Self {
        Self(["OPTIONS"], pattern: pattern, ignoringCase: ignoringCase)
    }
    /// Requests with a method, as ``any(pattern:ignoringCase:)``.
    public static func method(_ method: String, pattern: String, ignoringCase: Bool = false) -> Self {
        Self([method], pattern: pattern, ignoringCase: ignoringCase)
    }

    /// Every request to one of these hosts: `api.example.com` (any port), `api.example.com:8443` or `*.example.com`.
    public static func host(_ names: String...) -> Self {
        RequestMatcher().adding(host: .names(names))
    }
}
