import TapedeckControlAPI
import TapedeckSessions
import Testing

/// Making, finding and ending sessions.
@Suite struct SessionRouteTests {
    @Test func aSessionIsCreatedReadListedAndEnded() async throws {
        try await RunningControl.use { control in
            let body = """
                {"name": "checkout", "cassettes": ["shop"], "selections": {"GET shop.test/cart": "empty"},
                 "profiles": ["slow"], "state": {"user": "ann"}, "seed": 7, "streams": "0.50x",
                 "unmatched": {"policy": "respond", "status": 418, "body": "no"}, "port": 0}
                """
            let answer = try await control.ask("POST", "/v1/sessions", body)
            #expect(answer.status == 201)
            let made: SessionModel = try answer.decoded()
            #expect(answer.headers["location"] == "/v1/sessions/\(made.id)")
            #expect(made.id.hasPrefix("checkout-"))
            #expect(made.token?.isEmpty == false)
            #expect(made.selections == ["GET shop.test/cart": "empty"])
            #expect(made.profiles == [ProfileChoice("slow")])
            #expect(made.state == ["user": "ann"])
            #expect(made.seed == 7)
            #expect(made.streams == "0.5x")
            #expect(made.unmatched == UnmatchedModel(policy: "respond", status: 418, body: "no"))
            #expect(made.port == 40_000)

            let read = try await control.ask(SessionModel.self, "GET", "/v1/sessions/\(made.id)")
            #expect(read.token == nil)
            #expect(read.cassettes == ["shop"])
            let list = try await control.ask(SessionList.self, "GET", "/v1/sessions?search=CHECK")
            #expect(list.sessions.map(\.id) == [made.id])
            #expect(list.total == 1)
            let second = try await control.ask(SessionList.self, "GET", "/v1/sessions?offset=1&limit=1")
            #expect(second.sessions.map(\.id) == [made.id])
            #expect(second.total == 2)

            let report = try await control.ask(ReportModel.self, "DELETE", "/v1/sessions/\(made.id)")
            #expect(report.ended != nil)
            #expect(report.unusedSets == ["GET shop.test/cart", "order"])
            let gone = try await control.ask("GET", "/v1/sessions/\(made.id)")
            #expect(gone.status == 410)
            #expect(gone.problem == "session-ended")
            #expect(gone.text.contains(made.id))
            #expect(try await control.ask("DELETE", "/v1/sessions/\(made.id)").status == 410)
            let kept = try await control.ask(ReportModel.self, "GET", "/v1/sessions/\(made.id)/report")
            #expect(kept == report)
        }
    }

    @Test func aSessionWithoutOptionsUsesTheDefaults() async throws {
        try await RunningControl.use { control in
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions")
            #expect(made.cassettes == ["shop"])
            #expect(made.mode == "replay")
            #expect(made.unmatched.policy == "fail")
        }
    }

    @Test func anInvalidStreamPaceIsRejected() async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("POST", "/v1/sessions", #"{"streams": "slow"}"#)
            #expect(answer.status == 422)
            #expect(answer.text.contains("none of instant, recorded and a multiple of it such as 0.5x"))
            #expect(answer.text.contains("/streams"))
        }
    }

    @Test func theDefaultSessionExistsAndCannotBeEnded() async throws {
        try await RunningControl.use { control in
            let session = try await control.ask(SessionModel.self, "GET", "/v1/sessions/default")
            #expect(session.id == "default")
            let refused = try await control.ask("DELETE", "/v1/sessions/default")
            #expect(refused.status == 409)
            #expect(refused.problem == "conflict")
        }
    }

    @Test func aDeckThatRequiresSessionsHasNoDefaultSession() async throws {
        try await RunningControl.use(requiresSession: true) { control in
            let answer = try await control.ask("GET", "/v1/sessions/default")
            #expect(answer.status == 404)
            #expect(answer.text.contains("must name a session"))
            let deck = try await control.ask(DeckModel.self, "GET", "/v1/deck")
            #expect(deck.requiresSession)
            #expect(deck.mode == nil)
            #expect(deck.sessions == 0)
        }
    }

    @Test(arguments: [
        (#"{"mode": "play"}"#, 422, "/mode"),
        (#"{"cassettes": ["../shop"]}"#, 422, "/cassettes/0"),
        (#"{"cassettes": ["nothing"]}"#, 422, "no such cassette"),
        (#"{"selections": {"order": "lost"}}"#, 422, "has no variant"),
        (#"{"selections": {"ordre": "accepted"}}"#, 422, #"did you mean \"order\"?"#),
        (#"{"profiles": ["slwo"]}"#, 422, #"did you mean \"slow\"?"#),
        (#"{"unmatched": {"policy": "passthrough"}}"#, 422, "use append"),
        (#"{"unmatched": {"policy": "respond", "status": 99}}"#, 422, "/unmatched/status"),
        (#"{"unmatched": {"policy": "fail", "status": 404}}"#, 422, "/unmatched"),
        (#"{"port": 70000}"#, 422, "/port"),
        (#"{"reverse": "https://shop.test"}"#, 422, "/reverse"),
        (#"{"port": 0, "reverse": "shop.test"}"#, 422, "/reverse"),
        (#"{"mode": "record"}"#, 422, "needs a cassette"),
        (#"{"name": ""}"#, 422, "/name"),
        (#"{"match": ["pth"]}"#, 422, "/match/0"),
        (#"{"match": ["query"]}"#, 422, "needs at least"),
        (#"{"match": []}"#, 422, "needs at least"),
        (#"{"mode": "append", "cassettes": ["new"], "match": ["path"]}"#, 422, "write `match` into that instead"),
        (#"{"paths": {"shop": ""}}"#, 422, "/paths/shop"),
        (#"{"paths": {"shop": "a\u001bb"}}"#, 422, "/paths/shop"),
    ])
    func anInvalidSessionIsReported(_ body: String, _ status: Int, _ message: String) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("POST", "/v1/sessions", body)
            #expect(answer.status == status)
            #expect(answer.problem != nil)
            #expect(answer.text.contains(message), "\(answer.text)")
            #expect(control.sessions.count == 1)
        }
    }
}
