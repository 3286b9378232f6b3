import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import TapedeckTLS

/// Tunnels that are passed through: bytes between client and origin are not interpreted.
extension ClientConnection {
    /// Connects to the origin, then joins the two connections. Unlike an intercepted tunnel, this one needs the origin
    /// before the client gets its 200.
    func passTunnel(to origin: Origin, of session: Session, _ reason: HostRules.Reason) {
        self.state.tunnelIsDialled()
        guard !self.deck.own.isNamed(by: origin) else {
            self.refuseTunnelHere(to: origin)
            return
        }
        let peer = TunnelPeer(client: self)
        self.dial(origin, of: session, peer, local: reason.isLocal(origin)).assumeIsolated().whenComplete { result in
            guard self.state.awaitsTunnel, let context = self.context else {
                peer.close()
                return
            }
            switch result {
            case .success:
                session.notePassed(origin, reason, isTunnel: true)
                self.noteTunnel(to: origin, session, .forwarded(recorded: false))
                // A client of a transparent port has requested no tunnel.
                if self.intake.route.transparent == nil {
                    context.writeAndFlush(self.wrapOutboundOut(self.tunnelAcceptance), promise: nil)
                }
                _ = self.becomeOpaque(with: peer)
                peer.resumeReading()
            case .failure(is OwnAddressReached):
                self.refuseTunnelHere(to: origin)
                self.goOn()
            case .failure(let refusal as TargetRefusal):
                self.noteRefusedTunnel(session, refusal)
                if !self.refuseSOCKSTunnel(.notAllowed, refusal.message) { self.turnAway(.refusedTarget(refusal)) }
                self.goOn()
            case .failure(let error):
                let failure = error as? UpstreamFailure ?? UpstreamFailure(connecting: error, host: origin.host)
                self.failTunnel(origin, session, failure)
            }
        }
    }

    private func dial(
        _ origin: Origin,
        of session: Session,
        _ peer: TunnelPeer,
        local: Bool
    ) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(peer, eventLoop: self.loop.eventLoop)
        return self.loop.upstreams.connect(to: origin, for: session, local: local).flatMap { channel in
            channel.setOption(.allowRemoteHalfClosure, value: true).flatMapThrowing {
                try channel.pipeline.syncOperations.addHandler(bound.value)
            }
        }
    }

    private func refuseTunnelHere(to origin: Origin) {
        guard self.intake.route.transparent == nil else {
            self.refuseHandshake(.internalError, LocalResponse.loop(origin), host: origin.host)
            return
        }
        let problem = "the tunnel leads to Tapedeck itself and would go round for ever"
        guard !self.refuseSOCKSTunnel(.notAllowed, problem) else { return }
        self.refuse(MalformedMessage(problem, status: 508))
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
        guard self.intake.route.transparent == nil else {
            self.refuseHandshake(.internalError, "\(failure)", host: origin.host)
            self.goOn()
            return
        }
        guard !self.refuseSOCKSTunnel(.generalFailure, "\(failure)") else { return }
        let place = "\(origin.bracketedHost):\(origin.port)"
        let answer = LocalResponse(
            status: failure.fault == .timeout ? 504 : 502,
            json: .object([
                ("error", .string(failure.fault.rawValue)),
                ("message", .string("Tapedeck cannot pass the tunnel through to \(place): \(failure).")),
            ]),
            headers: [HeaderField("X-Tapedeck-Fault", failure.fault.rawValue)]
        )
        self.turnAway(answer)
        self.goOn()
    }
}
