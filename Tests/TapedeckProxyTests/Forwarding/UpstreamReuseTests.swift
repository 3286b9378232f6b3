import TapedeckProxy
import TapedeckSessions
import Testing

/// Connections to origins that are kept between requests.
@Suite struct UpstreamReuseTests {
    @Test func `as many connections are kept as clients were busy at once`() async throws {
        let origin = try await GatedOrigin.start(size: 64)
        let proxy = try await SharedProxy.start(dials: true) { $0.reverseOrigin = nil }
        let session = try proxy.passthrough()
        let request = SharedProxy.get("\(origin.url)/", SharedProxy.header(session.key))
        var clients: [WireClient] = []
        for _ in 0..<64 { clients.append(try await proxy.connect()) }
        // The origin holds each answer back until all were asked for, so that no two share a connection.
        for client in clients { try await client.send(request) }
        while session.report().connectionsOpened < clients.count { await Task.yield() }
        origin.sendRest()
        for client in clients { #expect(await client.response().status == 200) }
        for _ in 0..<2 {
            for client in clients { try await client.send(request) }
            for client in clients { #expect(await client.response().status == 200) }
        }
        #expect(session.report().connectionsOpened == clients.count)
        for client in clients { await client.close() }
        try await proxy.stop()
        try await origin.stop()
    }
}
