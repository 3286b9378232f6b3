import TapedeckControlAPI
import TapedeckControlServer
import TapedeckSessions
import Testing

/// Waiting for requests.
@Suite struct WaitTests {
    private static let path = "/v1/sessions/default/journal/wait"

    /// Sends a request for a wait, and gives its result when it comes.
    private static func wait(_ control: RunningControl, _ body: String) async throws -> WaitResult {
        try await control.ask(WaitResult.self, "POST", self.path, body)
    }

    @Test func aWaitForEarlierRequestsReturnsAtOnce() async throws {
        try await RunningControl.use { control in
            for number in 1...3 { try control.session.see("GET", "/\(number)") }
            let result = try await Self.wait(
                control,
                #"{"request": {"host": "shop.test"}, "count": 2, "within": "5m"}"#
            )
            #expect(result.isMet)
            #expect(result.count == 3)
            #expect(result.entries.map(\.number) == [1, 2, 3])
            let later = try await Self.wait(control, #"{"after": 2, "within": "5m"}"#)
            #expect(later.entries.map(\.number) == [3])
        }
    }

    @Test func theRequestThatReachesTheCountEndsTheWait() async throws {
        try await RunningControl.use { control in
            let probe = try await control.connect()
            let wait = #"{"request": {"url": "http://shop.test/orders"}, "count": 2, "within": "5m"}"#
            try await probe.send(control.head("POST", Self.path, wait))
            let session = try control.session
            session.see("POST", "/orders")
            session.see("GET", "/other")
            // The body of the second one is still coming, and so it is not judged yet.
            let open = session.see("POST", "/orders", body: nil, ending: nil)
            session.finish(open, body: "x")
            let result = try ControlAnswer(await probe.readToEnd()).decoded(WaitResult.self)
            #expect(result.isMet)
            #expect(result.entries.map(\.number) == [1, 3])
            #expect(result.reason == nil)
        }
    }

    @Test func aWaitTimesOut() async throws {
        try await RunningControl.use { control in
            try control.session.see("GET", "/a")
            let result = try await Self.wait(control, #"{"count": 2, "within": "20ms"}"#)
            #expect(!result.isMet)
            #expect(result.count == 1)
            #expect(result.reason == "timeout")
        }
    }

    @Test func aWaitForNoRequestIsMetAtItsTimeout() async throws {
        try await RunningControl.use { control in
            try control.session.see("GET", "/a")
            let quiet = try await Self.wait(control, #"{"never": true, "after": 1, "within": "20ms"}"#)
            #expect(quiet.isMet)
            #expect(quiet.count == 0)
            let probe = try await control.connect()
            try await probe.send(control.head("POST", Self.path, #"{"never": true, "after": 1, "within": "5m"}"#))
            try control.session.see("GET", "/b")
            let broken = try ControlAnswer(await probe.readToEnd()).decoded(WaitResult.self)
            #expect(!broken.isMet)
            #expect(broken.entries.map(\.number) == [2])
        }
    }

    @Test func theEndOfTheSessionEndsTheWait() async throws {
        try await RunningControl.use { control in
            let made = try await control.ask(SessionModel.self, "POST", "/v1/sessions")
            let probe = try await control.connect()
            try await probe.send(control.head("POST", "/v1/sessions/\(made.id)/journal/wait", #"{"within": "5m"}"#))
            // Until the wait has begun, the session's end would be answered with a 410.
            try await control.untilBusy()
            _ = try await control.ask("DELETE", "/v1/sessions/\(made.id)")
            let result = try ControlAnswer(await probe.readToEnd()).decoded(WaitResult.self)
            #expect(!result.isMet)
            #expect(result.reason == "ended")
        }
    }

    @Test func aClientThatLeavesFreesItsSlot() async throws {
        try await RunningControl.use(.with { $0.longRequestLimit = 1 }) { control in
            let probe = try await control.connect()
            try await probe.send(control.head("POST", Self.path, #"{"within": "5m"}"#))
            try await control.untilBusy()
            try await probe.close()
            // Repeats until a slot is free: a refused request returns at once.
            var answer = try await control.ask("POST", Self.path, #"{"within": "1ms"}"#)
            while answer.status == 503 { answer = try await control.ask("POST", Self.path, #"{"within": "1ms"}"#) }
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [
        (#"{"within": "6m"}"#, "/within"), (#"{"within": "5"}"#, "/within"), (#"{"within": 5}"#, "/within"),
        (#"{"count": 0}"#, "/count"), (#"{"never": true, "count": 1}"#, "/count"), (#"{"after": -1}"#, "/after"),
        (#"{"request": 5}"#, "/request"), (#"{"requst": {}}"#, "/requst"),
    ])
    func anInvalidWaitIsReported(_ body: String, _ pointer: String) async throws {
        try await RunningControl.use { control in
            let answer = try await control.ask("POST", Self.path, body)
            #expect(answer.status == 422)
            #expect(try answer.decoded(ProblemModel.self).errors?.first?.pointer == pointer)
        }
    }
}
