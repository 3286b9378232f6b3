import TapedeckCore
import TapedeckSessions

/// Where the requests of a connection are meant for.
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
    var wantsUpgrade = false
    /// The client waits to be asked for the body (RFC 9110 section 10.1.1).
    var expectsContinue = false
    /// The client turns errors that it is told of in words into errors of its own.
    var isURLSession = false
    /// Why it passes on to its origin unrecorded, unless the tape has an answer; `nil` where it does not.
    var passing: HostRules.Reason?
    /// True if it may be connected to this machine only.
    var isLocal: Bool { self.passing?.isLocal(self.line.url.origin) ?? false }
}
