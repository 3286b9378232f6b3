import NIOCore
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions

/// Sends an answer whose parts come over the control API: an event stream that a test feeds.
final class OpenAnswerSender: AnswerUnderWay, OpenAnswerStream {
    // They hold each other until the answer ends or is cancelled.
    private let exchange: Exchange
    private let answer: OpenAnswer

    init(_ answer: OpenAnswer, of exchange: Exchange) {
        self.answer = answer
        self.exchange = exchange
    }

    func begin() {
        let take = self.answer.take
        let fields = self.exchange.request.readdressed(take.headers) ?? take.headers
        let head = ResponseHead(status: take.status, reason: take.reasonPhrase, fields: fields)
        let sent = self.exchange.stream.sendHead(head, end: self.exchange.client.isHead ? .byHead : .marked)
        self.exchange.trace.head(status: head.status, phrase: head.reason, fields: sent)
        self.exchange.stream.flush()
        self.answer.connect(self)
    }

    // MARK: Parts

    func send(_ bytes: ByteBuffer) {
        self.exchange.trace.body(bytes)
        self.exchange.stream.sendBody(bytes)
        self.exchange.stream.flush()
    }

    func end(_ ending: OpenAnswer.Ending) {
        self.exchange.session.closeOpenAnswer(self.answer.number)
        let stream = self.exchange.stream
        switch ending {
        case .complete:
            stream.sendEnd(trailers: [])
            self.exchange.end(.complete)
        case .cut: self.exchange.end(.cut)
        case .reset: self.exchange.end(.reset)
        }
        stream.goOn()
    }

    // MARK: Ends

    func cancel() {
        self.answer.connect(nil)
        self.exchange.session.closeOpenAnswer(self.answer.number)
    }

    /// Counts as a disconnect, as for a held answer: the next part may come at any time or never, and until it is written
    /// the socket does not tell the two apart.
    func clientFinishedSending() {
        self.cancel()
        self.exchange.abandon()
    }

    /// The rest will not be sent.
    func hurry() {
        self.exchange.stream.closeNow()
    }
}

@available(*, unavailable)
extension OpenAnswerSender: Sendable {}
