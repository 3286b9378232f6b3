import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// Clients that believe they talk to the origin: which one that is, TLS or the field Host says.
extension ClientConnection {
    /// What the target of a request on a transparent listener leads to.
    enum TransparentTarget {
        /// ``origins`` has its origin; the path begins here.
        case path(Int)
        case refused(OwnAnswer)
    }

    /// Looks at what a client sends first: a TLS handshake, a plain HTTP request, or something else. Returns whether there
    /// is something to parse.
    func startTransparent(_ port: TransparentPort) -> Bool {
        guard let first = self.input.getInteger(at: self.input.readerIndex, as: UInt8.self) else { return false }
        switch first {
        case Self.tlsHandshakeRecord:
            self.startTransparentTLS(port)
            return false
        case 0x41...0x5A, 0x61...0x7A:
            self.route = .transparent(TransparentRoute(scheme: .http, serverName: nil, port: port))
            self.phase = .head
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

    private func startTransparentTLS(_ port: TransparentPort) {
        switch self.input.withUnsafeReadableBytes(ClientHello.scan) {
        case .incomplete:
            break
        case .malformed:
            self.refuseHandshake(.decodeError, "it begins with no ClientHello", host: nil)
        case .complete(.none):
            // RFC 8446 section 9.2.
            self.refuseHandshake(
                .missingExtension,
                "the client names no host (SNI), so nobody knows which origin it means; have it ask for a host name and "
                    + "not for an address, or give it the deck as its proxy",
                host: nil
            )
        case .complete(.unusable(let name)):
            self.refuseHandshake(
                .unrecognizedName,
                "what the client names (SNI) is no host name; have it ask for one, or give it the deck as its proxy",
                host: name
            )
        case .complete(.host(let host)):
            self.enterTransparentTLS(host, port)
        }
    }

    private func enterTransparentTLS(_ host: String, _ port: TransparentPort) {
        let origin = Origin(scheme: .https, host: host, port: port.originPort)
        self.route = .transparent(TransparentRoute(scheme: .https, serverName: host, port: port))
        if let session = self.doorway.session ?? self.deck.sessions.default, !session.isEnded,
            let reason = self.passThroughReason(origin, session)
        {
            session.touch()
            if let refusal = self.tunnelExcess(session) {
                self.noteTunnel(to: origin, session, .refused(reason: refusal.reason))
                self.refuseHandshake(.internalError, refusal.reason, host: host)
                return
            }
            self.passTunnel(to: origin, of: session, reason)
            return
        }
        self.phase = .head
        self.intercept(origin)
    }

    /// Ends a TLS handshake that was not begun, or was to be somebody else's.
    func refuseHandshake(_ alert: FatalAlert, _ reason: String, host: String?) {
        self.deck.log.notice(
            "refused a TLS handshake on a transparent port",
            metadata: host.map { ["host": "\($0)", "reason": "\(reason)"] } ?? ["reason": "\(reason)"]
        )
        self.context?.write(self.wrapOutboundOut(ByteBuffer(bytes: alert.record)), promise: nil)
        self.finishAnswer(.close)
    }

    // MARK: Requests

    /// Finds the origin of the request whose head was scanned last.
    ///
    /// - Parameter pathKey: is set to the key of a session that the path names.
    func resolveTransparent(
        _ route: TransparentRoute,
        _ bytes: UnsafeRawBufferPointer,
        _ pathKey: inout [UInt8]?
    ) throws(MalformedMessage) -> TransparentTarget {
        let target = UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])
        guard Self.isOriginForm(target) else {
            // RFC 9112 section 3.2.2: a server takes the absolute form too, and then Host does not count.
            guard let path = self.origins.resolve(target), let origin = self.origins.origin else {
                throw MalformedMessage("the request target is no http or https URL")
            }
            return route.leads(to: origin) ? .path(path) : self.misdirected(origin, route)
        }
        // A key in the path is for the deck and nobody else, whatever the host is called.
        if BaseURLTarget.isNamed(by: target) { return .path(try self.resolveBaseURL(target, from: 0, &pathKey)) }
        guard let slice = self.scanner.fields.host else {
            guard let origin = route.unnamed else { return .refused(.unnamedOrigin) }
            // Nor is it any Host's that was remembered.
            self.origins = OriginCache()
            self.origins.set(origin)
            return .path(0)
        }
        let host = UnsafeRawBufferPointer(rebasing: bytes[slice.value])
        if self.origins.isSet(for: host) { return .path(0) }
        guard let origin = route.origin(ByteText.string(from: host)) else {
            throw MalformedMessage("the field Host is neither HOST nor HOST:PORT")
        }
        guard route.leads(to: origin) else { return self.misdirected(origin, route) }
        self.origins.set(origin, for: host)
        return .path(0)
    }

    private func misdirected(_ origin: Origin, _ route: TransparentRoute) -> TransparentTarget {
        self.deck.log.notice(
            "refused a request that came by another origin's connection",
            metadata: ["origin": "\(origin)", "connection": "\(route.serverName ?? route.scheme.rawValue)"]
        )
        return .refused(.misdirected(origin, route))
    }

    /// Answers a request whose origin is this deck: the client's alias for it holds here too.
    func refuseLoop(_ request: ClientRequest) {
        let origin = request.line.url.origin
        let problem = OwnAnswer.loop(origin)
        request.session.noteForwarded(ForwardedRequest(request: request.line, notRecorded: problem))
        self.trace?.outcome(.refused(reason: problem))
        self.deck.log.notice("an origin is the deck itself", metadata: ["origin": "\(origin)", "reason": "\(problem)"])
        var client = request.client
        // The rest of its body is not read.
        client.keepsAlive = false
        self.answer(.leadsHere(origin), for: client)
    }
}
