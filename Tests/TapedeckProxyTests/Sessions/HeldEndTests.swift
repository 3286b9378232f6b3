import TapedeckCore
import TapedeckSessions
import Testing

/// Requests that wait and are never released.
@Suite struct HeldEndTests {
    @Test(arguments: [true, false])
    func aHeldRequestEndsWhenItsClientLeaves(_ vanishes: Bool) async throws {
        try await Holding.use(try await Holding.start()) { proxy in
            let client = try await proxy.connect()
            try await client.send(RunningProxy.get(Holding.path))
            await Holding.held(proxy.session)
            if vanishes { try await client.vanish() } else { await client.close() }
            await Holding.held(proxy.session, 0)
            let entry = try #require(await Holding.ended(proxy.session, 1))
            #expect(entry.ending == .abandoned)
            let isReleased = proxy.session.release(held: 1, with: Take())
            #expect(!isReleased)
            #expect(proxy.session.counts.played == 0)
        }
    }

    @Test func aHeldRequestGetsA410WhenItsSessionEnds() async throws {
        let proxy = try await SharedProxy.start()
        let session = try proxy.session("unused")
        var set = try SharedProxy.set("", behaviour: Behaviour(.hold))
        set.name = "holder"
        session.add(set)
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key)))
        await Holding.held(session)
        #expect(session.idleSeconds == 0)
        _ = await proxy.sessions.end(session.id)
        let response = await client.response()
        #expect(response.status == 410)
        #expect(response["x-tapedeck-session-error"] == "sessionEnded")
        #expect(session.held.isEmpty)
        guard case .refused = await Holding.ended(session, 1)?.outcome else {
            Issue.record("the journal says something else")
            return
        }
        try await proxy.stop()
    }

    @Test func aStoppingDeckClosesTheConnectionOfAHeldRequest() async throws {
        let proxy = try await Holding.start()
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get(Holding.path))
        await Holding.held(proxy.session)
        await proxy.drain()
        let (bytes, ending) = await client.readToEnd()
        #expect(bytes.isEmpty)
        #expect(ending == .closed)
        #expect(proxy.session.held.isEmpty)
        try await proxy.stop()
    }
}
