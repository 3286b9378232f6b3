import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// What is refused because of where it would lead.
extension ClientConnection {
    /// Answers a request that would lead where this deck does not connect to.
    func refuseTarget(_ request: ClientRequest, _ refusal: TargetRefusal, for client: ClientAbilities) {
        request.session.noteRefused(refusal)
        self.trace?.outcome(.refused(reason: refusal.message))
        self.logRefused(refusal)
        self.answer(.refusedTarget(refusal), for: client)
    }

    /// The same for a request whose body, or the rest of it, is not read.
    func refuseUnread(_ request: ClientRequest, _ refusal: TargetRefusal) {
        var client = request.client
        client.keepsAlive = client.keepsAlive && self.decoder.endsNow
        self.refuseTarget(request, refusal, for: client)
    }

    /// The same for a tunnel that is not intercepted.
    func refuseTunnelTarget(_ session: Session, _ refusal: TargetRefusal) {
        self.noteRefusedTunnel(session, refusal)
        self.answer(.refusedTarget(refusal), for: ClientAbilities(keepsAlive: false))
        self.goOn()
    }

    /// Notes a tunnel that may not lead where it is meant for.
    func noteRefusedTunnel(_ session: Session, _ refusal: TargetRefusal) {
        session.noteRefused(refusal)
        self.noteTunnel(to: refusal.origin, session, .refused(reason: refusal.message))
        self.logRefused(refusal)
    }

    private func logRefused(_ refusal: TargetRefusal) {
        self.deck.log.notice(
            "refused to connect somewhere",
            metadata: ["host": "\(refusal.place)", "reason": "\(refusal.reason)"]
        )
    }
}

extension OwnAnswer {
    /// The answer to a request that would lead where this deck does not connect to.
    static func refusedTarget(_ refusal: TargetRefusal) -> OwnAnswer {
        OwnAnswer(
            status: 403,
            json: .object([
                ("error", .string("targetRefused")),
                ("message", .string(refusal.message)),
                ("host", .string(refusal.place)),
            ]),
            headers: [
                HeaderField("Cache-Control", "no-store"),
                HeaderField("X-Tapedeck-Reason", "\(refusal.place) is not asked: \(refusal.reason)"),
            ]
        )
    }
}
