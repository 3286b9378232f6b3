import Foundation
import TapedeckTestingCore
import Testing

/// Sessions that ask live servers, and what stays of that.
@Suite(.timeLimit(.minutes(20)))
struct SessionRecordingTests {
    private let files: TestFiles
    private let origin: WireServer

    init() throws {
        self.files = try TestFiles()
        self.origin = try WireServer { request, connection in
            let path = request.head.split(separator: " ").dropFirst().first ?? ""
            let body = "live \(path)"
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            )
        }
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(self.origin.port)\(path)" }

    /// With this environment in place of the process's: where these tests run, `CI` may be set.
    private func with<Value>(
        _ environment: TestEnvironment = TestEnvironment(),
        _ cassette: CassetteReference...,
        mode: TapedeckMode? = nil,
        _ body: (Tapedeck) async throws -> Value
    ) async throws -> Value {
        var options = TapedeckOptions.tapedeck(folder: self.files.path).mode(mode)
        options.cassettes = cassette
        return try await TestEnvironment.$substitute.withValue(environment) {
            try await withTapedeck(options, body)
        }
    }

    private func record(_ path: String, _ cassette: CassetteReference, mode: TapedeckMode = .all) async throws {
        try await self.with(TestEnvironment(), cassette, mode: mode) { deck in
            let reply = try await AppClient(deck).get(self.url(path))
            #expect(reply.text == "live \(path)")
        }
    }

    @Test func `a recording is in its file at the end, and plays without the server`() async throws {
        try await self.record("/one", "new/tape")
        #expect(self.files.text("new/tape.yaml")?.contains("live /one") == true)
        try await self.with(TestEnvironment(), "new/tape") { deck in
            #expect(deck.mode == .replay)
            let reply = try await AppClient(deck).get(self.url("/one"))
            #expect(reply.text == "live /one")
        }
        #expect(self.origin.requests.count == 1)
    }

    @Test func `a recording variant is saved beside existing ones, and its profile plays it`() async throws {
        try await self.record("/one", "tape")
        var options = TapedeckOptions.tapedeck(folder: self.files.path).mode(.all).recording(as: "busy day")
        options.cassettes = ["tape"]
        func run() async throws {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) { [options] in
                try await withTapedeck(options) { deck in
                    let reply = try await AppClient(deck).get(self.url("/two"))
                    #expect(reply.text == "live /two")
                }
            }
        }
        try await run()
        #expect(self.files.text("tape.yaml")?.contains("live /one") == true)
        #expect(self.files.text("tape.yaml")?.contains("- name: busy day") == true)
        #expect(self.files.text("tape.yaml")?.contains("profiles:\n  busy day:\n") == true)
        options.mode = .replay
        try await run()
        #expect(self.origin.requests.count == 2)
        try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
            try await withTapedeck(.cassette("tape", folder: self.files.path).recording(as: "busy day")) { deck in
                let reply = try await AppClient(deck).get(self.url("/two"))
                #expect(reply.text == "live /two")
            }
        }
        #expect(self.origin.requests.count == 2)
        options.recordingVariant = "quiet day"
        await #expect(throws: TapedeckError.self) { try await run() }
    }

    @Test func `recording again rewrites the file, and appending keeps it`() async throws {
        try await self.record("/one", "tape")
        try await self.record("/two", "tape", mode: .new)
        #expect(self.files.text("tape.yaml")?.contains("live /one") == true)
        #expect(self.files.text("tape.yaml")?.contains("live /two") == true)
        try await self.with(TestEnvironment(), "tape", mode: .new) { deck in
            _ = try await AppClient(deck).get(self.url("/one"))
            let last = try await deck.lastRequest
            #expect(last?.outcome == .played)
        }
        try await self.record("/three", "tape")
        #expect(self.files.text("tape.yaml")?.contains("live /three") == true)
    }

    @Test func `the environment has tests with a cassette record, and others replay`() async throws {
        let environment = TestEnvironment(mode: "all")
        try await self.with(environment, "tape") { deck in
            #expect(deck.mode == .all)
            _ = try await AppClient(deck).get(self.url("/one"))
        }
        #expect(self.files.text("tape.yaml")?.contains("live /one") == true)
        try await self.with(environment) { deck in #expect(deck.mode == .replay) }
    }

    @Test func `once records a cassette that was missing when the run began, and plays one that was there`()
        async throws
    {
        let environment = TestEnvironment(mode: "once")
        for path in ["/one", "/two"] {
            try await self.with(environment, "tape") { deck in
                #expect(deck.mode == .once)
                #expect(deck.isRecording)
                let reply = try await AppClient(deck).get(self.url(path))
                #expect(reply.text == "live \(path)")
            }
        }
        #expect(self.origin.requests.count == 2)
        // A file that no test of this run has used yet.
        let before = try TestFiles(["old.yaml": try #require(self.files.text("tape.yaml"))])
        var options = TapedeckOptions.tapedeck("old", folder: before.path).mode(.once)
        options.allowsUnmatched = true
        try await TestEnvironment.$substitute.withValue(TestEnvironment()) { [options] in
            try await withTapedeck(options) { deck in
                #expect(!deck.isRecording)
                _ = try await AppClient(deck).get(self.url("/two"))
                let last = try await deck.lastRequest
                #expect(last?.outcome == .played)
            }
        }
        #expect(self.origin.requests.count == 2)
    }

    @Test func `once records a store that has no such cassette`() async throws {
        let tapes = MemoryCassettes()
        try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
            try await withTapedeck(.cassette(.stored("login", in: tapes)).mode(.once)) { deck async throws in
                #expect(try await AppClient(deck).get(self.url("/one")).text == "live /one")
            }
            #expect(tapes["login"]?.yaml.contains("live /one") == true)
            let others = MemoryCassettes(["login": try #require(tapes["login"])])
            try await withTapedeck(.cassette(.stored("login", in: others)).mode(.once)) { deck async throws in
                #expect(try await AppClient(deck).get(self.url("/one")).text == "live /one")
            }
        }
        #expect(self.origin.requests.count == 1)
    }

    @Test(arguments: [TapedeckMode.once, .new, .all])
    func `nothing is recorded if CI is set`(mode: TapedeckMode) async throws {
        for environment in [TestEnvironment(mode: mode.rawValue, isCI: true), TestEnvironment(isCI: true)] {
            let error = await #expect(throws: TapedeckError.self) {
                try await self.with(environment, "tape", mode: environment.mode == nil ? mode : nil) { _ in }
            }
            #expect(error?.kind == .recordingRefused)
        }
        let missing = await #expect(throws: TapedeckError.self) {
            try await self.with(TestEnvironment(isCI: true), "tape") { _ in }
        }
        #expect(missing?.kind == .missingCassette)
        #expect(missing?.message.hasSuffix("record it on your own machine and commit it") == true)
        #expect(self.files.text("tape.yaml") == nil)
    }

    @Test func `a failed request of a recording is an issue with its reason`() async throws {
        let port = try WireServer.deadPort()
        let told = try await issues {
            try await self.with(TestEnvironment(), "tape", mode: .new) { deck in
                _ = try? await AppClient(deck).get("http://127.0.0.1:\(port)/gone")
            }
        }
        #expect(told.count == 1)
        let message = told.first?.message ?? ""
        #expect(message.hasPrefix("the recording lacks an answer of GET http://127.0.0.1:\(port)/gone: "))
        #expect(!message.contains("was not recorded"))
    }

    @Test func `passed-through requests are recorded nowhere`() async throws {
        try await self.with(TestEnvironment()) { deck in
            try await deck.pause()
            _ = try await AppClient(deck).get(self.url("/one"))
            let last = try await deck.lastRequest
            #expect(last?.outcome == .passedThrough)
            #expect(last?.response?.text == "live /one")
        }
    }

    @Test func `a held request of an appending session is forwarded`() async throws {
        try await self.with(TestEnvironment(), "tape", mode: .new) { deck in
            let held = try await deck.hold(.get("/one"))
            async let reply = AppClient(deck).get(self.url("/one"))
            let request = try await held.next(timeout: .seconds(50))
            let error = await #expect(throws: TapedeckError.self) { try await request.proceed() }
            #expect(error?.description.contains("the live server is asked") == true)
            try await request.letGo()
            #expect(try await reply.text == "live /one")
        }
        #expect(self.files.text("tape.yaml")?.contains("live /one") == true)
    }

    @Test func `recorded sets are not unused in live modes`() async throws {
        try await self.record("/one", "tape")
        var options = TapedeckOptions.tapedeck("tape", folder: self.files.path).mode(.all)
        options.unused = .error
        try await TestEnvironment.$substitute.withValue(TestEnvironment()) { [options] in
            try await withTapedeck(options) { deck in
                let reply = try await AppClient(deck).get(self.url("/one"))
                #expect(reply.text == "live /one")
            }
        }
    }

    @Test(arguments: [TapedeckMode.all, .once, .new])
    func `stubs answer and hold where a session records, and are not recorded`(mode: TapedeckMode) async throws {
        let stubbed = TapedeckOptions.tapedeck("tape", folder: self.files.path).mode(mode).stub(
            .post("/pay"),
            .text("paid")
        )
        let told = try await issues {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck(stubbed) { deck in
                    let client = AppClient(deck)
                    try await deck.stub(.get("/code")) { _ in .text("code") }
                    try await deck.unimplemented(.delete("/all"), "not now")
                    let held = try await deck.hold(.get("/held"))
                    #expect(try await client.post(self.url("/pay"), "{}").text == "paid")
                    #expect(try await client.get(self.url("/code")).text == "code")
                    #expect(try await client.send("DELETE", self.url("/all"), nil).status == 501)
                    async let late = client.get(self.url("/held")).text
                    try await held.next().release(.text("released"))
                    #expect(try await late == "released")
                    #expect(try await client.get(self.url("/one")).text == "live /one")
                }
            }
        }
        #expect(told.map { $0.message.hasPrefix("DELETE /all is unimplemented: not now") } == [true])
        #expect(self.origin.requests.map { $0.head.split(separator: " ")[1] } == ["/one"])
        let tape = try #require(self.files.text("tape.yaml"))
        #expect(tape.contains("live /one") && !tape.contains("paid") && !tape.contains("released"))
    }

    @Test func `several sessions play one file at once`() async throws {
        try await self.record("/one", "tape")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await self.with(TestEnvironment(), "tape") { deck in
                        let reply = try await AppClient(deck).get(self.url("/one"))
                        #expect(reply.text == "live /one")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `recordings into the same file at a time add up`() async throws {
        try await self.with(TestEnvironment(), "tape", mode: .all) { deck in
            try await TapedeckOptions.$inherited.withValue(nil) {
                try await self.with(TestEnvironment(), "tape", mode: .all) { other in
                    _ = try await AppClient(other).get(self.url("/two"))
                }
            }
            _ = try await AppClient(deck).get(self.url("/one"))
        }
        let text = try #require(self.files.text("tape.yaml"))
        #expect(text.contains("live /one"))
        #expect(text.contains("live /two"))
    }

    @Test func `a recording without a cassette is an error`() async throws {
        let error = await #expect(throws: TapedeckError.self) {
            try await TestEnvironment.$substitute.withValue(TestEnvironment()) {
                try await withTapedeck(.tapedeck().mode(.all)) { _ in }
            }
        }
        #expect(error?.kind == .badOptions)
    }
}
