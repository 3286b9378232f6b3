import Logging
import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Answers of Tapedeck's own.
extension Exchange {
    /// Sends one, and ends with it.
    func answer(_ answer: LocalResponse) {
        let answer = self.forClient(answer)
        self.trace.answer(answer, isHead: self.client.isHead)
        self.send(answer)
    }

    /// Sends one that the journal has in other words.
    func send(_ answer: LocalResponse) {
        guard !self.hasEnded else { return }
        guard self.early == nil else {
            self.endEarly(answer)
            return
        }
        self.stream.send(self.forClient(answer))
        self.end(answer.closes ? .completeAndClosed : .complete)
    }

    /// Returns the answer in the form that its client takes.
    private func forClient(_ answer: LocalResponse) -> LocalResponse {
        MessageFraming(self.request.fields).map { answer.forCall($0) } ?? answer
    }

    /// Rejects an unmatched request, or answers it as the session's policy says.
    func reject(_ report: UnmatchedReport, instead take: Take?) {
        self.deck.logUnmatched(report)
        if let take {
            self.play(instead: take)
        } else {
            self.answer(self.request.wantsWebSocket ? .webSocket(self.shownLine) : .unmatched(report))
        }
    }

    /// Refuses a request that cannot be understood to its end.
    func refuse(_ problem: MalformedMessage) {
        self.deck.log.notice("refused a request", metadata: ["reason": "\(problem.reason)"])
        let answer = self.forClient(.refusal(problem))
        self.trace.outcome(.refused(reason: problem.reason))
        self.trace.answer(answer, isHead: self.client.isHead)
        self.send(answer)
    }

    func refuseBlocked(_ pattern: String) {
        let origin = self.request.line.url.origin
        self.session.noteBlocked(origin, pattern: pattern)
        self.trace.outcome(.refused(reason: "the host is blocked (block \(pattern))"))
        self.deck.logBlocked(origin, pattern)
        self.answer(.blocked(origin, pattern: pattern))
    }

    func refuseTarget(_ refusal: TargetRefusal) {
        self.session.noteRefused(refusal)
        self.trace.outcome(.refused(reason: refusal.message))
        self.deck.logRefused(refusal)
        self.answer(.refusedTarget(refusal))
    }

    /// Refuses a request to the deck itself.
    func refuseLoop() {
        let line = self.request.line
        let origin = line.url.origin
        guard self.request.route.transparent == nil else {
            // The client's alias for the origin holds here too.
            let problem = LocalResponse.loop(origin)
            self.session.noteForwarded(ForwardedRequest(request: line, notRecorded: problem))
            self.trace.outcome(.refused(reason: problem))
            self.deck.log.notice(
                "an origin is the deck itself",
                metadata: ["origin": "\(origin)", "reason": "\(problem)"]
            )
            self.answer(.leadsHere(origin))
            return
        }
        let problem = "the request is for Tapedeck's own address and would go round for ever"
        self.session.noteForwarded(ForwardedRequest(request: line, notRecorded: problem))
        self.refuse(MalformedMessage(problem, status: 508))
    }

    func refuseEnded(isHeld: Bool) {
        let refusal = SessionRefusal.ended(self.session.id)
        let reason = isHeld ? "the session ended while it held the request" : refusal.message
        self.trace.outcome(.refused(reason: reason))
        self.answer(refusal.answer)
    }

    /// Answers a TRACE or an OPTIONS that may not be forwarded any further, as its final recipient.
    func answerAsLastHop() {
        self.trace.outcome(.refused(reason: "Max-Forwards: 0 ends here"))
        let line = self.request.line
        let answer =
            line.method == "TRACE"
            ? MaxForwards.reflection(of: line, self.request.fields)
            : LocalResponse(
                status: 200,
                mediaType: "text/plain; charset=utf-8",
                body: [],
                headers: [HeaderField("Allow", "CONNECT, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE")]
            )
        self.answer(answer)
    }
}

extension ProxyContext {
    func logUnmatched(_ report: UnmatchedReport) {
        self.log.notice(
            "nothing on tape answers a request",
            metadata: ["request": "\(report.request)", "reason": "\(report.summary)"]
        )
    }

    func logBlocked(_ origin: Origin, _ pattern: String) {
        self.log.notice(
            "blocked a request",
            metadata: ["host": "\(origin.bracketedHost):\(origin.port)", "pattern": "\(pattern)"]
        )
    }

    func logRefused(_ refusal: TargetRefusal) {
        self.log.notice(
            "refused to connect somewhere",
            metadata: ["host": "\(refusal.place)", "reason": "\(refusal.reason)"]
        )
    }
}

extension LocalResponse {
    /// The answer to a request for a host that is blocked.
    static func blocked(_ origin: Origin, pattern: String) -> LocalResponse {
        let host = "\(origin.bracketedHost):\(origin.port)"
        return LocalResponse(
            status: 403,
            json: .object([
                ("error", .string("blocked")),
                ("message", .string("Tapedeck does not contact \(host): the host is blocked (block \(pattern)).")),
                ("host", .string(host)),
                ("pattern", .string(pattern)),
            ]),
            headers: [
                HeaderField("Cache-Control", "no-store"),
                HeaderField("X-Tapedeck-Reason", "\(host) is blocked"),
            ]
        )
    }

    /// The answer to a request that would lead where this deck does not connect to.
    static func refusedTarget(_ refusal: TargetRefusal) -> LocalResponse {
        LocalResponse(
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
