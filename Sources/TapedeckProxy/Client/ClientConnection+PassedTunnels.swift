import Logging
import NIOCore
import NIOPosix
import TapedeckCore

/// Tunnels that are passed through: the client and the origin talk to each other, and what they say is theirs.
extension ClientConnection {
    /// Connects to the origin, then joins the two connections. Unlike a tunnel that is intercepted, this one needs the
    /// origin before the client is told yes.
    func passTunnel(to origin: Origin, of session: Session, _ reason: HostRules.Reason) {
        self.phase = .answering
        guard !self.deck.own.isNamed(by: origin) else {
            self.refuseTunnelHere()
            return
        }
        session.noteConnectionOpened()
        self.deck.noteConnectionOpened()
        let peer = TunnelPeer(client: self)
        self.dial(origin, peer).assumeIsolated().whenComplete { result in
            guard case .answering = self.phase, let context = self.context, !self.isStopping else {
                peer.close()
                return
            }
            switch result {
            case .success:
                session.notePassed(origin, reason, isTunnel: true)
                self.noteTunnel(to: origin, session, .forwarded(recorded: false))
                context.writeAndFlush(
                    self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")),
                    promise: nil
                )
                self.becomeOpaque(with: peer)
                if self.inputClosed { peer.finish() }
                peer.resumeReading()
            case .failure(is OwnAddressReached):
                self.refuseTunnelHere()
                self.goOn()
            case .failure(let error):
                self.failTunnel(origin, session, UpstreamFailure(connecting: error, host: origin.host))
            }
        }
    }

    private func dial(_ origin: Origin, _ peer: TunnelPeer) -> EventLoopFuture<Void> {
        let loop = self.loop.eventLoop
        let own = self.deck.own
        let bound = NIOLoopBound(peer, eventLoop: loop)
        return ClientBootstrap(group: loop)
            .connectTimeout(self.deck.configuration.connectTimeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: origin.host, port: origin.port)
            .flatMapThrowing { channel in
                // Before a byte is sent: whatever its name, it may lead back to this program.
                if own.isReached(remote: channel.remoteAddress, local: channel.localAddress) {
                    channel.close(promise: nil)
                    throw OwnAddressReached()
                }
                try channel.pipeline.syncOperations.addHandler(bound.value)
            }
    }

    private func refuseTunnelHere() {
        self.refuse(MalformedMessage("the tunnel leads to Tapedeck itself and would go round for ever", status: 508))
    }

    private func failTunnel(_ origin: Origin, _ session: Session, _ failure: UpstreamFailure) {
        let line = RequestLine(method: "CONNECT", url: AbsoluteURL(origin: origin, target: "/"))
        let problem = "the tunnel could not be passed through"
        session.noteForwarded(ForwardedRequest(request: line, failure: failure, notRecorded: problem))
        self.noteTunnel(to: origin, session, .refused(reason: failure.description))
        self.deck.log.notice(
            "an origin could not be reached",
            metadata: ["request": "\(line)", "failure": "\(failure)"]
        )
        let place = "\(origin.bracketedHost):\(origin.port)"
        let answer = OwnAnswer(
            status: failure.fault == .timeout ? 504 : 502,
            json: .object([
                ("error", .string(failure.fault.rawValue)),
                ("message", .string("Tapedeck cannot pass the tunnel through to \(place): \(failure).")),
            ]),
            headers: [HeaderField("X-Tapedeck-Fault", failure.fault.rawValue)]
        )
        self.answer(answer, for: ClientAbilities(keepsAlive: false))
        self.goOn()
    }
}
