import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The head of a request as it goes to the deck: in the absolute form (RFC 9112 section 3.2.2), with the fields of the
/// request, those of the configuration behind them, and those that URLSession would add.
struct OutgoingHead {
    let bytes: [UInt8]
    /// True if the body is sent in chunks, because its length is not known.
    let isChunked: Bool

    /// - Parameters:
    ///   - additional: the configuration's header fields.
    ///   - cookies: those of the configuration for this URL.
    ///   - length: of the body; `nil` where only its end tells.
    /// - Returns: `nil` where the request has no http or https URL that a request line can hold.
    init?(
        _ request: URLRequest,
        route: ProxyRoute,
        additional: [String: String],
        cookies: [HTTPCookie],
        body: RequestBody,
        length: Int?
    ) {
        guard let url = request.url, let target = Self.target(url) else { return nil }
        let method = request.httpMethod ?? "GET"
        guard !method.isEmpty, method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var fields = Fields()
        for (name, value) in request.allHTTPHeaderFields ?? [:] { fields.add(name, value) }
        for (name, value) in additional { fields.add(name, value) }
        if let credentials = Self.credentials(url) { fields.add("Authorization", credentials) }
        if request.httpShouldHandleCookies, let header = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"],
            !header.isEmpty
        {
            fields.add("Cookie", header)
        }
        fields.add("Accept", "*/*")
        fields.add("User-Agent", ProcessInfo.processInfo.processName)
        if body.isPresent, method == "POST" { fields.add("Content-Type", "application/x-www-form-urlencoded") }

        let given = fields.takeLength()
        self.isChunked = length == nil && given == nil
        var lines = ["\(method) \(target.url) HTTP/1.1", "Host: \(target.authority)"]
        lines += fields.lines
        // A URLSession adds the codings that it decodes itself; the tape has the body without them.
        lines.append("Accept-Encoding: identity")
        if body.isPresent {
            lines.append(self.isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(length ?? given ?? 0)")
        } else if ["POST", "PUT", "PATCH"].contains(method) {
            lines.append("Content-Length: 0")
        }
        lines.append("\(ProxyRoute.sessionField): \(route.sessionKey)")
        lines.append("\(ProxyRoute.clientField): URLSession")
        lines.append("Connection: close")
        self.bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The URL without user and fragment, and what Host says.
    private static func target(_ url: URL) -> (url: String, authority: String)? {
        guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.encodedHost, !host.isEmpty
        else { return nil }
        let authority = parts.port.map { "\(host):\($0)" } ?? host
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        return ("\(scheme)://\(authority)\(path)\(query)", authority)
    }

    /// Returns the credentials of a URL with a user name (RFC 7617).
    private static func credentials(_ url: URL) -> String? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        let text = "\(user):\(url.password(percentEncoded: false) ?? "")"
        return "Basic \(Data(text.utf8).base64EncodedString())"
    }

    /// Header fields of which the first of a name counts.
    private struct Fields {
        private var names: Set<String> = []
        private var pairs: [(name: String, value: String)] = []

        /// Set again for this hop, or meant only for the deck.
        private static let own: Set<String> = [
            "host", "connection", "proxy-connection", "keep-alive", "transfer-encoding", "accept-encoding", "te",
            "expect", "upgrade", "proxy-authorization", ProxyRoute.sessionField.lowercased(),
            ProxyRoute.proxyField.lowercased(), ProxyRoute.clientField.lowercased(),
            ProxyRoute.configurationField.lowercased(),
        ]

        mutating func add(_ name: String, _ value: String) {
            let key = name.lowercased()
            // A name that is not a token (RFC 9110 section 5.6.2) could inject a line.
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), !Self.own.contains(key),
                self.names.insert(key).inserted
            else { return }
            // No line break gets from a value into the head.
            self.pairs.append((name, value.filter { !$0.isNewline && $0 != "\0" }))
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }

        /// Returns the length of a stream that the user set, and removes the field.
        mutating func takeLength() -> Int? {
            guard let index = self.pairs.firstIndex(where: { $0.name.lowercased() == "content-length" }) else {
                return nil
            }
            return Int(self.pairs.remove(at: index).value)
        }

        var lines: [String] {
            self.pairs.sorted { $0.name.lowercased() < $1.name.lowercased() }.map { "\($0.name): \($0.value)" }
        }
    }
}
