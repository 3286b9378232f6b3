import TapedeckCore

@testable import TapedeckSessions

extension Session {
    /// Notes a request that went to its origin, as the proxy does; returns its number.
    @discardableResult
    func see(
        _ method: String = "GET",
        _ path: String,
        body: JournalBody? = JournalBody(bytes: [], length: 0),
        headers: [String] = [],
        answer: JournalResponse? = JournalResponse(
            status: 200,
            reason: "OK",
            fields: [HeaderField("Content-Type", "text/plain")],
            body: JournalBody(bytes: Array("live".utf8), length: 4)
        ),
        outcome: JournalEntry.Outcome = .forwarded(recorded: false),
        ending: JournalEntry.Ending? = .complete
    ) -> Int {
        let origin = Origin(scheme: .http, host: "shop.test")
        let head = ["\(method) \(path) HTTP/1.1", "Host: shop.test"] + headers
        return self.journal.add(
            JournalRequest(
                head: Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8),
                origin: origin,
                pathStart: 0
            ),
            at: Instant(seconds: 1_795_255_748),
            body: body,
            outcome: outcome,
            response: answer,
            microseconds: ending == nil ? nil : 1_500,
            ending: ending
        )
    }

    /// The rest of a request's body has come.
    func finish(_ number: Int, body: String) {
        self.journal.change(number) { entry in
            entry.requestBody = JournalBody(bytes: Array(body.utf8), length: body.utf8.count)
        }
    }
}
