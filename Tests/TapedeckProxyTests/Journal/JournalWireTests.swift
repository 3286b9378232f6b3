import TapedeckCore
import Testing

@testable import TapedeckSessions

/// The journal says what the client saw.
@Suite struct JournalWireTests {
    private typealias Proxy = SharedProxy

    /// A session of which everything about `/a` behaves as given.
    private static func session(_ proxy: SharedProxy, _ behaviour: Behaviour) throws -> Session {
        let session = try proxy.session("unused")
        session.removeAllAdded()
        session.add(try Proxy.set("", behaviour: behaviour))
        return session
    }

    private static func post(_ url: String, _ session: Session, _ body: String) -> String {
        "POST \(url) HTTP/1.1\r\nHost: api.example.test\r\n\(Proxy.header(session.key))\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The first entry, once it satisfies `condition`.
    private static func entry(
        _ session: Session,
        _ condition: (JournalEntry) -> Bool = { $0.ending != nil }
    )
        async
        throws -> JournalEntry
    {
        while true {
            let version = session.changes.version
            if let entry = session.journal.entry(1), condition(entry) { return entry }
            await session.changes.wait(after: version)
            try Task.checkCancellation()
        }
    }

    private static func names(_ entry: JournalEntry) throws -> PlayedAnswer.Names {
        guard case .played(let answer) = entry.outcome else {
            throw UnexpectedOutcome(outcome: "\(entry.outcome)")
        }
        return answer.names
    }

    private struct UnexpectedOutcome: Error {
        var outcome: String
    }

    private static func text(_ body: JournalBody?) -> String? {
        body.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    // MARK: Off the tape

    @Test func aPlainAnswerIsJournaledOnceTheClientHasIt() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let before = Instant.now
        _ = try await proxy.ask(Proxy.get("\(Proxy.url)", Proxy.header(session.key), "X-A: 1"))
        let entry = try #require(session.journal.entry(1))
        #expect(entry.request.line.method == "GET")
        #expect(entry.request.line.url.description == Proxy.url)
        #expect(entry.request.fields == [HeaderField("Host", "api.example.test"), HeaderField("X-A", "1")])
        #expect(entry.requestBody?.length == 0)
        #expect(entry.ending == .complete)
        #expect(entry.response == nil)
        #expect(try #require(entry.microseconds) >= 0)
        #expect(entry.time >= before && entry.time <= .now)
        let names = try Self.names(entry)
        #expect(names.set == "set /a")
        #expect(names.take.body == RunningProxy.text("one"))
        #expect(proxy.sessions.default?.journal.entry(1) == nil)
        try await proxy.stop()
    }

    @Test func requestsInATunnelAreJournaledWithTheirWholeURL() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let client = try await proxy.connect()
        try await client.send(Proxy.connect("api.example.test:443", Proxy.header(session.key)))
        _ = await client.response()
        try await client.startTLS("api.example.test", authority: proxy.authority)
        try await client.send(Proxy.get("/a?b=c"))
        #expect(await client.response().status == 501)
        let entry = try #require(session.journal.entry(1))
        #expect(entry.request.line.url.description == "https://api.example.test/a?b=c")
        #expect(session.journal.view().entries.count == 1)
        try await proxy.stop()
    }

    @Test func aJournaledBodyIsCutAtTheLimit() async throws {
        let proxy = try await Proxy.start()
        var limits = SessionJournal.Limits()
        limits.body = 10
        let session = Session(Session.Settings(mode: .replay), tape: Tape([]), journal: SessionJournal(limits: limits))
        session.add(try Proxy.set("one"))
        let alone = try await RunningProxy.start(session)
        let client = try await alone.connect()
        try await client.send("POST \(Proxy.url) HTTP/1.1\r\nHost: a\r\nContent-Length: 26\r\n\r\nabcdefghijklm")
        try await client.send("nopqrstuvwxyz")
        #expect(await client.response().body == "one")
        let entry = try await Self.entry(session)
        #expect(Self.text(entry.requestBody) == "abcdefghij")
        #expect(entry.requestBody?.length == 26)
        #expect(entry.requestBody?.isWhole == false)
        #expect(try Self.names(entry).take.status == 200)
        try await alone.stop()
        try await proxy.stop()
    }

    @Test func aTemplateIsJournaledAsItWasSent() async throws {
        let proxy = try await Proxy.start()
        var behaviour = Behaviour(.takes([Take(body: RunningProxy.text("{{request.method}} {{request.body}}"))]))
        behaviour.isTemplate = true
        let session = try Self.session(proxy, behaviour)
        let answer = try await proxy.ask(Self.post(Proxy.url, session, "hello"))
        let entry = try await Self.entry(session)
        let response = try #require(entry.response)
        #expect(answer.body.hasPrefix("POST hello"))
        #expect(Self.text(response.body) == answer.body)
        #expect(response.status == 200)
        #expect(response.fields.first(named: "content-length") == String(answer.body.utf8.count))
        #expect(Self.text(entry.requestBody) == "hello")
        try await proxy.stop()
    }

    @Test(arguments: [
        (Fault.connectionReset, JournalEntry.Ending.reset), (.resetDuringBody, .reset), (.truncatedBody, .cut),
        (.emptyResponse, .cut), (.garbage, .cut), (.timeout, .complete),
    ])
    func aFaultIsJournaledAndCounted(_ fault: Fault, _ ending: JournalEntry.Ending) async throws {
        let proxy = try await Proxy.start()
        let body = fault.hasResponse ? RunningProxy.text("0123456789") : .none
        let session = try Self.session(proxy, Behaviour(.takes([Take(body: body, fault: fault)])))
        let client = try await proxy.connect()
        try await client.send(Proxy.get("\(Proxy.url)", Proxy.header(session.key), "Connection: close"))
        _ = await client.readToEnd()
        let entry = try await Self.entry(session)
        #expect(entry.ending == ending)
        #expect(try Self.names(entry).take.fault == fault)
        #expect(session.report().faults.map(\.fault) == [fault])
        #expect(session.report().faults.map(\.count) == [1])
        #expect(entry.response?.status == (fault == .timeout ? 504 : nil))
        #expect(entry.response?.fault == (fault == .timeout ? fault : nil))
        try await proxy.stop()
    }

    @Test func aHangingAnswerIsPendingUntilTheClientLeaves() async throws {
        let proxy = try await Proxy.start()
        let session = try Self.session(proxy, Behaviour(.takes([Take(fault: .hang)])))
        let client = try await proxy.connect()
        try await client.send(Proxy.get("\(Proxy.url)", Proxy.header(session.key)))
        let underWay = try await Self.entry(session) { _ in true }
        #expect(underWay.ending == nil)
        #expect(underWay.microseconds == nil)
        try await client.vanish()
        let entry = try await Self.entry(session)
        #expect(entry.ending == .abandoned)
        #expect(entry.microseconds != nil)
        try await proxy.stop()
    }

    @Test func aClientThatLeavesInItsBodyOrInADelayAbandonsTheExchange() async throws {
        let proxy = try await Proxy.start()
        let hour = Pacing(delay: .fixed(3_600_000))
        let slow = try Self.session(proxy, Behaviour(.takes([Take()]), pacing: hour))
        let client = try await proxy.connect()
        try await client.send(Proxy.get("\(Proxy.url)", Proxy.header(slow.key)))
        _ = try await Self.entry(slow) { _ in true }
        try await client.finishSending()
        #expect(try await Self.entry(slow).ending == .abandoned)

        let session = try proxy.session("one")
        let other = try await proxy.connect()
        try await other.send(String(Self.post(Proxy.url, session, "hello").dropLast(2)))
        _ = try await Self.entry(session) { _ in true }
        try await other.finishSending()
        let entry = try await Self.entry(session)
        #expect(entry.ending == .abandoned)
        #expect(Self.text(entry.requestBody) == "hel")
        try await proxy.stop()
    }

    // MARK: Tapedeck's own answers

    @Test func anUnmatchedRequestIsJournaledWithItsReportAndAnswer() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let answer = try await proxy.ask(Proxy.get("http://api.example.test/other", Proxy.header(session.key)))
        let entry = try #require(session.journal.entry(1))
        guard case .unmatched(let report) = entry.outcome else {
            Issue.record("not unmatched")
            return
        }
        #expect(report.nearest.map(\.set) == ["set /a"])
        #expect(entry.response?.status == 501)
        #expect(Self.text(entry.response?.body) == answer.body)
        #expect(entry.response?.fields == answer.fields)
        #expect(entry.ending == .complete)
        try await proxy.stop()
    }

    @Test func aPolicyMayAnswerAnUnmatchedRequest() async throws {
        let proxy = try await Proxy.start()
        let take = Take(status: 204, headers: [HeaderField("X-A", "1")])
        let session = try proxy.session("one", policy: .respond(take))
        let answer = try await proxy.ask(Proxy.get("http://api.example.test/other", Proxy.header(session.key)))
        #expect(answer.status == 204)
        #expect(answer["x-a"] == "1")
        #expect(answer["x-tapedeck-unmatched"] == "true")
        let entry = try #require(session.journal.entry(1))
        guard case .unmatched = entry.outcome else {
            Issue.record("not unmatched")
            return
        }
        #expect(entry.response?.status == 204)
        #expect(session.report().unmatchedCount == 1)
        try await proxy.stop()
    }

    @Test func aPolicyMayAnswerWithAFault() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one", policy: .respond(Take(fault: .connectionReset)))
        let client = try await proxy.connect()
        try await client.send(Self.post("http://api.example.test/other", session, "hello"))
        #expect(await client.readToEnd().ending == .reset)
        let entry = try await Self.entry(session)
        #expect(entry.ending == .reset)
        #expect(entry.response?.fault == .connectionReset)
        #expect(session.report().faults.map(\.fault) == [.connectionReset])
        #expect(session.report().unmatchedCount == 1)
        try await proxy.stop()
    }

    @Test func aMalformedBodyIsRejected() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let head = "POST \(Proxy.url) HTTP/1.1\r\nHost: a\r\n\(Proxy.header(session.key))\r\n"
        #expect(try await proxy.ask("\(head)Transfer-Encoding: chunked\r\n\r\nxyz\r\n").status == 400)
        let entry = try await Self.entry(session)
        guard case .refused = entry.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(entry.response?.status == 400)
        try await proxy.stop()
    }

    @Test func aTunnelWithoutHTTPIsJournaled() async throws {
        let proxy = try await Proxy.start()
        let session = try proxy.session("one")
        let client = try await proxy.connect()
        try await client.send(Proxy.connect("api.example.test:443", Proxy.header(session.key)))
        _ = await client.response()
        try await client.send("\u{01}\u{02}")
        _ = await client.readToEnd()
        let entry = try await Self.entry(session)
        #expect(entry.request.line.method == "CONNECT")
        #expect(entry.request.line.url.origin.description == "https://api.example.test")
        #expect(entry.ending == .cut)
        try await proxy.stop()
    }

    // MARK: Origins

    @Test func aForwardedExchangeIsJournaledWithBothBodies() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await EchoOrigin.start()
        let session = try proxy.passthrough()
        let answer = try await proxy.ask(Self.post("\(origin.url)/b", session, "hello"))
        let entry = try await Self.entry(session)
        guard case .forwarded(let isRecorded) = entry.outcome else {
            Issue.record("not forwarded")
            return
        }
        #expect(!isRecorded)
        #expect(Self.text(entry.requestBody) == "hello")
        #expect(Self.text(entry.response?.body) == answer.body)
        #expect(entry.response?.status == 200)
        #expect(entry.response?.fields.contains(named: "content-length") == true)
        #expect(entry.response?.notRecorded == nil)
        #expect(entry.ending == .complete)
        #expect(session.report().connectionsOpened == 1)
        #expect(proxy.sessions.default?.report().connectionsOpened == 0)
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func anAnswerThatHasBegunIsCutOffByAMalformedBody() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await GatedOrigin.start(size: 20)
        let session = try proxy.passthrough()
        let client = try await proxy.connect()
        let head = "POST \(origin.url) HTTP/1.1\r\nHost: a\r\n\(Proxy.header(session.key))\r\n"
        try await client.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
        var answer = ""
        while !answer.hasSuffix("xxxxxxxxxx") { answer += await client.read(1) }
        try await client.send("no size\r\n")
        #expect(await client.readToEnd().bytes.isEmpty)
        let entry = try await Self.entry(session)
        guard case .refused = entry.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(entry.ending == .cut)
        #expect(entry.response?.status == 200)
        #expect(Self.text(entry.response?.body) == "xxxxxxxxxx")
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func anUpgradeIsCompleteWhenTheBytesBegin() async throws {
        let proxy = try await Proxy.start(dials: true)
        let origin = try await EchoOrigin.start()
        let session = try proxy.passthrough()
        let client = try await proxy.connect()
        try await client.send(Proxy.get(origin.url, Proxy.header(session.key), "Connection: Upgrade", "Upgrade: hi"))
        while await !client.read(1).hasSuffix("hi") {}
        let entry = try await Self.entry(session)
        #expect(entry.response?.status == 101)
        #expect(entry.ending == .complete)
        await client.close()
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func anUnreachableOriginIsJournaledAsAFault() async throws {
        let proxy = try await Proxy.start(dials: true)
        let session = try proxy.passthrough()
        // Nothing listens there, and no test is given that port.
        let answer = try await proxy.ask(Proxy.get("http://127.0.0.1:1/", Proxy.header(session.key)))
        let entry = try await Self.entry(session)
        #expect(answer.status == 502)
        #expect(entry.response?.status == 502)
        #expect(entry.response?.fault == .connectionRefused)
        #expect(session.report().faults.map(\.fault) == [.connectionRefused])
        try await proxy.stop()
    }
}
