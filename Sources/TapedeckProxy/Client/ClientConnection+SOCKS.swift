import Logging
import NIOCore
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// The first bytes on the proxy's port, which say what the client speaks: HTTP, SOCKS, or TLS without a CONNECT.
extension ClientConnection {
    /// The port of origins whose TLS arrives on the proxy's port.
    private static let portOfUntunnelledTLS = 443

    /// Chooses the protocol by the first byte. Returns whether there is something to parse.
    func startProxy() -> Bool {
        guard let first = self.input.getInteger(at: self.input.readerIndex, as: UInt8.self) else { return false }
        if first == Self.tlsHandshakeRecord {
            self.startTLS()
            return false
        }
        if let version = SOCKSHandshake.Version(rawValue: first) {
            self.state.socksWentOn(SOCKSHandshake(version))
        } else {
            self.state.requestsBegin()
        }
        return true
    }

    /// TLS that names the deck, or no host, is a client's way to talk to its proxy in private: requests and CONNECT follow
    /// inside. TLS that names another host is for that host, as on a transparent port.
    private func startTLS() {
        let address = self.context?.channel.localAddress
        switch self.input.withUnsafeReadableBytes(ClientHello.scan) {
        case .incomplete:
            break
        case .complete(.none), .complete(.unusable), .complete(.host("localhost")):
            self.state.requestsBegin()
            self.intercept(
                Origin(scheme: .https, host: address?.ipAddress ?? "localhost", port: address?.port ?? 0),
                http2: self.doorway.reverseOrigin != nil
            )
        case .complete(.host), .malformed:
            let port = TransparentPort(originPort: Self.portOfUntunnelledTLS, proxyPort: address?.port ?? 0)
            self.startTransparentTLS(port)
        }
    }

    /// Reads the next message of a SOCKS client. Returns whether there is something to parse.
    func continueSOCKS(_ handshake: SOCKSHandshake) -> Bool {
        var handshake = handshake
        let (consumed, step) = self.input.withUnsafeReadableBytes { handshake.next($0) }
        self.input.moveReaderIndex(forwardBy: consumed)
        switch step {
        case .incomplete:
            return false
        case .reply(let bytes):
            self.state.socksWentOn(handshake)
            self.context?.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            return true
        case .connect(let request):
            self.cancelHeadTimeout()
            self.openTunnel(request, handshake.version)
            return true
        case .refuse(let bytes, let reason):
            self.refuseSOCKS(bytes, reason)
            return false
        }
    }

    /// Does for a request of SOCKS what ``openTunnel(_:)`` does for CONNECT.
    private func openTunnel(_ request: SOCKSHandshake.Request, _ version: SOCKSHandshake.Version) {
        self.socks = version
        let host = request.host.contains(":") ? "[\(request.host)]" : request.host
        guard let (host, port) = Origin.split(authority: "\(host):\(request.port)"), let port else {
            self.refuseSOCKSTunnel(.generalFailure, "the request names no host and port")
            return
        }
        guard self.intake.excessOutcome == nil else {
            self.refuseSOCKSTunnel(.generalFailure, "the deck has too many connections")
            return
        }
        let origin = Origin(scheme: .https, host: host, port: port)
        switch self.intake.routing.session(credentials: request.credentials) {
        case .success(let session):
            session.touch()
            guard self.intake.connectionOutcome(session) == nil else {
                let reason = "the session has too many connections"
                self.noteTunnel(to: origin, session, .refused(reason: reason))
                self.refuseSOCKSTunnel(.generalFailure, reason)
                return
            }
            self.enterSOCKS(self.tunnelOutcome(origin, session))
        case .failure(let refusal):
            // As for CONNECT.
            if LocalSite.contains(Origin(scheme: .http, host: host, port: port)) {
                self.enterSOCKS(.tunnel(origin, nil))
                return
            }
            self.loop.metrics.count(.none, .refused, microseconds: nil)
            self.refuseSOCKSTunnel(.notAllowed, refusal.message)
        }
    }

    private func enterSOCKS(_ outcome: RequestIntake.Outcome) {
        switch outcome {
        case .tunnel(let origin, let session):
            self.acceptTunnel(to: origin, of: session)
        case .passTunnel(let origin, let session, let reason):
            self.passTunnel(to: origin, of: session, reason)
        case .answer(let answer), .turnAway(let answer):
            self.refuseSOCKSTunnel(.notAllowed, "answered with \(answer.status) over HTTP")
        case .malformed, .request:
            self.refuseSOCKSTunnel(.generalFailure, "it is no request for a tunnel")
        }
    }

    /// The bytes that accept the client's tunnel.
    var tunnelAcceptance: ByteBuffer {
        self.socks.map { ByteBuffer(bytes: SOCKSHandshake.success($0)) }
            ?? ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")
    }

    /// Refuses a tunnel that was requested over SOCKS. Returns false if it was requested with CONNECT.
    @discardableResult
    func refuseSOCKSTunnel(_ refusal: SOCKSHandshake.Refusal, _ reason: String) -> Bool {
        guard let version = self.socks else { return false }
        self.refuseSOCKS(SOCKSHandshake.refusal(version, refusal), reason)
        return true
    }

    private func refuseSOCKS(_ reply: [UInt8], _ reason: String) {
        self.deck.log.notice("refused a SOCKS request", metadata: ["reason": "\(reason)"])
        self.context?.write(self.wrapOutboundOut(ByteBuffer(bytes: reply)), promise: nil)
        self.finish(.completeAndClosed)
    }
}
