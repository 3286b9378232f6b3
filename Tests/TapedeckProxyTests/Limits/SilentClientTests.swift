import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// Clients that connect, or begin a request, and then send nothing.
@Suite struct SilentClientTests {
    /// From here on a head has no time at all, once it is waited for.
    private static func hurry(_ proxy: SharedProxy) async throws {
        var configuration = proxy.context.configuration
        configuration.headTimeout = .milliseconds(1)
        try await proxy.context.replace(configuration, checksTrust: false)
    }

    /// A connection that has had a request and its answer.
    private static func used(_ proxy: SharedProxy) async throws -> WireClient {
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get())
        #expect(await client.response().body == "default")
        return client
    }

    @Test func anIncompleteHeadTimesOutWithA408() async throws {
        let proxy = try await SharedProxy.start()
        let client = try await Self.used(proxy)
        try await Self.hurry(proxy)
        try await client.send("GET http://api.example.test/a HTTP/1.1\r\nHost: ")
        let (bytes, ending) = await client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        #expect(ending == .closed)
        try await proxy.stop()
        #expect(proxy.context.usage == DeckUsage())
    }

    @Test func aSilentConnectionIsClosedWithoutAResponse() async throws {
        let proxy = try await SharedProxy.start()
        let client = try await Self.used(proxy)
        let port = try await proxy.listener.openTransparentPort(0, originPort: 443)
        try await Self.hurry(proxy)
        try await client.send(SharedProxy.connect())
        let tunnel = await client.readToEnd().bytes
        #expect(String(decoding: tunnel, as: UTF8.self) == "HTTP/1.1 200 Connection Established\r\n\r\n")
        let silent = try await proxy.connect()
        #expect(await silent.readToEnd().bytes.isEmpty)
        let transparent = try await proxy.connect(port)
        #expect(await transparent.readToEnd().bytes.isEmpty)
        try await proxy.stop()
        #expect(proxy.context.usage == DeckUsage())
    }

    /// Another client's end says that the time is over.
    @Test func anIdleConnectionBetweenRequestsStaysOpen() async throws {
        let proxy = try await SharedProxy.start()
        let client = try await Self.used(proxy)
        try await Self.hurry(proxy)
        let silent = try await proxy.connect()
        #expect(await silent.readToEnd().bytes.isEmpty)
        try await client.send(SharedProxy.get())
        #expect(await client.response().body == "default")
        await client.close()
        try await proxy.stop()
    }
}
