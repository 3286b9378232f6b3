import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// Clients that believe they talk to the origin: which one that is, TLS or the field Host says.
extension ClientConnection {
    /// Looks at what a client sends first: a TLS handshake, a plain HTTP request, or something else. Returns whether there
    /// is something to parse.
    func startTransparent(_ port: TransparentPort) -> Bool {
        guard let first = self.input.getInteger(at: self.input.readerIndex, as: UInt8.self) else { return false }
        switch first {
        case Self.tlsHandshakeRecord:
            self.startTransparentTLS(port)
            return false
        case 0x41...0x5A, 0x61...0x7A:
            self.intake.route = .transparent(
                TransparentRoute(scheme: .http, serverName: nil, port: port, destination: self.destination)
            )
            self.state.requestsBegin()
            return true
        default:
            self.deck.log.notice(
                "closed a connection that is neither TLS nor HTTP",
                metadata: ["port": "\(port.originPort)"]
            )
            self.closeNow()
            return false
        }
    }

    /// The host of the address that the client connected to.
    private var destination: String? {
        guard let names = self.doorway.names, let address = self.context?.localAddress?.ipAddress else { return nil }
        return names.host(at: address)
    }

    func startTransparentTLS(_ port: TransparentPort) {
        switch self.input.withUnsafeReadableBytes(ClientHello.scan) {
        case .incomplete:
            break
        case .malformed:
            self.refuseHandshake(.decodeError, "it begins with no ClientHello", host: nil)
        case .complete(.host(let host)):
            self.enterTransparentTLS(host, port)
        case .complete(let name):
            guard let host = self.destination else { return self.refuseUnnamed(name) }
            self.enterTransparentTLS(host, port)
        }
    }

    /// Ends the handshake of a client that names no host.
    private func refuseUnnamed(_ name: ClientHello.ServerName) {
        switch name {
        case .host:
            break
        case .none:
            // RFC 8446 section 9.2.
            self.refuseHandshake(
                .missingExtension,
                "the client names no host (SNI), so its origin is unknown; make it request a host name and "
                    + "not an address, or give it the deck as its proxy",
                host: nil
            )
        case .unusable(let name):
            self.refuseHandshake(
                .unrecognizedName,
                "what the client names (SNI) is no host name; have it ask for one, or give it the deck as its proxy",
                host: name
            )
        }
    }

    private func enterTransparentTLS(_ host: String, _ port: TransparentPort) {
        let origin = Origin(scheme: .https, host: host, port: port.originPort)
        self.intake.route = .transparent(TransparentRoute(scheme: .https, serverName: host, port: port))
        // Transparent ports require no token; on the proxy's port, the request inside TLS must have it. Blocked hosts
        // are still intercepted, so the client gets a 403.
        let isOpen = self.doorway.transparent != nil || !self.deck.configuration.requiresToken
        if isOpen, let session = self.doorway.session ?? self.deck.sessions.default, !session.isEnded,
            case .passThrough(let reason) = self.intake.judge.tunnelVerdict(on: origin, session)
        {
            session.touch()
            if let refusal = self.intake.tunnelExcess(session) {
                self.noteTunnel(to: origin, session, .refused(reason: refusal.reason))
                self.refuseHandshake(.internalError, refusal.reason, host: host)
                return
            }
            self.passTunnel(to: origin, of: session, reason)
            return
        }
        self.state.requestsBegin()
        self.intercept(origin)
    }

    /// Refuses a TLS handshake that has not begun, or that was to be passed through.
    func refuseHandshake(_ alert: FatalAlert, _ reason: String, host: String?) {
        self.deck.log.notice(
            "refused a TLS handshake that came without CONNECT",
            metadata: host.map { ["host": "\($0)", "reason": "\(reason)"] } ?? ["reason": "\(reason)"]
        )
        self.context?.write(self.wrapOutboundOut(ByteBuffer(bytes: alert.record)), promise: nil)
        self.finish(.completeAndClosed)
    }
}
