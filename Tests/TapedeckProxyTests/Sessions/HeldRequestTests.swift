import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import Testing

/// Requests that wait until somebody lets them go, over the wire.
@Suite struct HeldRequestTests {
    private static let path = "/a"

    /// A set that holds all requests for one path, or for all.
    private static func holder(_ path: String? = Self.path) throws -> ResponseSet {
        let url = try path.map { URLMatcher.exact(try #require(AbsoluteURL("\(RunningProxy.origin)\($0)"))) }
        return ResponseSet(
            name: "holder",
            request: RequestMatcher(url: url ?? .any),
            variants: [Variant(name: "stub", behaviour: Behaviour(.hold))]
        )
    }

    /// A proxy that holds requests for ``path``, over a tape that answers them one after the other.
    private static func start(_ behaviour: Behaviour? = nil) async throws -> RunningProxy {
        let takes = ["one", "two"].map { Take(headers: [HeaderField("X-A", "b")], body: RunningProxy.text($0)) }
        let cassette = try RunningProxy.cassette([
            Self.path: behaviour ?? Behaviour(.takes(takes)), "/b": Behaviour(.takes(takes)),
        ])
        let proxy = try await RunningProxy.start(cassette)
        proxy.session.add(try Self.holder())
        return proxy
    }

    /// Does something with a proxy, which is stopped then.
    private static func use(_ proxy: RunningProxy, _ work: (RunningProxy) async throws -> Void) async throws {
        do {
            try await work(proxy)
            try await proxy.stop()
        } catch {
            try? await proxy.stop()
            throw error
        }
    }

    private static func post(_ body: String, _ path: String = Self.path) -> String {
        "POST \(RunningProxy.origin)\(path) HTTP/1.1\r\nHost: api.example.test\r\nX-Client: c\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Waits until that many requests are held.
    @discardableResult
    private static func held(_ session: Session, _ count: Int = 1) async -> [HeldRequest] {
        while true {
            let version = session.changes.version
            let held = session.held.view(after: 0, limit: .max).held.map(\.request)
            if held.count == count { return held }
            await session.changes.wait(after: version)
        }
    }

    /// The journal's entry of that number, once it has ended.
    private static func ended(_ session: Session, _ number: Int) async -> JournalEntry? {
        while true {
            let version = session.changes.version
            let entry = session.journal.entry(number)
            if entry?.ending != nil || session.changes.isClosed { return entry }
            await session.changes.wait(after: version)
        }
    }

    // MARK: Letting go

    @Test func aRequestWithItsBodyWaitsAndGetsTheAnswerThatIsGiven() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(Self.post("three apples"))
            let held = try #require(await Self.held(proxy.session).first)
            #expect(held.number == 1)
            #expect(held.set == "holder")
            #expect(held.entry.request.line.method == "POST")
            #expect(held.entry.request.fields.first(named: "x-client") == "c")
            #expect(held.entry.requestBody?.bytes == Array("three apples".utf8))
            guard case .pending = proxy.session.journal.entry(1)?.outcome else {
                Issue.record("it was answered")
                return
            }
            let take = Take(status: 409, headers: [HeaderField("X-Reason", "sold out")], body: RunningProxy.text("no"))
            let isReleased = proxy.session.release(held: 1, with: take)
            #expect(isReleased)
            let response = await client.response()
            #expect(response.status == 409)
            #expect(response["x-reason"] == "sold out")
            #expect(response.body == "no")
            guard case .played(let answer) = await Self.ended(proxy.session, 1)?.outcome else {
                Issue.record("it does not count as played")
                return
            }
            #expect(answer.names.set == "holder")
            #expect(answer.names.variant == "held")
            #expect(answer.names.take == take)
            #expect(proxy.session.counts.played == 1)
            #expect(proxy.session.held.isEmpty)
            // The connection goes on, with the tape where it was.
            try await client.send(RunningProxy.get("/b", last: false))
            #expect(await client.response().body == "one")
        }
    }

    @Test func itIsLetGoOnce() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let results = [
                proxy.session.release(held: 2, with: Take()), proxy.session.release(held: 1, with: Take(status: 204)),
                proxy.session.release(held: 1, with: Take()), proxy.session.proceed(held: 1),
            ]
            #expect(results == [false, true, false, false])
            #expect(try proxy.session.tapeAnswer(held: 1) == nil)
            #expect(await client.response().status == 204)
            #expect(proxy.session.counts.played == 1)
        }
    }

    @Test func whatProceedsIsToTheByteWhatTheTapeWouldHaveSent() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let answer = try #require(try proxy.session.tapeAnswer(held: 1))
            #expect(answer.outcome == .played(set: Self.path, variant: "a"))
            #expect(answer.take?.headers == [HeaderField("X-A", "b")])
            // It decides once.
            #expect(try proxy.session.tapeAnswer(held: 1)?.take == answer.take)
            #expect(proxy.session.counts.played == 0)
            let proceeds = proxy.session.proceed(held: 1)
            #expect(proceeds)
            let bytes = await client.readToEnd().bytes
            #expect(proxy.session.counts.played == 1)
            proxy.session.removeAllAdded()
            let second = try await proxy.ask(Self.path)
            #expect(String(decoding: bytes, as: UTF8.self).replacing("one", with: "two") == second.text)
        }
    }

    @Test func anAnswerMayBeAFaultOrLate() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let isCut = proxy.session.release(held: 1, with: Take(fault: .connectionReset))
            #expect(isCut)
            #expect(await client.readToEnd().ending == .reset)
            let other = try await proxy.connect()
            try await other.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let isLate = proxy.session.release(held: 2, with: Take(status: 202), after: .fixed(5))
            #expect(isLate)
            #expect(await other.response().status == 202)
            let entry = try #require(await Self.ended(proxy.session, 2))
            #expect(try #require(entry.microseconds) >= 5_000)
        }
    }

    @Test func aFaultAndADelayOnTapeAreTold() async throws {
        let behaviour = Behaviour(.takes([Take(fault: .connectionReset)]), pacing: Pacing(delay: .fixed(3)))
        try await Self.use(try await Self.start(behaviour)) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let answer = try #require(try proxy.session.tapeAnswer(held: 1))
            #expect(answer.take?.fault == .connectionReset)
            #expect(answer.delay == 3)
            let proceeds = proxy.session.proceed(held: 1)
            #expect(proceeds)
            #expect(await client.readToEnd().ending == .reset)
            #expect(proxy.session.report().faults.map(\.0) == [.connectionReset])
        }
    }

    @Test func templatesChangesAndCodingsAreMadeOut() async throws {
        let body = InlineBody(form: .json, content: Array(#"{"path":"{{request.path}}","sum":1}"#.utf8), coding: .gzip)
        let take = Take(
            headers: [
                HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "99"), HeaderField("X", "1"),
            ],
            body: .inline(body)
        )
        let patch = try JSONValue(parsing: Array(#"{"sum":2}"#.utf8))
        let behaviour = Behaviour(.takes([take]), isTemplate: true, changes: [.merge(patch)])
        try await Self.use(try await Self.start(behaviour)) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            let made = try #require(try proxy.session.tapeAnswer(held: 1)?.take)
            #expect(made.headers == [HeaderField("X", "1")])
            guard case .inline(let body) = made.body else {
                Issue.record("no body")
                return
            }
            #expect(String(decoding: body.decoded, as: UTF8.self) == #"{"path":"/a","sum":2}"#)
            let proceeds = proxy.session.proceed(held: 1)
            #expect(proceeds)
            // This client takes no gzip.
            #expect(await client.response().body == #"{"path":"/a","sum":2}"#)
        }
    }

    @Test func aHeadGetsAHead() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send("HEAD \(RunningProxy.origin)\(Self.path) HTTP/1.1\r\nHost: api.example.test\r\n\r\n")
            await Self.held(proxy.session)
            let answer = try #require(try proxy.session.tapeAnswer(held: 1)?.take)
            #expect(answer.status == 200)
            #expect(answer.body == .none)
            let isReleased = proxy.session.release(held: 1, with: Take(status: 404, body: RunningProxy.text("none")))
            #expect(isReleased)
            #expect(await client.response(isHead: true).status == 404)
            try await client.send(RunningProxy.get("/b", last: false))
            #expect(await client.response().body == "one")
        }
    }

    // MARK: Misses

    @Test func aMissCountsOnlyIfTheClientGetsIt() async throws {
        let proxy = try await RunningProxy.start(RunningProxy.cassette(["/b": Behaviour(.takes([Take()]))]))
        try await Self.use(proxy) { proxy in
            proxy.session.add(try Self.holder())
            for number in 1...2 {
                let client = try await proxy.connect()
                try await client.send(RunningProxy.get(Self.path))
                await Self.held(proxy.session)
                let answer = try #require(try proxy.session.tapeAnswer(held: number))
                #expect(answer.outcome == .unmatched)
                #expect(answer.take?.status == 501)
                #expect(answer.take?.headers.first(named: "x-tapedeck-unmatched") == "true")
                #expect(proxy.session.report().unmatchedCount == 0)
                let isDone =
                    number == 1 ? proxy.session.release(held: 1, with: Take()) : proxy.session.proceed(held: number)
                #expect(isDone)
                let response = await client.response()
                #expect(response.status == (number == 1 ? 200 : 501))
                #expect(!response.body.contains("holder"))
            }
            let report = proxy.session.report()
            #expect(report.unmatchedCount == 1)
            #expect(report.unmatched.first?.nearest.map(\.set) == ["/b"])
        }
    }

    // MARK: Several

    @Test func twoAreLetGoInTheOppositeOrder() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let first = try await proxy.connect()
            try await first.send(Self.post("1"))
            await Self.held(proxy.session)
            let second = try await proxy.connect()
            try await second.send(Self.post("2"))
            let held = await Self.held(proxy.session, 2)
            #expect(held.map(\.number) == [1, 2])
            let later = proxy.session.held.view(after: 1, limit: 5)
            #expect(later.held.map(\.request.number) == [2])
            #expect(later.version == 2)
            let cut = proxy.session.held.view(after: 0, limit: 1)
            #expect(cut.version == 1)
            for (client, number) in [(second, 2), (first, 1)] {
                let isReleased = proxy.session.release(held: number, with: Take(body: RunningProxy.text("\(number)")))
                #expect(isReleased)
                #expect(await client.response().body == "\(number)")
            }
        }
    }

    @Test func whatIsPipelinedBehindItIsAnsweredAfterIt() async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(Self.post("x") + Self.post("y") + RunningProxy.get("/b"))
            await Self.held(proxy.session)
            let first = proxy.session.release(held: 1, with: Take(status: 201))
            #expect(first)
            #expect(await client.response().status == 201)
            let second = try #require(await Self.held(proxy.session).first)
            #expect(second.entry.requestBody?.bytes == Array("y".utf8))
            let proceeds = proxy.session.proceed(held: second.number)
            #expect(proceeds)
            let rest = String(decoding: await client.readToEnd().bytes, as: UTF8.self)
            #expect(rest.hasSuffix("one") && rest.count { $0 == "H" } >= 2)
        }
    }

    @Test func insideATunnelItIsTheSame() async throws {
        let proxy = try await RunningProxy.start(RunningProxy.cassette([:]))
        try await Self.use(proxy) { proxy in
            proxy.session.add(try Self.holder(nil))
            let client = try await proxy.connect()
            try await client.send(SharedProxy.connect("api.example.test:443"))
            _ = await client.response()
            try await client.startTLS("api.example.test", authority: proxy.authority)
            for number in 1...2 {
                try await client.send("POST /x HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: 2\r\n\r\nhi")
                let held = try #require(await Self.held(proxy.session).first)
                #expect(held.entry.request.line.url.description == "https://api.example.test/x")
                #expect(held.entry.requestBody?.bytes == Array("hi".utf8))
                let isReleased = proxy.session.release(held: number, with: Take(status: 200 + number))
                #expect(isReleased)
                #expect(await client.response().status == 200 + number)
            }
        }
    }

    // MARK: Ends

    @Test(arguments: [true, false])
    func aClientThatGoesTakesItsRequestAlong(_ vanishes: Bool) async throws {
        try await Self.use(try await Self.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Self.path))
            await Self.held(proxy.session)
            if vanishes { try await client.vanish() } else { await client.close() }
            await Self.held(proxy.session, 0)
            let entry = try #require(await Self.ended(proxy.session, 1))
            #expect(entry.ending == .abandoned)
            let isReleased = proxy.session.release(held: 1, with: Take())
            #expect(!isReleased)
            #expect(proxy.session.counts.played == 0)
        }
    }

    @Test func theEndOfTheSessionIsTheAnswer() async throws {
        let proxy = try await SharedProxy.start()
        let session = try proxy.session("unused")
        var set = try SharedProxy.set("", behaviour: Behaviour(.hold))
        set.name = "holder"
        session.add(set)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key)))
        await Self.held(session)
        #expect(session.idleSeconds == 0)
        _ = await proxy.sessions.end(session.id)
        let response = await client.response()
        #expect(response.status == 410)
        #expect(response["x-tapedeck-session-error"] == "sessionEnded")
        #expect(session.held.isEmpty)
        guard case .refused = await Self.ended(session, 1)?.outcome else {
            Issue.record("the journal says something else")
            return
        }
        try await proxy.stop()
    }

    @Test func aDeckThatStopsClosesTheConnection() async throws {
        let proxy = try await Self.start()
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get(Self.path))
        await Self.held(proxy.session)
        await proxy.drain()
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes.isEmpty)
        #expect(ending == .closed)
        #expect(proxy.session.held.isEmpty)
        try await proxy.stop()
    }

    // MARK: Origins

    /// A session in `append` that holds every request.
    private static func appending(_ folder: TemporaryFolder) async throws -> (proxy: SharedProxy, session: Session) {
        let proxy = try await SharedProxy.start(dials: true, folder: folder.path) { $0.matchedBodyLimit = 1_000 }
        let tape = CassetteLocation("tape", folder: folder.path)
        let session = try proxy.sessions.create(SessionDirectory.Request(mode: .append, cassettes: [tape]))
        session.add(try Self.holder(nil))
        return (proxy, session)
    }

    @Test func whatProceedsToItsOriginIsRecorded() async throws {
        let folder = try TemporaryFolder()
        let origin = try await EchoOrigin.start()
        let (proxy, session) = try await Self.appending(folder)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get("\(origin.url)/live", SharedProxy.header(session.key)))
        await Self.held(session)
        let answer = try #require(try session.tapeAnswer(held: 1))
        #expect(answer.outcome == .forwarded)
        #expect(answer.take == nil)
        let proceeds = session.proceed(held: 1)
        #expect(proceeds)
        #expect(await client.response().body.hasPrefix("GET /live"))
        let ended = try #require(await proxy.sessions.end(session.id))
        #expect(ended.saved?.exchanges == 1)
        try await proxy.stop()
        try await origin.stop()
    }

    /// An origin that answers a request when all of its body has come, with how long that was.
    private static func counter() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Counter()) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    private final class Counter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var text = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            guard self.text.hasSuffix("xend"), let end = self.text.firstRange(of: "\r\n\r\n") else { return }
            let count = "\(self.text[end.upperBound...].utf8.count)"
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(count.utf8.count)\r\n\r\n\(count)"
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
        }
    }

    @Test(arguments: [true, false])
    func ofABodyThatIsTooLongToKeepTheRestWaitsInTheSocket(_ proceeds: Bool) async throws {
        let folder = try TemporaryFolder()
        let origin = try await Self.counter()
        let (proxy, session) = try await Self.appending(folder)
        let body = String(repeating: "x", count: 100_000) + "end"
        let client = try await proxy.connect()
        try await client.send(
            "POST http://127.0.0.1:\(origin.localAddress?.port ?? 0)/large HTTP/1.1\r\nHost: h\r\n\(SharedProxy.header(session.key))\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(50_000))"
        )
        let held = try #require(await Self.held(session).first)
        #expect(held.entry.requestBody == nil)
        let isReleased = proceeds ? session.proceed(held: 1) : session.release(held: 1, with: Take(status: 413))
        #expect(isReleased)
        try await client.send(String(body.dropFirst(50_000)))
        let response = await client.response()
        #expect(response.status == (proceeds ? 200 : 413))
        if proceeds { #expect(response.body == "\(body.utf8.count)") }
        let entry = try #require(await Self.ended(session, 1))
        #expect(entry.requestBody?.length == body.utf8.count)
        try await proxy.stop()
        try await origin.close()
    }
}
