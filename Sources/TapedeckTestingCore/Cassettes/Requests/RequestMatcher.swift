/// Which requests are meant: in a response set, a stub, an expectation or a question to the journal.
///
/// ```swift
/// .post("/login")
/// .get("/users/{id}").query("page", 2)
/// .put("https://api.example.com/orders").json(["sku": "a1"])
/// ```
///
/// The text is a whole URL, or from the `/` on the path and query of any host. With a `{` in it, it is a template, in
/// which `{name}` stands for a part of a path segment and `{+name}` for one that may span slashes. Without a `?` any
/// query will do; with one the query must be just that. ``otherQuery(_:)`` says otherwise.
///
/// Everything that is added must hold as well; two conditions on one header field, say, must both hold.
public struct RequestMatcher: Sendable, Equatable {
    /// Which of a URL's query parameters may be there besides those that are asked for.
    public enum Others: String, Sendable {
        /// Any others too.
        case allowed
        /// None but these.
        case refused
    }

    enum URL: Sendable, Equatable {
        /// `url`: whole, or from the `/` on.
        case exact(String)
        case template(String)
        /// A regular expression, in the shape that a cassette has.
        case pattern(Tapedeck.JSON)
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
