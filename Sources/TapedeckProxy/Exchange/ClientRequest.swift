import TapedeckCore
import TapedeckHTTP2
import TapedeckSessions

/// The target of a connection's requests.
enum Route: Sendable {
    /// A proxy connection: each request names its origin, or is for the reverse listener's.
    case proxy
    /// Inside a tunnel: every request is for the tunnel's origin.
    case tunnel(Origin)
    /// A client that believes it talks to the origin.
    case transparent(TransparentRoute)

    var isProxy: Bool {
        if case .proxy = self { true } else { false }
    }

    var isTunnel: Bool {
        if case .tunnel = self { true } else { false }
    }

    /// Set on a transparent listener, once it is known whether TLS is spoken.
    var transparent: TransparentRoute? {
        if case .transparent(let route) = self { route } else { nil }
    }
}

/// The head of a request that an exchange is made for.
struct ClientRequest: Sendable {
    let session: Session
    let client: ClientAbilities
    let line: RequestLine
    /// The key for the tape.
    let key: RequestKey
    let fields: [HeaderField]
    /// The way it came.
    let route: Route
    /// The properties of HTTP/2 beyond the fields; `nil` over HTTP/1.
    var form: HTTP2RequestForm?
    var wantsUpgrade = false
    /// True if the client waits for a 100 before it sends the body (RFC 9110 section 10.1.1).
    var expectsContinue = false
    /// True if the client turns faults in text form into its own errors.
    var isURLSession = false
    /// The address by which the client reaches the origin at the deck; `nil` if it names the origin itself.
    var address: ReturnAddress?
    /// The reason why it passes on to its origin unrecorded, unless the tape has an answer; otherwise `nil`.
    var passing: HostRules.Reason?
    /// True if it may be connected to this machine only.
    var isLocal: Bool { self.passing?.isLocal(self.line.url.origin) ?? false }

    /// True if the client asks for a WebSocket (RFC 6455 section 4.1). One that asks for `h2c` takes any other answer.
    var wantsWebSocket: Bool { self.wantsUpgrade && self.fields.tokens(named: "upgrade").contains("websocket") }

    /// Returns the fields of a response with the address of the deck for that of the origin; `nil` if they stay.
    func readdressed(_ fields: [HeaderField]) -> [HeaderField]? {
        self.address?.fields(fields, of: self.line.url.path)
    }
}
