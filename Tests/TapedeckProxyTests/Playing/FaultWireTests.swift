import NIOCore
import TapedeckCore
import TapedeckSessions
import Testing

/// The effect of a take's fault on a client's connection.
@Suite struct FaultWireTests {
    private static let body = "0123456789"
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

    private static func proxy(_ take: Take, delay: Int? = nil) async throws -> RunningProxy {
        let pacing = Pacing(delay: delay.map(Pacing.Delay.fixed))
        return try await RunningProxy.start(
            RunningProxy.cassette([
                "/fault": Behaviour(.takes([take]), pacing: pacing),
                "/plain": Behaviour(.takes([Take(body: RunningProxy.text("plain"))])),
            ])
        )
    }

    @Test(
        arguments: [
            (.resetBeforeBody, head, .reset),
            (.resetDuringBody, head + "01234", .reset),
            (.resetAfterBody, head + body, .reset),
            (.malformedChunk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\nxyz\r\n", .closed),
            (.connectionReset, "", .reset),
            (.emptyResponse, "", .closed),
        ] as [(Fault, String, WireClient.Ending)]
    )
    func theBytesAndTheEndOfAFault(_ fault: Fault, _ expected: String, _ ending: WireClient.Ending) async throws {
        let body = fault.hasResponse ? RunningProxy.text(Self.body) : .none
        for delay in [nil, 1] {
            let proxy = try await Self.proxy(Take(body: body, fault: fault), delay: delay)
            let answer = try await proxy.ask("/fault")
            try await proxy.stop()
            #expect(answer.text == expected)
            #expect(answer.ending == ending)
        }
    }

    @Test func chunksBreakOffWhereTheResetComes() async throws {
        let chunked = [HeaderField("Transfer-Encoding", "chunked")]
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (fault, expected) in [
            (Fault.resetBeforeBody, head), (.resetDuringBody, head + "5\r\n01234\r\n"),
            (.resetAfterBody, head + "a\r\n0123456789\r\n0\r\n\r\n"),
        ] {
            let take = Take(headers: chunked, body: RunningProxy.text(Self.body), fault: fault)
            let proxy = try await Self.proxy(take)
            let answer = try await proxy.ask("/fault")
            try await proxy.stop()
            #expect(answer.text == expected)
            #expect(answer.ending == .reset)
        }
    }

    /// RFC 9112 section 6.1: an HTTP/1.0 client knows no chunks, so to it the body just ends early.
    @Test func anHTTP10ClientGetsAMalformedChunkAsATruncatedBody() async throws {
        let proxy = try await Self.proxy(Take(body: RunningProxy.text(Self.body), fault: .malformedChunk))
        let client = try await proxy.connect()
        try await client.send("GET \(RunningProxy.origin)/fault HTTP/1.0\r\n\r\n")
        let (bytes, ending) = await client.readToEnd()
        try await proxy.stop()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n"
        #expect(String(decoding: bytes, as: UTF8.self) == head + "01234")
        #expect(ending == .closed)
    }

    @Test func garbageIsAlwaysTheSameAndNotHTTP() async throws {
        let proxy = try await Self.proxy(Take(fault: .garbage))
        var blocks: [[UInt8]] = []
        for _ in 0..<2 {
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get("/fault"))
            let (bytes, ending) = await client.readToEnd()
            #expect(ending == .closed)
            blocks.append(bytes)
        }
        try await proxy.stop()
        #expect(blocks[0] == blocks[1])
        #expect(blocks[0].count == 256)
        #expect(blocks[0].allSatisfy { $0 >= 0x80 })
    }

    @Test func aHangingAnswerEndsWhenTheDeckStops() async throws {
        let proxy = try await Self.proxy(Take(fault: .hang))
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/plain", last: false) + RunningProxy.get("/fault"))
        let first = await client.read(1)
        // Would wait for an hour.
        await proxy.drain()
        let (rest, ending) = await client.readToEnd()
        try await proxy.stop()
        #expect((first + String(decoding: rest, as: UTF8.self)).hasSuffix("\r\n\r\nplain"))
        #expect(ending == .closed)
        #expect(proxy.session.report().played == 2)
    }

    @Test func aHangingAnswerEndsWhenTheClientClosesItsSide() async throws {
        let proxy = try await Self.proxy(Take(fault: .hang))
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/fault", last: false))
        try await client.finishSending()
        let (bytes, ending) = await client.readToEnd()
        try await proxy.stop()
        #expect(bytes.isEmpty)
        #expect(ending == .closed)
    }

    @Test(
        arguments: [
            (.resetDuringBody, head + "01234", .reset), (.connectionReset, "", .reset),
            (.resetAfterBody, head + body, .reset),
            (.malformedChunk, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\nxyz\r\n", .truncated),
        ] as [(Fault, String, WireClient.Ending)]
    )
    func faultsWithinTLSEndWithoutACloseNotify(
        _ fault: Fault,
        _ expected: String,
        _ ending: WireClient.Ending
    ) async throws {
        let body = fault.hasResponse ? RunningProxy.text(Self.body) : .none
        let request = RequestMatcher(method: "GET", url: try #require(AbsoluteURL("https://api.example.test/fault")))
        let take = Take(body: body, fault: fault)
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "b", takes: [take])])
        let proxy = try await RunningProxy.start(Cassette(name: "tape", responseSets: [set]))
        let client = try await proxy.connect()
        try await client.send("CONNECT api.example.test:443 HTTP/1.1\r\nHost: api.example.test:443\r\n\r\n")
        #expect(await client.read(1).hasPrefix("HTTP/1.1 200 "))
        try await client.startTLS("api.example.test", authority: proxy.authority)
        try await client.send("GET /fault HTTP/1.1\r\nHost: api.example.test\r\n\r\n")
        let (bytes, came) = await client.readToEnd()
        try await proxy.stop()
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(came == ending)
    }
}
