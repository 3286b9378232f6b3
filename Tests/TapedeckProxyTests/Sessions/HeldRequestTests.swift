import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import Testing

/// Requests that wait until they are released, over the wire.
@Suite struct HeldRequestTests {
    // MARK: Letting go

    @Test func aHeldRequestWithABodyGetsTheReleasedAnswer() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(Holding.post("three apples"))
            let held = try #require(await Holding.held(proxy.session).first)
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
            guard case .played(let answer) = await Holding.ended(proxy.session, 1)?.outcome else {
                Issue.record("it does not count as played")
                return
            }
            #expect(answer.names.set == "holder")
            #expect(answer.names.variant == "held")
            #expect(answer.names.take == take)
            #expect(proxy.session.counts.played == 1)
            #expect(proxy.session.held.isEmpty)
            // The connection continues, with the tape at its old position.
            try await client.send(RunningProxy.get("/b", last: false))
            #expect(await client.response().body == "one")
        }
    }

    @Test func aHeldRequestIsReleasedOnce() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
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

    @Test func aRequestThatProceedsGetsTheTapesAnswerByteForByte() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
            let answer = try #require(try proxy.session.tapeAnswer(held: 1))
            #expect(answer.outcome == .played(set: Holding.path, variant: "a"))
            #expect(answer.take?.headers == [HeaderField("X-A", "b")])
            // It decides once.
            #expect(try proxy.session.tapeAnswer(held: 1)?.take == answer.take)
            #expect(proxy.session.counts.played == 0)
            let proceeds = proxy.session.proceed(held: 1)
            #expect(proceeds)
            let bytes = await client.readToEnd().bytes
            #expect(proxy.session.counts.played == 1)
            proxy.session.removeAllAdded()
            let second = try await proxy.ask(Holding.path)
            #expect(String(decoding: bytes, as: UTF8.self).replacing("one", with: "two") == second.text)
        }
    }

    @Test func aReleasedAnswerMayBeAFaultOrDelayed() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
            let isCut = proxy.session.release(held: 1, with: Take(fault: .connectionReset))
            #expect(isCut)
            #expect(await client.readToEnd().ending == .reset)
            let other = try await proxy.connect()
            try await other.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
            let isLate = proxy.session.release(held: 2, with: Take(status: 202), after: .fixed(5))
            #expect(isLate)
            #expect(await other.response().status == 202)
            let entry = try #require(await Holding.ended(proxy.session, 2))
            #expect(try #require(entry.microseconds) >= 5_000)
        }
    }

    @Test func theTapesAnswerIncludesItsFaultAndDelay() async throws {
        let behaviour = Behaviour(.takes([Take(fault: .connectionReset)]), pacing: Pacing(delay: .fixed(3)))
        try await Holding.use(try await Holding.start(behaviour)) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
            let answer = try #require(try proxy.session.tapeAnswer(held: 1))
            #expect(answer.take?.fault == .connectionReset)
            #expect(answer.delay == 3)
            let proceeds = proxy.session.proceed(held: 1)
            #expect(proceeds)
            #expect(await client.readToEnd().ending == .reset)
            #expect(proxy.session.report().faults.map(\.0) == [.connectionReset])
        }
    }

    @Test func theTapesAnswerIsRenderedChangedAndDecoded() async throws {
        let body = InlineBody(form: .json, content: Array(#"{"path":"{{request.path}}","sum":1}"#.utf8), coding: .gzip)
        let take = Take(
            headers: [
                HeaderField("Content-Encoding", "gzip"), HeaderField("Content-Length", "99"), HeaderField("X", "1"),
            ],
            body: .inline(body)
        )
        let patch = try JSONValue(parsing: Array(#"{"sum":2}"#.utf8))
        let behaviour = Behaviour(.takes([take]), isTemplate: true, changes: [.merge(patch)])
        try await Holding.use(try await Holding.start(behaviour)) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
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

    @Test func aHeldHEADRequestGetsNoBody() async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(
                "HEAD \(RunningProxy.origin)\(Holding.path) HTTP/1.1\r\nHost: api.example.test\r\n\r\n"
            )
            await Holding.held(proxy.session)
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

    @Test func anUnmatchedRequestCountsOnlyIfTheClientGetsThe501() async throws {
        let proxy = try await RunningProxy.start(RunningProxy.cassette(["/b": Behaviour(.takes([Take()]))]))
        try await Holding.use(proxy) { proxy in
            proxy.session.add(try Holding.holder())
            for number in 1...2 {
                let client = try await proxy.connect()
                try await client.send(RunningProxy.get(Holding.path))
                await Holding.held(proxy.session)
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
}
