import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TestShare
import Testing

/// Answers that take their time, on real sockets.
@Suite struct PacingWireTests {
    private static let hour = Pacing(delay: .fixed(3_600_000))
    private static let plain = Behaviour(.takes([Take(body: RunningProxy.text("plain"))]))
    private static let plainAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"

    private static func slow(_ text: String, _ pacing: Pacing) -> Behaviour {
        Behaviour(.takes([Take(body: RunningProxy.text(text))]), pacing: pacing)
    }

    /// Sends a request for `/slow`, and returns once the proxy has read it.
    private static func ask(
        _ proxy: RunningProxy,
        fields: String = "",
        staysOpen: Bool = false
    ) async throws -> WireClient {
        let client = try await proxy.connect(staysOpen: staysOpen)
        let slow = RunningProxy.get("/slow", fields: fields)
        try await client.send(RunningProxy.get("/plain", last: false) + slow)
        let head = Self.plainAnswer + "\r\nplain"
        #expect(await client.read(head.count).hasPrefix(head))
        return client
    }

    private static func rest(_ client: WireClient) async -> String {
        String(decoding: await client.readToEnd().bytes, as: UTF8.self)
    }

    @Test func aDelayedAnswerIsCompleteAndTheConnectionStaysOpen() async throws {
        let cassette = try RunningProxy.cassette([
            "/slow": Self.slow("slow", Pacing(delay: .fixed(1))), "/plain": Self.plain,
        ])
        let proxy = try await RunningProxy.start(cassette)
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/slow", last: false) + RunningProxy.get("/plain"))
        let text = await Self.rest(client)
        try await proxy.stop()
        // Later answers wait for it.
        let slow = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"
        #expect(text == slow + Self.plainAnswer + "Connection: close\r\n\r\nplain")
    }

    @Test(arguments: [hour, Pacing(bandwidth: 1), Pacing(dribble: Pacing.Dribble(pieces: 2, milliseconds: 3_600_000))])
    func aStopSkipsDelaysAndTheAnswerIsComplete(_ pacing: Pacing) async throws {
        let text = String(repeating: "0123456789", count: 1_000)
        let cassette = try RunningProxy.cassette(["/slow": Self.slow(text, pacing), "/plain": Self.plain])
        let proxy = try await RunningProxy.start(cassette)
        let client = try await Self.ask(proxy)
        async let drained: Void = proxy.drain()
        let answer = await Self.rest(client)
        await drained
        try await proxy.stop()
        // Its head may have come along with the answer before.
        let isWhole = answer.hasSuffix(text)
        #expect(isWhole)
    }

    @Test func aStopSkipsTheDelayOfAnIncompleteRequest() async throws {
        let cassette = try RunningProxy.cassette(["/slow": Self.slow("slow", Self.hour), "/plain": Self.plain])
        let proxy = try await RunningProxy.start(cassette)
        let client = try await proxy.connect()
        let request = RunningProxy.get("/slow")
        try await client.send(RunningProxy.get("/plain", last: false) + String(request.prefix(20)))
        _ = await client.read(1)
        async let drained: Void = proxy.drain()
        try await client.send(String(request.dropFirst(20)))
        let answer = await Self.rest(client)
        await drained
        try await proxy.stop()
        #expect(answer.hasSuffix("\r\n\r\nslow"))
    }

    @Test func aClientThatLeavesReleasesItsTape() async throws {
        let paths: KeyValuePairs = ["/slow": Self.slow("slow", Self.hour), "/plain": Self.plain]
        let proxy = try await RunningProxy.start(RunningProxy.cassette(paths))
        weak let tape = proxy.session.tape
        let client = try await Self.ask(proxy)
        proxy.session.replaceTape(Tape([try RunningProxy.cassette(["/plain": Self.plain])]))
        _ = try await proxy.ask("/plain")
        // The unfinished answer still has it.
        #expect(tape != nil)
        try await client.vanish()
        for _ in 0..<1_000 where tape != nil { _ = try await proxy.ask("/plain") }
        #expect(tape == nil)
        // The hour is not waited for.
        await proxy.drain()
        try await proxy.stop()
    }

    @Test func aClientThatHangsUpDuringADelayIsClosedAtOnce() async throws {
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette(["/slow": Self.slow("slow", Self.hour), "/plain": Self.plain])
        )
        let client = try await Self.ask(proxy)
        try await client.finishSending()
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes.isEmpty)
        #expect(ending == .closed)
        // Also one that has hung up before the delay begins; it gets what was before.
        let other = try await proxy.connect()
        try await other.send(RunningProxy.get("/plain", last: false) + RunningProxy.get("/slow"))
        try await other.finishSending()
        #expect(await Self.rest(other) == Self.plainAnswer + "\r\nplain")
        try await proxy.stop()
    }

    @Test func aClientThatHangsUpBeforeItsRequestIsForwardedIsClosedAtOnce() async throws {
        let live = Behaviour(.passthrough, pacing: Self.hour)
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette(["/slow": live, "/plain": Self.plain]),
            allowsPassthrough: true
        )
        let client = try await Self.ask(proxy)
        try await client.finishSending()
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes.isEmpty)
        #expect(ending == .closed)
        try await proxy.stop()
        #expect(proxy.context.connectionsOpened == 0)
    }

    @Test(.timeLimit(.minutes(20)))
    func aStopDoesNotWaitForAClientThatKeepsItsSocketOpen() async throws {
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette(["/slow": Self.slow("slow", Self.hour), "/plain": Self.plain])
        )
        let client = try await Self.ask(proxy, staysOpen: true)
        async let drained: Void = proxy.drain()
        #expect(await Self.rest(client).hasSuffix("slow"))
        // A fully closed socket resets a client that still sends; a lingering one accepts the bytes.
        try await client.send("x")
        #expect(await client.readToEnd().ending != nil)
        await drained
        try await proxy.stop()
    }

    @Test func aPendingAnswerFinishesFromTheTapeItBeganWith() async throws {
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette(["/slow": Self.slow("old", Self.hour), "/plain": Self.plain])
        )
        let client = try await Self.ask(proxy)
        proxy.session.replaceTape(Tape([try RunningProxy.cassette(["/slow": Self.slow("new", Pacing())])]))
        #expect(try await proxy.ask("/slow").text.hasSuffix("\r\n\r\nnew"))
        async let drained: Void = proxy.drain()
        let answer = await Self.rest(client)
        await drained
        try await proxy.stop()
        #expect(answer.hasSuffix("\r\n\r\nold"))
    }

    @Test func aDribbledChunkedBodyHasOneChunkPerPiece() async throws {
        let take = Take(
            headers: [HeaderField("Transfer-Encoding", "chunked")],
            body: RunningProxy.text("hello, world"),
            trailers: [HeaderField("X-Sum", "1")]
        )
        let pacing = Pacing(dribble: Pacing.Dribble(pieces: 5, milliseconds: 5))
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette(["/slow": Behaviour(.takes([take]), pacing: pacing)])
        )
        let answer = try await proxy.ask("/slow")
        try await proxy.stop()
        #expect(
            answer.text == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + "3\r\nhel\r\n3\r\nlo,\r\n2\r\n w\r\n2\r\nor\r\n2\r\nld\r\n0\r\nX-Sum: 1\r\n\r\n"
        )
        #expect(answer.ending == .closed)
    }

    @Test(
        .long,
        arguments: [
            Pacing(bandwidth: 40_000), Pacing(dribble: Pacing.Dribble(pieces: 7, milliseconds: 7)),
            Pacing(bandwidth: 100_000, dribble: Pacing.Dribble(pieces: 3, milliseconds: 3)),
        ]
    )
    func aSlowBodyIsByteExact(_ pacing: Pacing) async throws {
        let bytes = (0..<5_000).map { (index: Int) -> UInt8 in UInt8(97 + index * 31 % 26) }
        let text = String(decoding: bytes, as: UTF8.self)
        let length = Take(body: RunningProxy.text(text))
        let untilClose = Take(body: RunningProxy.text(text), endsAtClose: true)
        let cut = Take(
            headers: [HeaderField("Content-Length", "9000")],
            body: RunningProxy.text(text),
            fault: .truncatedBody
        )
        let reset = Take(body: RunningProxy.text(text), fault: .resetDuringBody)
        for (take, expected, ending) in [
            (length, text, WireClient.Ending.closed), (untilClose, text, .closed), (cut, text, .closed),
            (reset, String(text.prefix(2_500)), .reset),
        ] {
            let proxy = try await RunningProxy.start(
                RunningProxy.cassette(["/slow": Behaviour(.takes([take]), pacing: pacing)])
            )
            let answer = try await proxy.ask("/slow")
            try await proxy.stop()
            #expect(answer.text.hasSuffix("\r\n\r\n" + expected))
            #expect(answer.ending == ending)
        }
    }

    @Test(
        arguments: some(of: [
            nil, Pacing(bandwidth: 20 << 20), Pacing(dribble: Pacing.Dribble(pieces: 3, milliseconds: 3)),
        ])
    )
    func aLargeBodyFileIsByteExact(_ pacing: Pacing?) async throws {
        let folder = try TemporaryFolder()
        let path = FilePath.join(folder.path, "body")
        let bytes = (0..<(1 << 20 | 12_345)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try FileContents.replace(path, with: bytes)
        let body = StoredBody.file(BodyFile(name: "body", path: path, size: bytes.count))
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette([
                "/whole": Behaviour(.takes([Take(body: body)]), pacing: pacing ?? Pacing()),
                "/half": Behaviour(.takes([Take(body: body, fault: .resetDuringBody)]), pacing: pacing ?? Pacing()),
            ])
        )
        for (path, count, ending) in [
            ("/whole", bytes.count, WireClient.Ending.closed), ("/half", bytes.count / 2, .reset),
        ] {
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(path))
            let (came, end) = await client.readToEnd()
            // Compared outside of the expectation, which would look for the smallest difference of a mebibyte.
            let isExact = came.suffix(count) == bytes.prefix(count)
            #expect(isExact)
            #expect(
                String(decoding: came.dropLast(count), as: UTF8.self).contains("Content-Length: \(bytes.count)\r\n")
            )
            #expect(end == ending)
        }
        try await proxy.stop()
    }

    @Test func responsesWithoutABodyIgnoreBandwidthAndDribble() async throws {
        let pacing = Pacing(bandwidth: 1, dribble: Pacing.Dribble(pieces: 9, milliseconds: 3_600_000))
        let proxy = try await RunningProxy.start(
            RunningProxy.cassette([
                "/slow": Self.slow("hello", pacing), "/none": Behaviour(.takes([Take(status: 204)]), pacing: pacing),
                "/empty": Behaviour(.takes([Take()]), pacing: pacing),
            ])
        )
        let client = try await proxy.connect()
        try await client.send("HEAD \(RunningProxy.origin)/slow HTTP/1.1\r\nHost: a\r\n\r\n")
        try await client.send(RunningProxy.get("/none", last: false) + RunningProxy.get("/empty"))
        let answer = await Self.rest(client)
        try await proxy.stop()
        #expect(
            answer == "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    }

    @Test func anUnmatchedRequestGetsTheReasonInAHeader() async throws {
        let proxy = try await RunningProxy.start(RunningProxy.cassette(["/plain": Self.plain]))
        let answer = try await proxy.ask("/other").text
        try await proxy.stop()
        #expect(answer.hasPrefix("HTTP/1.1 501 Not Implemented\r\n"))
        let report = try #require(proxy.session.report().unmatched.first)
        #expect(answer.contains("\r\nX-Tapedeck-Reason: \(report.headerValue)\r\n"))
        #expect(report.headerValue.contains("/plain"))
    }
}
