import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

@Suite
struct TakePlayerTests {
    private static let gzipClient = ClientAbilities(codings: .gzip)

    private func player(_ takes: Take...) throws -> TakePlayer {
        let request = RequestMatcher(method: nil, url: try #require(AbsoluteURL("https://a.test/")))
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: takes)])
        return TakePlayer(
            tape: Tape([Cassette(name: "test", responseSets: [set])]),
            threadPool: .singleton,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any()
        )
    }

    private func text(_ text: String, coding: BodyCoding? = nil) -> StoredBody {
        .inline(InlineBody(form: .text, content: Array(text.utf8), coding: coding))
    }

    private func wire(_ response: PlayableResponse) -> String {
        String(decoding: response.bytes.readableBytesView, as: UTF8.self)
    }

    /// Returns the client's answer for the only take.
    private func played(_ take: Take, for client: ClientAbilities = ClientAbilities()) throws -> String {
        self.wire(try #require(try self.player(take).ready(0, for: client)))
    }

    @Test func aTakeGoesOutAsItWasRecorded() throws {
        let take = Take(
            status: 404,
            reason: "Gone Fishing",
            headers: [HeaderField("X-A", "1"), HeaderField("content-length", "2"), HeaderField("x-a", "2")],
            body: self.text("hi")
        )
        #expect(
            try self.played(take)
                == "HTTP/1.1 404 Gone Fishing\r\nX-A: 1\r\ncontent-length: 2\r\nx-a: 2\r\n\r\nhi"
        )
    }

    @Test func jsonIsWrittenInItsRecordedLayout() throws {
        let body = InlineBody(form: .json, content: Array("{\n  \"a\": 1\n}\n".utf8), layout: .compact)
        let take = Take(body: .inline(body))
        #expect(try self.played(take) == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
    }

    @Test(arguments: [
        (ClientAbilities(isHead: true), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
        (ClientAbilities(keepsAlive: false), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
        (ClientAbilities(version: .http10), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"),
        (
            ClientAbilities(version: .http10, keepsAlive: false),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
        ),
    ])
    func theHeadDependsOnTheClientsAbilities(_ client: ClientAbilities, _ expected: String) throws {
        let take = Take(headers: [HeaderField("Content-Length", "2")], body: self.text("hi"))
        #expect(try self.played(take, for: client) == expected)
    }

    @Test(arguments: [204, 304])
    func statusesWithoutABodyGoOutWithoutOne(_ status: Int) throws {
        let take = Take(status: status, reason: "X", headers: [HeaderField("ETag", "a")])
        #expect(try self.played(take) == "HTTP/1.1 \(status) X\r\nETag: a\r\n\r\n")
    }

    @Test func chunksAndTrailersGoOutAsChunks() throws {
        let take = Take(
            headers: [HeaderField("Transfer-Encoding", "chunked")],
            body: self.text("0123456789abcdef"),
            trailers: [HeaderField("X", "y")]
        )
        #expect(
            try self.played(take)
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n"
        )
        #expect(
            try self.played(take, for: ClientAbilities(version: .http10))
                == "HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: keep-alive\r\n\r\n0123456789abcdef"
        )
    }

    @Test func anEmptyChunkedBodyIsOnlyTheLastChunk() throws {
        let take = Take(headers: [HeaderField("Transfer-Encoding", "chunked")])
        #expect(try self.played(take) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    }

    @Test func interimResponsesGoFirstToAClientThatKnowsThem() throws {
        let hints = Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")])
        let take = Take(interim: [hints, Take.Interim(status: 102, headers: [])], body: self.text("hi"))
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
        #expect(
            try self.played(take)
                == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n\(final)\r\nhi"
        )
        #expect(
            try self.played(take, for: ClientAbilities(version: .http10))
                == "\(final)Connection: keep-alive\r\n\r\nhi"
        )
    }

    @Test func theEndOfTheConnectionFollowsFromTheTake() throws {
        let player = try self.player(
            Take(body: self.text("hi")),
            Take(body: self.text("hi"), endsAtClose: true),
            Take(headers: [HeaderField("Content-Length", "9")], body: self.text("hi"), fault: .truncatedBody)
        )
        let expected: [(StreamEnding, String)] = [
            (.complete, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            (.completeAndClosed, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi"),
            (.cut, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"),
        ]
        for (number, expected) in expected.enumerated() {
            let response = try #require(player.ready(number, for: ClientAbilities()))
            #expect(response.ending == expected.0)
            #expect(self.wire(response) == expected.1)
        }
        #expect(player.ready(0, for: ClientAbilities(keepsAlive: false))?.ending == .completeAndClosed)
    }

    @Test func aTruncatedChunkedBodyHasNoLastChunk() throws {
        let take = Take(
            headers: [HeaderField("Transfer-Encoding", "chunked")],
            body: self.text("hi"),
            fault: .truncatedBody
        )
        #expect(try self.played(take) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")
    }

    @Test func aCodedTakeIsCodedAgainForAClientThatAcceptsIt() async throws {
        let take = Take(
            headers: [HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "9")],
            body: self.text("hello", coding: .gzip)
        )
        let player = try self.player(take)
        #expect(player.ready(0, for: Self.gzipClient) == nil)
        let response = try await player.prepare(0, for: Self.gzipClient, session: nil).get()
        let coded = try ContentCoder.encode(Array("hello".utf8), .gzip)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        #expect(Array(response.bytes.readableBytesView) == Array(head.utf8) + coded)
        player.keep(response, take: 0, client: Self.gzipClient)
        #expect(player.ready(0, for: Self.gzipClient) === response)
    }

    @Test(arguments: [ClientAbilities(), ClientAbilities(codings: .deflate)])
    func aCodedTakeIsDecodedForAClientThatDoesNotAcceptIt(_ client: ClientAbilities) throws {
        let take = Take(
            headers: [HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "9")],
            body: self.text("hello", coding: .gzip)
        )
        #expect(try self.played(take, for: client) == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    }

    @Test func aTakeWithoutACodingIsEncodedOnceForAllClients() throws {
        let player = try self.player(Take(body: self.text("hi")))
        let first = try #require(player.ready(0, for: ClientAbilities()))
        let all = ClientAbilities(codings: [.gzip, .deflate])
        #expect(player.ready(0, for: all) === first)
        #expect(player.ready(0, for: ClientAbilities(isHead: true)) !== first)
    }

    @Test func preparedResponsesOfTwoTakesAreSeparate() throws {
        let player = try self.player(Take(status: 200, body: self.text("a")), Take(status: 201, body: self.text("b")))
        for client in [ClientAbilities(), ClientAbilities(isHead: true), ClientAbilities(version: .http10)] {
            for _ in 0..<2 {
                let responses = try (0...1).map { self.wire(try #require(player.ready($0, for: client))) }
                #expect(responses[0].hasPrefix("HTTP/1.1 200 "))
                #expect(responses[1].hasPrefix("HTTP/1.1 201 "))
            }
        }
    }
}
