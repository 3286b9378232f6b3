import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import Testing

/// Bodies that came piece by piece, on real sockets.
@Suite struct PieceWireTests {
    private static let events = "data: 1\n\ndata: 2\n\ndata: 3\n\n"
    private static let chunked = HeaderField("Transfer-Encoding", "chunked")
    private static let soon = "2026-11-21T10:00:00Z, in pieces after 0, 2, 4 ms"
    /// The second piece comes in an hour.
    private static let late = "2026-11-21T10:00:00Z, in pieces after 0, 3600000 ms"

    /// A proxy that answers `/` with the take.
    private static func proxy(
        _ take: Take,
        cassette streams: StreamPace? = nil,
        session: StreamPace? = .recorded(factor: 1),
        pacing: Pacing = Pacing()
    ) async throws -> RunningProxy {
        var cassette = try RunningProxy.cassette(["/": Behaviour(.takes([take]), pacing: pacing)])
        cassette.streams = streams
        var settings = Session.Settings(mode: .replay)
        settings.streams = session
        return try await RunningProxy.start(Session(settings, tape: Tape([cassette])))
    }

    private static func answer(_ proxy: RunningProxy) async throws -> String {
        let answer = try await proxy.ask("/").text
        try await proxy.stop()
        return answer
    }

    private static func take(
        _ headers: [HeaderField] = [Self.chunked],
        _ pieces: BodyPieces = BodyPieces(.events),
        recorded: String = Self.soon
    ) -> Take {
        Take(headers: headers, body: RunningProxy.text(Self.events), pieces: pieces, recorded: recorded)
    }

    @Test func anEventIsAChunk() async throws {
        let answer = try await Self.answer(try await Self.proxy(Self.take()))
        #expect(
            answer == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n9\r\ndata: 3\n\n\r\n0\r\n\r\n"
        )
    }

    @Test func piecesOfOtherBodiesAreCutBySize() async throws {
        let answer = try await Self.answer(
            try await Self.proxy(Self.take([Self.chunked], BodyPieces(.sizes([4, 20]))))
        )
        #expect(
            answer.hasSuffix("\r\n\r\n4\r\ndata\r\n14\r\n: 1\n\ndata: 2\n\ndata: \r\n3\r\n3\n\n\r\n0\r\n\r\n")
        )
    }

    @Test(arguments: [
        (nil, nil), (StreamPace.recorded(factor: 1), StreamPace.instant), (.instant, nil),
    ])
    func aStreamAtInstantPaceIsAnOrdinaryBody(_ cassette: StreamPace?, _ session: StreamPace?) async throws {
        let proxy = try await Self.proxy(Self.take(recorded: Self.late), cassette: cassette, session: session)
        #expect(try await Self.answer(proxy).hasSuffix("\r\n\r\n1b\r\n\(Self.events)\r\n0\r\n\r\n"))
    }

    @Test func thePaceOfTheCassetteIsTheDefaultOfTheSession() async throws {
        let proxy = try await Self.proxy(Self.take(), cassette: .recorded(factor: 0.5), session: nil)
        #expect(try await Self.answer(proxy).contains("\r\n\r\n9\r\ndata: 1\n\n\r\n9\r\n"))
    }

    @Test func aDribbleTakesPrecedenceOverRecordedPieces() async throws {
        let pacing = Pacing(dribble: Pacing.Dribble(pieces: 1, milliseconds: 1))
        let proxy = try await Self.proxy(Self.take(recorded: Self.late), pacing: pacing)
        #expect(try await Self.answer(proxy).contains("\r\n\r\n1b\r\n"))
    }

    @Test func aLengthAndTheEndOfTheConnectionEndABodyInPieces() async throws {
        for headers in [[], [HeaderField("Content-Length", "27")]] {
            var take = Self.take(headers)
            #expect(
                try await Self.answer(try await Self.proxy(take))
                    == "HTTP/1.1 200 OK\r\nContent-Length: 27\r\nConnection: close\r\n\r\n\(Self.events)"
            )
            take.endsAtClose = true
            #expect(try await Self.answer(try await Self.proxy(take)).hasSuffix("\r\n\r\n\(Self.events)"))
        }
    }

    @Test func aBodyInAContentCodingIsNotCut() async throws {
        var take = Self.take(recorded: Self.late)
        take.body = .inline(InlineBody(form: .text, content: Array(Self.events.utf8), coding: .gzip))
        let proxy = try await Self.proxy(take)
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/", fields: "Accept-Encoding: gzip\r\n"))
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8))
        #expect(ending == .closed)
        try await proxy.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func theFirstPieceIsSentAtOnceAndAStopSendsTheRest() async throws {
        let proxy = try await Self.proxy(Self.take(recorded: Self.late))
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/"))
        let first = await client.read(through: "data: 1\n\n\r\n")
        #expect(!first.contains("data: 2"))
        async let drained: Void = proxy.drain()
        let rest = String(decoding: await client.readToEnd().bytes, as: UTF8.self)
        #expect(rest == "9\r\ndata: 2\n\n\r\n9\r\ndata: 3\n\n\r\n0\r\n\r\n")
        await drained
        try await proxy.stop()
    }

    @Test(.timeLimit(.minutes(20)))
    func aClientThatLeavesCancelsTheRest() async throws {
        let proxy = try await Self.proxy(Self.take(recorded: Self.late))
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/"))
        _ = await client.read(through: "data: 1\n\n\r\n")
        try await client.vanish()
        while true {
            let version = proxy.session.changes.version
            guard proxy.session.journal.entry(1)?.ending == nil else { break }
            await proxy.session.changes.wait(after: version)
        }
        #expect(proxy.session.journal.entry(1)?.ending == .abandoned)
        try await proxy.stop()
    }

    /// Larger than what is read into memory.
    @Test(.timeLimit(.minutes(20)))
    func theEventsOfALargeFileAreFoundInIt() async throws {
        let folder = try TemporaryFolder()
        let path = FilePath.join(folder.path, "body")
        let event = "data: \(String(repeating: "x", count: 700 << 10))\n\n"
        try FileContents.replace(path, with: Array((event + event).utf8))
        var take = Self.take([], recorded: Self.late)
        take.body = .file(BodyFile(name: "body", path: path, size: event.utf8.count * 2))
        let proxy = try await Self.proxy(take)
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/"))
        let first = await client.read(through: "x\n\n")
        let isFirst = first.hasSuffix("\r\n\r\n\(event)")
        #expect(isFirst)
        async let drained: Void = proxy.drain()
        let isRest = await client.readToEnd().bytes.elementsEqual(event.utf8)
        #expect(isRest)
        await drained
        try await proxy.stop()
    }

    @Test func headGetsNoPieces() async throws {
        let proxy = try await Self.proxy(Self.take(recorded: Self.late))
        let client = try await proxy.connect()
        try await client.send("HEAD \(RunningProxy.origin)/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let (bytes, ending) = await client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n"))
        #expect(ending == .closed)
        try await proxy.stop()
    }
}
