import TapedeckControlAPI
import TapedeckControlServer
import TapedeckSessions
import Testing

/// Streams of what happens.
@Suite struct EventTests {
    private static func follow(_ control: RunningControl, _ path: String) async throws -> ControlProbe {
        let probe = try await control.connect()
        try await probe.send(control.head("GET", path))
        return probe
    }

    @Test func aStreamReportsTheSessionThenEveryChange() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            session.see("GET", "/before")
            let probe = try await Self.follow(control, "/v1/sessions/default/events")
            let first = await probe.read(until: "event: session\n")
            #expect(first.contains("text/event-stream"))
            // Nothing may follow a stream on its connection.
            #expect(first.lowercased().contains("connection: close"))
            #expect(!first.contains("/before"))
            let open = session.see("POST", "/now", body: nil, ending: nil)
            let entry = await probe.read(until: "\n\n")
            #expect(entry.contains("event: entry\nid: 2\n"))
            #expect(entry.contains(#""url":"http://shop.test/now""#))
            session.finish(open, body: "abc")
            let changed = await probe.read(until: "\n\n")
            #expect(changed.contains("event: entry\nid: 3\n"))
            #expect(changed.contains(#""requestBytes":3"#))
            try session.select("empty", of: "GET shop.test/cart")
            let steered = await probe.read(until: "\n\n")
            #expect(steered.contains("event: session\n"))
            #expect(steered.contains(#""GET shop.test/cart":"empty""#))
        }
    }

    @Test(arguments: [("?after=1", ""), ("", "Last-Event-ID: 1"), ("?after=0", "Last-Event-ID: 1")])
    func aStreamResumesAfterTheLastEvent(_ query: String, _ header: String) async throws {
        try await RunningControl.use { control in
            for name in ["a", "b", "c"] { try control.session.see("GET", "/\(name)") }
            let probe = try await control.connect()
            let headers = header.isEmpty ? [] : [header]
            try await probe.send(control.head("GET", "/v1/sessions/default/events\(query)", headers: headers))
            let text = await probe.read(until: "id: 3\n")
            #expect(!text.contains("id: 1\n"))
            #expect(text.contains("id: 2\n"))
        }
    }

    @Test func entriesRemovedBeforeTheyAreSentAreCountedAsMissed() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            for number in 1...3 { session.see("GET", "/\(number)") }
            session.journal.clear()
            session.see("GET", "/4")
            let probe = try await Self.follow(control, "/v1/sessions/default/events?after=0")
            let text = await probe.read(until: "event: entry")
            #expect(text.contains("event: missed\ndata: {\"count\":3}\n\n"))
        }
    }

    @Test func aLongBacklogIsSentInOrderAndWhole() async throws {
        try await RunningControl.use { control in
            let session = try control.session
            for number in 1...1_200 { session.see("GET", "/\(number)") }
            let probe = try await Self.follow(control, "/v1/sessions/default/events?after=0")
            let text = await probe.read(until: "id: 1200\n")
            let ids = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
            #expect(ids == Array(1...1_200))
        }
    }

    @Test func theEndOfASessionEndsItsStream() async throws {
        try await RunningControl.use { control in
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions")
            let probe = try await Self.follow(control, "/v1/sessions/\(made.id)/events")
            _ = await probe.read(until: "event: session\n")
            _ = try await control.ask("DELETE", "/v1/sessions/\(made.id)")
            let rest = await probe.readToEnd()
            #expect(rest.contains("event: ended\ndata: {\"id\":\"\(made.id)\"}\n\n"))
        }
    }

    @Test func theDeckReportsSessionsThatBeginAndEnd() async throws {
        try await RunningControl.use { control in
            let probe = try await Self.follow(control, "/v1/events")
            #expect(await probe.read(until: "}\n\n").contains("event: sessions\n"))
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions")
            #expect(await probe.read(until: "}\n\n").contains("data: {\"count\":2}\n\n"))
            _ = try await control.ask("DELETE", "/v1/sessions/\(made.id)")
            #expect(await probe.read(until: "}\n\n").contains("data: {\"count\":1}\n\n"))
        }
    }

    @Test func aQuietStreamStaysAlive() async throws {
        try await RunningControl.use(.with { $0.heartbeat = .milliseconds(10) }) { control in
            let probe = try await Self.follow(control, "/v1/sessions/default/events")
            #expect(await probe.read(until: ": still here\n\n").contains(": still here\n\n"))
        }
    }

    @Test func aStreamOverTheLimitIsRejected() async throws {
        try await RunningControl.use(.with { $0.longRequestLimit = 1 }) { control in
            let probe = try await Self.follow(control, "/v1/events")
            _ = await probe.read(until: "event: sessions\n")
            let answer = try await control.ask("GET", "/v1/sessions/default/events")
            #expect(answer.status == 503)
            #expect(answer.problem == "too-many-waiting")
            #expect(answer.headers["retry-after"] == "1")
        }
    }

    @Test func aStopEndsStreamsWaitsAndIdleConnections() async throws {
        // On its own thread: parallel tests may block the shared threads for longer than a stop waits.
        let control = try await RunningControl.start(.with { $0.usesOwnThread = true })
        let stream = try await Self.follow(control, "/v1/sessions/default/events")
        _ = await stream.read(until: "event: session\n")
        let wait = try await control.connect()
        try await wait.send(control.head("POST", "/v1/sessions/default/journal/wait", #"{"within": "5m"}"#))
        let idle = try await control.connect()
        try await idle.send(control.head("GET", "/v1/health"))
        _ = await idle.read(until: "\"ok\"")
        try await control.untilBusy(2)
        await control.server.stop()
        #expect(await stream.readToEnd().hasSuffix("0\r\n\r\n"))
        #expect(try ControlAnswer(await wait.readToEnd()).decoded(WaitResult.self).reason == "stopping")
        #expect(await idle.readToEnd().isEmpty)
        try await control.stop()
    }
}
