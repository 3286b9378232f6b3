import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Connections beyond what a deck, or a session, takes.
@Suite struct ConnectionLimitTests {
    private static func start(_ change: (inout UsageLimits) -> Void) async throws -> SharedProxy {
        var limits = UsageLimits()
        change(&limits)
        return try await SharedProxy.start(limits: limits)
    }

    /// Connects again until one is accepted: the deck notices with a delay that another has closed.
    private static func untilTaken(_ proxy: SharedProxy, _ request: String) async throws -> WireResponse {
        while true {
            let response = try await proxy.ask(request)
            if response.status != 503 { return response }
        }
    }

    @Test(arguments: [SharedProxy.get(), SharedProxy.connect()])
    func aConnectionOverTheLimitGetsA503AndIsClosed(_ request: String) async throws {
        let proxy = try await Self.start { $0.connections = 1 }
        let first = try await proxy.connect()
        try await first.send(SharedProxy.get())
        #expect(await first.response().body == "default")

        let second = try await proxy.connect()
        try await second.send(request)
        let (bytes, ending) = await second.readToEnd()
        let response = try #require(WireResponse(bytes, isHead: false))
        #expect(response.status == 503)
        #expect(response.reason == "Too many connections of Tapedeck")
        #expect(response["retry-after"] == "1")
        #expect(response["connection"] == "close")
        #expect(response["x-tapedeck-reason"]?.contains("--max-connections") == true)
        #expect(response.body.contains(#""error": "tooManyConnections""#))
        #expect(ending == .closed)

        // Existing clients are not affected, and make room by leaving.
        try await first.send(SharedProxy.get())
        #expect(await first.response().body == "default")
        await first.close()
        #expect(try await Self.untilTaken(proxy, SharedProxy.get()).body == "default")
        try await proxy.stop()
        #expect(proxy.context.usage == DeckUsage())
    }

    @Test(arguments: [SharedProxy.get(), SharedProxy.connect()])
    func aSessionAtItsConnectionLimitDoesNotAffectOthers(_ request: String) async throws {
        let proxy = try await Self.start { $0.sessionConnections = 1 }
        let (full, other) = (try proxy.session("full"), try proxy.session("other"))
        func named(_ request: String, _ session: Session) -> String {
            request.dropLast() + "\(SharedProxy.header(session.key))\r\n\r\n"
        }
        let first = try await proxy.connect()
        try await first.send(named(SharedProxy.get(), full))
        #expect(await first.response().body == "full")

        let refused = try await proxy.ask(named(request, full))
        #expect(refused.status == 503)
        #expect(refused.reason == "Too many connections of Tapedeck session \(full.id)")
        #expect(refused["x-tapedeck-reason"]?.contains("--max-session-connections") == true)
        #expect(full.refused == 1)
        #expect(try await proxy.ask(named(SharedProxy.get(), other)).body == "other")
        #expect(try await proxy.ask(SharedProxy.get()).body == "default")
        try await proxy.stop()
        #expect(full.inUse == DeckUsage())
        #expect(proxy.context.usage == DeckUsage())
    }

    @Test func aConnectionCountsForTheSessionOfItsLatestRequest() async throws {
        let proxy = try await Self.start { $0.sessionConnections = 1 }
        let (one, two) = (try proxy.session("one"), try proxy.session("two"))
        let client = try await proxy.connect()
        for (session, text) in [(one, "one"), (two, "two"), (one, "one")] {
            try await client.send(SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key)))
            #expect(await client.response().body == text)
            #expect(session.inUse.connections == 1)
            #expect(one.inUse.connections + two.inUse.connections == 1)
            #expect(proxy.context.usage.connections == 1)
        }
        try await proxy.stop()
        #expect(one.inUse == DeckUsage())
    }
}
