import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// The number of connections that an origin sees.
@Suite struct UpstreamPoolTests {
    @Test func keptAliveClientsUseOneUpstreamConnectionEach() async throws {
        let count = 64
        let origin = try await MeetingOrigin.start(of: count)
        let proxy = try await SharedProxy.start(dials: true) { $0.reverseOrigin = nil }
        let session = try proxy.passthrough()
        let request = SharedProxy.get("http://127.0.0.1:\(origin.port)/", SharedProxy.header(session.key))
        var clients: [WireClient] = []
        for _ in 0..<count { clients.append(try await proxy.connect()) }
        for _ in 0..<3 {
            for client in clients { try await client.send(request) }
            for client in clients { #expect(await client.response().status == 200) }
        }
        #expect(session.report().connectionsOpened == count)
        for client in clients { await client.close() }
        try await proxy.stop()
        try await origin.stop()
    }
}
