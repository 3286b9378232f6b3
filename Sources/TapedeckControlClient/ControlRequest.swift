import TapedeckControlAPI

/// A request to the control API.
struct ControlRequest: Sendable, Equatable {
    var method: String
    /// The path and the query, percent-encoded.
    var target: String
    /// JSON; `nil` if there is no body.
    var body: [UInt8]?
    /// The media type of ``body``.
    var contentType = "application/json"
    var accepts = "application/json"
    /// The media type of a body that follows in chunks; `nil` if none does.
    var streams: String?

    /// - Parameters:
    ///   - path: its segments below `/v1`, as they are: they may hold slashes and anything else.
    ///   - query: names and values, as they are; those without a value are left out.
    init(_ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: [UInt8]? = nil) {
        self.method = method
        let parameters = query.compactMap { item in item.value.map { "\(item.name)=\(URLPart.encoded($0))" } }
        self.target =
            "/v1/" + path.map(URLPart.encoded).joined(separator: "/")
            + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
        self.body = body
    }

    /// A time as the API has it.
    static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)ms"
    }

    /// As it goes over the wire.
    ///
    /// - Parameter keepsAlive: the connection is used for further requests.
    func bytes(to address: ControlAddress, token: String?, keepsAlive: Bool = false) -> [UInt8] {
        var lines = [
            "\(self.method) \(self.target) HTTP/1.1",
            "Host: \(address.authority)",
            "Accept: \(self.accepts), application/problem+json",
            "User-Agent: tapedeck",
        ]
        if !keepsAlive { lines.append("Connection: close") }
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let streams = self.streams {
            lines += ["Content-Type: \(streams)", "Transfer-Encoding: chunked"]
        } else if let body = self.body {
            lines.append("Content-Type: \(self.contentType)")
            lines.append("Content-Length: \(body.count)")
        } else if self.method != "GET", self.method != "DELETE" {
            lines.append("Content-Length: 0")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (self.body ?? [])
    }
}
