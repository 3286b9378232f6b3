import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// The effect of a reloaded configuration on existing connections.
@Suite struct ReplacedRulesTests {
    @Test func aKeptConnectionIsNotUsedOnceNewRulesRejectItsTarget() async throws {
        let target = try await CountingOrigin.start()
        let proxy = try await SharedProxy.start(dials: true) { $0.reverseOrigin = nil }
        let session = try proxy.passthrough()
        let request = SharedProxy.get("http://127.0.0.1:\(target.port)/", SharedProxy.header(session.key))
        let client = try await proxy.connect()
        for _ in 0..<2 {
            try await client.send(request)
            #expect(await client.response().status == 200)
        }
        #expect(try await target.connections() == 1)

        var configuration = proxy.context.configuration
        configuration.targets = TargetRules(TargetSettings(), scope: .public)
        try await proxy.context.replace(configuration, checksTrust: false)
        try await client.send(request)
        #expect(await client.response().status == 403)

        // Nor does one come back that was made under rules which held once.
        configuration.targets = .unrestricted
        try await proxy.context.replace(configuration, checksTrust: false)
        try await client.send(request)
        #expect(await client.response().status == 200)
        #expect(session.report().connectionsOpened == 2)
        await client.close()
        try await proxy.stop()
        try await target.stop()
    }
}
