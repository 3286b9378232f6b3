import TapedeckControlAPI
import TapedeckCore

/// The rules of access to the control API.
///
/// Any program on this machine may steer a deck on loopback; web pages may not (``PageRules``). A request that changes
/// something needs JSON, which a page cannot send to another origin without asking it first. With a token, the token
/// decides, and pages of other origins are refused all the same.
struct AccessRules: Sendable {
    /// The parts of a request that the rules read.
    struct Visitor: Sendable {
        var method: String
        var path: String
        /// The `Host` header; `nil` if it is missing or repeated.
        var host: String?
        var origin: String?
        var fetchSite: String?
        var fetchMode: String?
        var fetchDestination: String?
        var contentType: String?
        var hasBody = false
        var authorization: String?

        init(_ method: String, _ path: String) {
            self.method = method
            self.path = path
        }
    }

    /// The server's own port.
    var port: Int
    /// The required token; `nil` for a server on loopback that requires none.
    var token: String?
    /// The host names of the deck in addition to those of loopback; see ``PageRules/names``.
    var names: Set<String> = []
    /// The media types of bodies that are accepted in addition to JSON, by path.
    var bodyTypes: [String: String] = [:]

    /// The paths that need no token: harmless ones, and those that a client without a token needs.
    private static let open: Set<String> = [
        "/", "/trust", "/openapi.json", "/v1/health", "/v1/ready", "/v1/ca.pem", "/v1/ca.der",
    ]

    /// Returns the reason to refuse a request, or `nil`.
    func refusal(_ visitor: Visitor) -> Problem? {
        self.foreignPage(visitor) ?? self.wrongToken(visitor) ?? self.wrongType(visitor)
    }

    private func foreignPage(_ visitor: Visitor) -> Problem? {
        guard let host = visitor.host else {
            return .badRequest("a request needs exactly one Host header")
        }
        let page = PageRules.Visitor(host: host, origin: visitor.origin, fetchSite: visitor.fetchSite)
        switch self.pages.refusal(page) {
        case nil:
            return nil
        case .wrongHost:
            return Problem(
                403,
                "wrong-host",
                "The Host is not this deck's",
                "this deck answers to http://127.0.0.1:\(self.port) and http://localhost:\(self.port); start it with "
                    + "--server-name NAME for another host name that leads to it"
            )
        case .foreignPage:
            guard !Self.followsLink(visitor) else { return nil }
            return Problem(
                403,
                "foreign-origin",
                "Another site's page asks",
                "pages of other sites may not use the control API; open it from the deck's own page, or from a program"
            )
        }
    }

    private var pages: PageRules {
        var rules = PageRules()
        rules.names = self.names
        rules.port = self.port
        rules.takesAnyName = self.token != nil
        return rules
    }

    /// Returns true for a link to the page from another site: the page opens, and the other site cannot read it.
    private static func followsLink(_ visitor: Visitor) -> Bool {
        (visitor.path == "/" || visitor.path == "/trust") && visitor.method == "GET" && visitor.origin == nil
            && visitor.fetchMode == "navigate" && visitor.fetchDestination == "document"
    }

    private func wrongToken(_ visitor: Visitor) -> Problem? {
        guard let token = self.token, !Self.isOpen(visitor) else { return nil }
        let scheme = "bearer "
        let shown = visitor.authorization.flatMap { value -> Substring? in
            ASCII.lowercased(String(value.prefix(scheme.count))) == scheme ? value.dropFirst(scheme.count) : nil
        }
        if let shown, ConstantTime.areEqual(String(shown), token) { return nil }
        let isMissing = shown == nil
        return Problem(
            401,
            isMissing ? "token-needed" : "wrong-token",
            isMissing ? "A token is needed" : "The token is wrong",
            "send the deck's token as `Authorization: Bearer TOKEN`; the command line takes it from TAPEDECK_TOKEN or "
                + "--token-file",
            headers: [["WWW-Authenticate", "Bearer realm=\"Tapedeck\""]]
        )
    }

    private static func isOpen(_ visitor: Visitor) -> Bool {
        let isReading = visitor.method == "GET" || visitor.method == "HEAD"
        return isReading && (self.open.contains(visitor.path) || PageAssets.paths.contains(visitor.path))
    }

    /// The media type beside JSON of a path's route, if it has one.
    private func bodyType(_ path: String) -> String? {
        if let type = self.bodyTypes[path] { return type }
        let parts = path.split(separator: "/")
        return self.bodyTypes.first { route, _ in
            let own = route.split(separator: "/")
            return own.count == parts.count && zip(own, parts).allSatisfy { $0.first == "{" || $0 == $1 }
        }?.value
    }

    /// A form of another site can send three media types, and the API accepts none of them.
    private func wrongType(_ visitor: Visitor) -> Problem? {
        guard visitor.method != "GET", visitor.method != "HEAD" else { return nil }
        let type = visitor.contentType.map { ASCII.lowercased($0).prefix { $0 != ";" && $0 != " " } }
        if type == "application/json" || type == nil && !visitor.hasBody { return nil }
        if let type, self.bodyType(visitor.path) == String(type) { return nil }
        return Problem(
            415,
            "not-json",
            "The body is not JSON",
            "send the body as JSON, with `Content-Type: application/json`"
        )
    }
}

/// Comparing secrets.
enum ConstantTime {
    /// Returns true if two texts have the same bytes, in a time that depends only on their lengths.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
