import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Requests beyond the limit of unanswered requests of a deck or session.
@Suite struct RequestLimitTests {
    private static let held = "http://api.example.test/held"

    private static func start(_ change: (inout UsageLimits) -> Void) async throws -> SharedProxy {
        var limits = UsageLimits()
        change(&limits)
        return try await SharedProxy.start(limits: limits)
    }

    /// A session that holds ``held`` and answers the rest.
    private static func session(_ proxy: SharedProxy, _ text: String) throws -> Session {
        let session = try proxy.session(text)
        session.add(try SharedProxy.set("held", "/held", behaviour: Behaviour(.hold)))
        return session
    }

    private static func hold(_ proxy: SharedProxy, _ session: Session, count: Int) async throws -> [WireClient] {
        var clients: [WireClient] = []
        for _ in 0..<count {
            let client = try await proxy.connect()
            try await client.send(SharedProxy.get(Self.held, SharedProxy.header(session.key)))
            clients.append(client)
        }
        await Holding.held(session, count)
        return clients
    }

    @Test func aRequestOverTheSessionsLimitGetsA429AndItsConnectionStaysOpen() async throws {
        let proxy = try await Self.start { $0.sessionRequests = 2 }
        let (full, other) = (try Self.session(proxy, "full"), try proxy.session("other"))
        let held = try await Self.hold(proxy, full, count: 2)
        #expect(full.inUse.requests == 2)
        #expect(proxy.context.usage.requests == 2)

        let client = try await proxy.connect()
        let request = SharedProxy.get(SharedProxy.url, SharedProxy.header(full.key))
        try await client.send(request)
        let refused = await client.response()
        #expect(refused.status == 429)
        #expect(refused["retry-after"] == "1")
        #expect(refused.body.contains(#""error": "tooManyRequests""#))
        #expect(refused.body.contains(#""option": "--max-session-requests""#))
        #expect(refused.body.contains(#""session": "\#(full.id)""#))
        guard case .refused(let reason) = full.journal.entry(3)?.outcome else {
            Issue.record("the journal does not say that it was refused")
            return
        }
        #expect(reason.contains("--max-session-requests"))
        #expect(try await proxy.ask(SharedProxy.get(SharedProxy.url, SharedProxy.header(other.key))).body == "other")

        let isReleased = full.release(held: 1, with: Take(status: 204))
        #expect(isReleased)
        #expect(await held[0].response().status == 204)
        // The connection is still usable.
        try await client.send(request)
        #expect(await client.response().body == "full")
        try await proxy.stop()
        #expect(full.inUse == DeckUsage())
        #expect(proxy.context.usage == DeckUsage())
    }

    @Test func pendingRequestsOfAllSessionsAreLimitedToo() async throws {
        let proxy = try await Self.start { $0.requests = 1 }
        let (full, other) = (try Self.session(proxy, "full"), try proxy.session("other"))
        let held = try await Self.hold(proxy, full, count: 1)
        let refused = try await proxy.ask(SharedProxy.get(SharedProxy.url, SharedProxy.header(other.key)))
        #expect(refused.status == 503)
        #expect(refused.body.contains(#""option": "--max-requests""#))
        let isReleased = full.release(held: 1, with: Take(status: 204))
        #expect(isReleased)
        #expect(await held[0].response().status == 204)
        #expect(try await proxy.ask(SharedProxy.get(SharedProxy.url, SharedProxy.header(other.key))).body == "other")
        try await proxy.stop()
        #expect(proxy.context.usage == DeckUsage())
    }

    /// The ways in which a held request, and its connection, can end.
    enum Ending: CaseIterable {
        case released, clientFinishes, clientCloses, clientResets, sessionEnds, deckStops
    }

    @Test(arguments: Ending.allCases, [false, true])
    func endedRequestsAreNoLongerCounted(_ ending: Ending, inTunnel: Bool) async throws {
        let proxy = try await SharedProxy.start()
        let session = try Self.session(proxy, "a")
        var clients: [WireClient] = []
        for _ in 0..<5 {
            let client = try await proxy.connect()
            if inTunnel {
                try await client.send(
                    SharedProxy.connect("api.example.test:443", SharedProxy.header(session.key))
                )
                _ = await client.read(through: "\r\n\r\n")
                try await client.startTLS("api.example.test", authority: proxy.authority)
                try await client.send("GET /held HTTP/1.1\r\nHost: api.example.test\r\n\r\n")
            } else {
                try await client.send(SharedProxy.get(Self.held, SharedProxy.header(session.key)))
            }
            clients.append(client)
        }
        await Holding.held(session, 5)
        #expect(session.inUse == DeckUsage(connections: 5, requests: 5))
        #expect(proxy.context.usage == DeckUsage(connections: 5, requests: 5))
        switch ending {
        case .released:
            for number in 1...5 { _ = session.release(held: number, with: Take(status: 204)) }
            for client in clients { #expect(await client.response().status == 204) }
            #expect(session.inUse == DeckUsage(connections: 5))
        case .clientFinishes: for client in clients { try await client.finishSending() }
        case .clientCloses: for client in clients { await client.close() }
        case .clientResets: for client in clients { try await client.vanish() }
        case .sessionEnds:
            let ended = await proxy.sessions.end(session.id)
            #expect(ended != nil)
            for client in clients { #expect(await client.response().status == 410) }
        case .deckStops: break
        }
        // Returns when the last connection is gone.
        await proxy.listener.stop(grace: .hours(1))
        #expect(session.inUse == DeckUsage())
        #expect(proxy.context.usage == DeckUsage())
        try await proxy.stop()
    }

    /// The ways in which a connection carries bytes that are not requests.
    enum Opaque: CaseIterable {
        case upgrade, passedTunnel
    }

    @Test(arguments: Opaque.allCases, [false, true])
    func aConnectionThatCarriesNoRequestsIsCountedUntilItEnds(_ way: Opaque, resets: Bool) async throws {
        let origin = try await EchoOrigin.start()
        var settings = RecordSettings()
        if way == .passedTunnel { settings.passthrough = [try HostPattern("127.0.0.1")] }
        let rules = RecordingRules(settings)
        let proxy = try await SharedProxy.start(dials: true) { $0.recording = rules }
        let session = try proxy.passthrough()
        let key = SharedProxy.header(session.key)
        let client = try await proxy.connect()
        if way == .passedTunnel {
            try await client.send(SharedProxy.connect(String(origin.url.dropFirst("http://".count)), key))
            #expect(await client.read(through: "\r\n\r\n").contains(" 200 "))
            try await client.send("GET / HTTP/1.1\r\nUpgrade: hi\r\n\r\n")
        } else {
            try await client.send(SharedProxy.get(origin.url, "Connection: Upgrade", "Upgrade: hi", key))
        }
        #expect(await client.read(through: "\r\n\r\nhi").contains(" 101 "))
        #expect(session.inUse == DeckUsage(connections: 1))
        #expect(proxy.context.usage == DeckUsage(connections: 1))
        if resets {
            try await client.vanish()
        } else {
            await client.close()
        }
        await proxy.listener.stop(grace: .hours(1))
        #expect(session.inUse == DeckUsage())
        #expect(proxy.context.usage == DeckUsage())
        try await proxy.stop()
        try await origin.stop()
    }
}
