import NIOCore
import NIOEmbedded
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// Exchanges without a real client connection: their calls to the stream.
@Suite struct ExchangeTests {
    /// Notes what an exchange says.
    private final class Stream: ClientStream {
        enum Said: Equatable {
            case continues
            case response(status: Int)
            case own(status: Int)
            case garbage
            case finished(StreamEnding)
            case closed
        }

        var said: [Said] = []
        var isWritable = true
        var hasFinishedSending = false

        func resumeReading() {}
        func sendContinue() { self.said.append(.continues) }
        func sendInterim(_ head: ResponseHead) { self.said.append(.response(status: head.status)) }
        func sendHead(_ head: ResponseHead, end: BodyEnd) -> [HeaderField] {
            self.said.append(.response(status: head.status))
            return head.fields
        }
        func sendBody(_ bytes: ByteBuffer) {}
        func sendEnd(trailers: [HeaderField]) {}
        func send(_ response: PlayableResponse) {
            self.said.append(.response(status: response.head.status))
        }
        func sendHead(of response: PlayableResponse) { self.send(response) }
        func sendBody(_ bytes: ByteBuffer, of response: PlayableResponse, written: EventLoopPromise<Void>) {
            written.succeed()
        }
        func sendEnd(of response: PlayableResponse) {}
        func send(_ answer: LocalResponse) { self.said.append(.own(status: answer.status)) }
        func sendGarbage() { self.said.append(.garbage) }
        func finish(_ ending: StreamEnding) { self.said.append(.finished(ending)) }
        func becomeOpaque(with peer: any OpaquePeer) -> any OpaquePeer { peer }
        func goOn() {}
        func flush() {}
        func closeNow() { self.said.append(.closed) }
    }

    private let deck: EmbeddedDeck
    private let stream = Stream()

    init() throws {
        func fault(_ fault: Fault) -> Behaviour { Behaviour(.takes([Take(fault: fault)])) }
        self.deck = try EmbeddedDeck(
            try RunningProxy.cassette([
                "/a": Behaviour(.takes([Take(body: RunningProxy.text("one"))])),
                "/slow": Behaviour(.takes([Take(status: 203)]), pacing: Pacing(delay: .fixed(1_000))),
                "/reset": fault(.connectionReset), "/garbage": fault(.garbage), "/hang": fault(.hang),
                "/refused": fault(.connectionRefused),
            ])
        )
    }

    /// Begins an exchange, as a connection does when a head has come.
    private func begin(
        _ method: String,
        _ path: String,
        hasBody: Bool = false,
        expectsContinue: Bool = false
    ) throws -> Exchange {
        let url = try #require(AbsoluteURL("\(RunningProxy.origin)\(path)"))
        let line = RequestLine(method: method, url: url)
        let key = RequestKey(method: method, url: url)
        var seen = SeenRequest(
            session: self.deck.session,
            request: JournalRequest(head: Array("\(line) HTTP/1.1\r\n\r\n".utf8), origin: url.origin, pathStart: 0),
            start: .now(),
            time: .now
        )
        var judge = RequestJudge(self.deck.context)
        let verdict = judge.verdict(
            on: &seen,
            key: key,
            origin: url.origin,
            isAsked: false,
            hasBody: hasBody,
            selects: false,
            fields: { [] }
        )
        let exchange = Exchange(
            ClientRequest(
                session: self.deck.session,
                client: ClientAbilities(),
                line: line,
                key: key,
                fields: [],
                route: .proxy,
                expectsContinue: expectsContinue
            ),
            seen,
            verdict,
            hasBody: hasBody,
            judge: judge,
            stream: self.stream,
            deck: self.deck.context,
            loop: self.deck.loop
        )
        exchange.begin(verdict)
        return exchange
    }

    @Test func `An answer from tape is sent when the request is complete`() throws {
        let exchange = try self.begin("GET", "/a")
        #expect(self.stream.said.isEmpty)
        exchange.endBody(trailers: [])
        #expect(self.stream.said == [.response(status: 200), .finished(.complete)])
        #expect(exchange.hasEnded)
        #expect(self.deck.session.journal.entry(1)?.ending == .complete)
    }

    @Test func `An unmatched request gets a 501, once its body has arrived`() throws {
        let exchange = try self.begin("PUT", "/b", hasBody: true, expectsContinue: true)
        #expect(self.stream.said == [.continues])
        exchange.takeBody(ByteBuffer(string: "abc"))
        exchange.endBody(trailers: [])
        #expect(self.stream.said == [.continues, .own(status: 501), .finished(.complete)])
        let entry = try #require(self.deck.session.journal.entry(1))
        #expect(entry.requestBody?.bytes == Array("abc".utf8))
        guard case .unmatched = entry.outcome else {
            Issue.record("\(entry.outcome)")
            return
        }
    }

    @Test(arguments: [("/reset", [Stream.Said.finished(.reset)]), ("/garbage", [.garbage, .finished(.cut)])])
    private func `A fault is passed to the stream`(path: String, said: [Stream.Said]) throws {
        try self.begin("GET", path).endBody(trailers: [])
        #expect(self.stream.said == said)
    }

    @Test func `A refused connection is a 502 of the proxy`() throws {
        try self.begin("GET", "/refused").endBody(trailers: [])
        #expect(self.stream.said == [.own(status: 502), .finished(.complete)])
    }

    @Test func `A hanging answer ends with its client`() throws {
        let exchange = try self.begin("GET", "/hang")
        exchange.endBody(trailers: [])
        #expect(self.stream.said.isEmpty)
        self.stream.hasFinishedSending = true
        exchange.clientFinishedSending()
        #expect(self.stream.said == [.closed])
    }

    @Test func `A delay is waited out, or ended by a deck that stops`() throws {
        let waiting = try self.begin("GET", "/slow")
        waiting.endBody(trailers: [])
        self.deck.eventLoop.advanceTime(by: .milliseconds(999))
        #expect(self.stream.said.isEmpty)
        self.deck.eventLoop.advanceTime(by: .milliseconds(1))
        #expect(self.stream.said == [.response(status: 203), .finished(.complete)])
        self.stream.said = []
        let hurried = try self.begin("GET", "/slow")
        hurried.endBody(trailers: [])
        hurried.hurry()
        #expect(self.stream.said == [.response(status: 203), .finished(.complete)])
    }

    @Test func `A client that has gone gets nothing more`() throws {
        let exchange = try self.begin("GET", "/slow")
        exchange.endBody(trailers: [])
        exchange.cancel()
        self.deck.eventLoop.advanceTime(by: .milliseconds(1_000))
        #expect(self.stream.said.isEmpty)
        #expect(self.deck.session.journal.entry(1)?.ending == .abandoned)
    }

    @Test func `A held request waits, and gets the released answer`() throws {
        self.deck.session.add(try Holding.holder("/a"))
        let exchange = try self.begin("POST", "/a", hasBody: true)
        exchange.takeBody(ByteBuffer(string: "three apples"))
        exchange.endBody(trailers: [])
        #expect(exchange.isHeld)
        #expect(!exchange.canTakeBody)
        #expect(self.deck.session.release(held: 1, with: Take(status: 409)))
        self.deck.eventLoop.run()
        #expect(self.stream.said == [.response(status: 409), .finished(.complete)])
    }

    @Test func `The rest of a request that is malformed is refused in place of an answer`() throws {
        let exchange = try self.begin("PUT", "/b", hasBody: true)
        exchange.refuseRest(MalformedMessage("a chunk has no size"))
        #expect(self.stream.said == [.own(status: 400), .finished(.complete)])
    }
}
