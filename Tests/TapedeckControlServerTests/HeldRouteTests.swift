import TapedeckControlAPI
import TapedeckSessions
import Testing

@testable import TapedeckControlServer

/// Requests that are held, steered over the API.
@Suite struct HeldRouteTests {
    private static let octets = ["Content-Type: application/octet-stream"]

    @Test func aWaitReturnsTheHeldRequestAndTheClientGetsTheReleasedAnswer() async throws {
        try await HeldTraffic.use { traffic in
            let set = try await traffic.hold()
            #expect(set.status == 201)
            #expect(set.text.contains(#""hold":true"#))
            let waiting = try await traffic.control.connect()
            try await waiting.send(traffic.control.head("GET", "\(HeldTraffic.session)/held?within=5m"))
            try await traffic.control.untilBusy()
            let client = try await traffic.send("POST", "/orders", #"{"apples":3}"#, headers: ["X-Client: c"])
            let list = try ControlAnswer(await waiting.readToEnd()).decoded(HeldList.self)
            let held = try #require(list.held.first)
            #expect(list.version == held.version)
            #expect(held.number == 1)
            #expect(held.set == "holder")
            #expect(held.entry.method == "POST")
            #expect(held.entry.url == "http://shop.test/orders")
            #expect(held.entry.outcome == "pending")
            #expect(held.entry.request?.headers.contains(["X-Client", "c"]) == true)
            #expect(held.entry.request?.body?.text == #"{"apples":3}"#)
            let take = #"{"take": {"status": 409, "headers": {"X-Reason": "sold out"}, "body": {"json": {"left": 0}}}}"#
            let released = try await traffic.release(1, take)
            #expect(released.status == 204)
            let answer = try ControlAnswer(await client.readToEnd())
            #expect(answer.status == 409)
            #expect(answer.headers["x-reason"] == "sold out")
            #expect(answer.text == #"{"left":0}"#)
            let entry = try await traffic.control.ask(
                JournalEntryModel.self,
                "GET",
                "\(HeldTraffic.session)/journal/1"
            )
            #expect(entry.outcome == "played")
            #expect(entry.status == 409)
            #expect(entry.played?.set == "holder")
            #expect(entry.played?.variant == "held")
            #expect(entry.response?.body?.text == #"{"left":0}"#)
            let rest = try await traffic.control.ask(HeldList.self, "GET", "\(HeldTraffic.session)/held")
            #expect(rest.held.isEmpty)
            #expect(rest.version == list.version)
        }
    }

    @Test func theTapesAnswerIsChangedAndReleased() async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let client = try await traffic.send("GET", "/cart")
            _ = try await traffic.held()
            var answer = try await traffic.control.ask(
                TapeAnswerModel.self,
                "POST",
                "\(HeldTraffic.session)/held/1/tape"
            )
            #expect(answer.outcome == "played")
            #expect(answer.set == "GET shop.test/cart")
            #expect(answer.variant == "full")
            #expect(answer.take?.status == 200)
            #expect(answer.take?.body?.text == "two apples")
            answer.take?.body?.text = "three apples"
            answer.take?.headers?.append(["X-Changed": "yes"])
            struct Release: Encodable { var take: TakeModel? }
            let body = String(decoding: try Reply.encode(Release(take: answer.take)), as: UTF8.self)
            let released = try await traffic.release(1, body)
            #expect(released.status == 204, "\(released.text)")
            let got = try ControlAnswer(await client.readToEnd())
            #expect(got.text == "three apples")
            #expect(got.headers["x-changed"] == "yes")
        }
    }

    @Test func anOpenAnswerIsSentToTheClientInParts() async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let client = try await traffic.send("GET", "/events")
            _ = try await traffic.held()
            let open = #"{"open": {"status": 200, "headers": {"Content-Type": "text/event-stream"}}}"#
            #expect(try await traffic.release(1, open).status == 204)
            let path = "\(HeldTraffic.session)/held/1"
            for part in ["data: 1\n\n", "data: 2\n\n"] {
                let sent = try await traffic.control.ask("POST", "\(path)/body", part, headers: Self.octets)
                #expect(sent.status == 204)
            }
            let bad = try await traffic.control.ask("POST", "\(path)/end", #"{"ending": "soon"}"#)
            #expect(bad.status == 422)
            #expect(try await traffic.control.ask("POST", "\(path)/end", "{}").status == 204)
            let answer = try ControlAnswer(await client.readToEnd())
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/event-stream")
            #expect(answer.text.contains("data: 1\n\n"))
            #expect(answer.text.contains("data: 2\n\n"))
            let late = try await traffic.control.ask("POST", "\(path)/body", "x", headers: Self.octets)
            #expect(late.problem == "unknown-open-answer")
            let entry = try await traffic.control.ask(
                JournalEntryModel.self,
                "GET",
                "\(HeldTraffic.session)/journal/1"
            )
            #expect(entry.response?.body?.text == "data: 1\n\ndata: 2\n\n")
            #expect(entry.ending == "complete")
        }
    }

    @Test func anUploadedBodyFileIsPlayed() async throws {
        try await HeldTraffic.use { traffic in
            let file = "\(HeldTraffic.session)/files/film"
            #expect(
                try await traffic.control.ask("PUT", file, "the film", headers: Self.octets).status == 204
            )
            let set = #"{"request": {"host": "shop.test"}, "status": 200, "body": {"file": "film"}}"#
            let added = try await traffic.control.ask("PUT", "\(HeldTraffic.session)/added/film", set)
            #expect(added.status == 201, "\(added.text)")
            let client = try await traffic.send("GET", "/film")
            #expect(try ControlAnswer(await client.readToEnd()).text == "the film")
            let missing = try await traffic.control.ask(
                "PUT",
                "\(HeldTraffic.session)/added/other",
                #"{"request": {"host": "shop.test"}, "status": 200, "body": {"file": "other"}}"#
            )
            #expect(missing.status == 422)
            #expect(missing.text.contains("send it to the session first"))
        }
    }

    @Test func aLargeBodyIsPlayedAndNotRepeatedInTheAnswer() async throws {
        try await HeldTraffic.use { traffic in
            let film = String(repeating: "\0", count: 12_000_000)
            let file = "\(HeldTraffic.session)/files/film"
            #expect(try await traffic.control.ask("PUT", file, film, headers: Self.octets).status == 204)
            let set = #"{"request": {"host": "shop.test"}, "status": 200, "body": {"file": "film"}}"#
            let added = try await traffic.control.ask("PUT", "\(HeldTraffic.session)/added/film", set)
            #expect(added.status == 201)
            #expect(added.text.utf8.count < 1_000)
            #expect(added.text.contains(#""name":"film""#))
            let client = try await traffic.send("GET", "/film")
            #expect(try ControlAnswer(await client.readToEnd()).text.utf8.count == 12_000_000)
        }
    }

    @Test func theWholeBodyOfAHeldRequestIsThere() async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let body = String(repeating: "0123456789", count: 300_000)
            _ = try await traffic.send("POST", "/orders", body)
            let held = try #require(try await traffic.held().held.first)
            #expect(held.entry.request?.body?.isCut == true)
            let answer = try await traffic.control.ask("GET", "\(HeldTraffic.session)/held/1/body")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/octet-stream")
            #expect(answer.text == body)
            let unknown = try await traffic.control.ask("GET", "\(HeldTraffic.session)/held/7/body")
            #expect(unknown.problem == "unknown-held")
        }
    }

    @Test func aRequestThatProceedsGetsTheTapesAnswer() async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let client = try await traffic.send("GET", "/cart")
            let missing = try await traffic.send("GET", "/nothing")
            let first = try await traffic.held()
            var seen = first.held
            if seen.count < 2 { seen += try await traffic.held(after: first.version).held }
            for held in seen {
                let released = try await traffic.release(held.number, #"{"proceed": true}"#)
                #expect(released.status == 204)
            }
            #expect(try ControlAnswer(await client.readToEnd()).text == "two apples")
            let refused = try ControlAnswer(await missing.readToEnd())
            #expect(refused.status == 501)
            #expect(try traffic.control.session.counts == (1, 0, 1))
        }
    }

    @Test func aReleasedRequestIsReportedAsUnknown() async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let client = try await traffic.send("GET", "/cart")
            _ = try await traffic.held()
            let first = try await traffic.release(1, #"{"take": {"fault": "emptyResponse"}}"#)
            #expect(first.status == 204)
            #expect(await client.readToEnd().isEmpty)
            for (path, body) in [("1", #"{"proceed": true}"#), ("x", #"{"proceed": true}"#), ("1/tape", nil)] {
                let answer = try await traffic.control.ask("POST", "\(HeldTraffic.session)/held/\(path)", body)
                #expect(answer.status == 404)
                #expect(answer.problem == "unknown-held")
            }
        }
    }

    @Test(arguments: [
        ("{}", ""), (#"{"proceed": false}"#, "/proceed"), (#"{"proceed": true, "take": {}}"#, "/proceed"),
        (#"{"open": {"status": 200, "body": {"text": "x"}}}"#, "/open"),
        (#"{"open": {"status": 200}, "proceed": true}"#, "/open"),
        (#"{"take": {"status": 99}}"#, "/take/status"), (#"{"take": {"status": 200, "delay": "soon"}}"#, "/take/delay"),
        (#"{"take": {"status": 200, "takes": []}}"#, "/take/takes"), (#"{"tak": {}}"#, "/tak"),
    ])
    func anInvalidAnswerIsReportedAndTheRequestStaysHeld(_ body: String, _ pointer: String) async throws {
        try await HeldTraffic.use { traffic in
            try await traffic.hold()
            let client = try await traffic.send("GET", "/cart")
            _ = try await traffic.held()
            let answer = try await traffic.release(1, body)
            #expect(answer.status == 422)
            #expect(try answer.decoded(ProblemModel.self).errors?.first?.pointer == pointer)
            let released = try await traffic.release(1, #"{"proceed": true}"#)
            #expect(released.status == 204)
            #expect(try ControlAnswer(await client.readToEnd()).status == 200)
        }
    }

    @Test(arguments: ["within=6m", "within=5", "after=-1", "since=1"])
    func anInvalidWaitIsReported(_ query: String) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("GET", "\(HeldTraffic.session)/held?\(query)")
            #expect(answer.status == 400)
            #expect(answer.problem == "bad-request")
        }
    }

    @Test func waitsAreLimitedInTimeAndNumberAndEndWithTheSession() async throws {
        try await HeldTraffic.use(.with { $0.longRequestLimit = 1 }) { traffic in
            let control = traffic.control
            let late = try await control.ask(HeldList.self, "GET", "\(HeldTraffic.session)/held?within=10ms")
            #expect(late == HeldList(held: [], version: 0))
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions")
            let waiting = try await control.connect()
            try await waiting.send(control.head("GET", "/v1/sessions/\(made.id)/held?within=5m"))
            try await control.untilBusy()
            let refused = try await control.ask("GET", "\(HeldTraffic.session)/held?within=5m")
            #expect(refused.status == 503)
            _ = try await control.ask("DELETE", "/v1/sessions/\(made.id)")
            let list = try ControlAnswer(await waiting.readToEnd()).decoded(HeldList.self)
            #expect(list.held.isEmpty)
            let ended = try await control.ask("GET", "/v1/sessions/\(made.id)/held")
            #expect(ended.status == 410)
        }
    }
}
