import NIOCore

/// The place of a listener: its configured address, and its port.
struct ListenerAddress: Sendable, Equatable {
    /// A name or an address, without brackets.
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = Self.bare(host)
        self.port = port
    }

    /// An address as `bind(2)` wants it, of one that may have the brackets of a URL.
    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Returns true if only this machine can reach it. Doubtful hosts count as reachable.
    static func isLoopback(_ host: String) -> Bool {
        let host = self.bare(host)
        if host == "localhost" { return true }
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4: return host.hasPrefix("127.")
        case .v6: return host == "::1"
        default: return false
        }
    }

    /// The URL for clients on this machine: one cannot connect to "every address".
    var url: String { "http://\(self.authority)" }

    /// Returns the URL with the key of a session, for clients with only a proxy setting.
    func url(session: String, token: String) -> String {
        "http://\(session):\(token)@\(self.authority)"
    }

    /// The host that clients on this machine connect to, without brackets.
    var clientHost: String {
        switch self.host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: self.host
        }
    }

    private var authority: String {
        let reachable = self.clientHost
        return reachable.contains(":") ? "[\(reachable)]:\(self.port)" : "\(reachable):\(self.port)"
    }
}
