import TapedeckCore
import TapedeckProxy
import Testing

@testable import TapedeckProxy
@testable import TapedeckSessions

/// The counters of a proxy for real requests.
@Suite struct CountingTests {
    private static func running() async throws -> RunningProxy {
        let cassette = try RunningProxy.cassette([
            "/plain": Behaviour(.takes([Take(status: 200, body: RunningProxy.text("plain"))])),
            "/hang": Behaviour(.takes([Take(fault: .hang)])),
        ])
        return try await RunningProxy.start(cassette)
    }

    /// Returns once a number is as expected. Spins, because there is no notification.
    private func until(_ proxy: RunningProxy, _ number: KeyPath<DeckUsage, Int>, is expected: Int) async {
        while proxy.context.usage[keyPath: number] != expected { await Task.yield() }
    }

    @Test func anAnswerOffTheTapeIsCountedOnce() async throws {
        let proxy = try await Self.running()
        for _ in 0..<5 { _ = try await proxy.ask("/plain") }
        _ = try await proxy.ask("/nowhere")
        let totals = proxy.context.metrics.totals
        #expect(totals.requests(.replay, .played) == 5)
        #expect(totals.requests(.replay, .unmatched) == 1)
        #expect(totals.durations(.played).reduce(0, +) == 5)
        try await proxy.stop()
    }

    @Test func aRequestIsInFlightUntilItsClientLeaves() async throws {
        let proxy = try await Self.running()
        let client = try await proxy.connect()
        try await client.send(RunningProxy.get("/hang"))
        await self.until(proxy, \.requests, is: 1)
        #expect(proxy.context.usage.connections == 1)
        await client.close()
        await self.until(proxy, \.requests, is: 0)
        await self.until(proxy, \.connections, is: 0)
        #expect(proxy.context.metrics.totals.requests(.replay, .played) == 1)
        try await proxy.stop()
    }

    @Test func aMalformedRequestIsCountedWithoutAMode() async throws {
        let proxy = try await Self.running()
        let client = try await proxy.connect()
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
        _ = await client.readToEnd()
        #expect(proxy.context.metrics.totals.requests(.none, .refused) == 1)
        try await proxy.stop()
    }

    @Test func aConnectionOverALimitIsCountedAsRefused() async throws {
        var limits = UsageLimits()
        limits.connections = 2
        limits.sessionConnections = 1
        let proxy = try await SharedProxy.start(limits: limits)
        let first = try await proxy.connect()
        try await first.send(SharedProxy.get())
        #expect(await first.response().status == 200)
        let second = try await proxy.connect()
        try await second.send(SharedProxy.get())
        #expect(await second.response().status == 503)
        #expect(proxy.context.metrics.totals.requests(.replay, .refused) == 1)
        #expect(proxy.context.metrics.totals.requests(.none, .refused) == 0)
        await second.close()
        await first.close()
        try await proxy.stop()

        limits.connections = 1
        let narrow = try await SharedProxy.start(limits: limits)
        let only = try await narrow.connect()
        try await only.send(SharedProxy.get())
        #expect(await only.response().status == 200)
        #expect(try await narrow.ask(SharedProxy.get()).status == 503)
        #expect(narrow.context.metrics.totals.requests(.none, .refused) == 1)
        await only.close()
        try await narrow.stop()
    }

    @Test func requestsAreCountedByTheModeThatTheirSessionHasThen() async throws {
        let proxy = try await Self.running()
        for mode in [Mode.append, .replay] {
            proxy.session.change(mode: mode, policy: nil)
            _ = try await proxy.ask("/plain")
        }
        let totals = proxy.context.metrics.totals
        #expect(totals.requests(.append, .played) == 1)
        #expect(totals.requests(.replay, .played) == 1)
        try await proxy.stop()
    }
}
