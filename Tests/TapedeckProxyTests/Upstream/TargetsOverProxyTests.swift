import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// The targets of requests through an upstream proxy, which looks up hosts itself.
@Suite struct TargetsOverProxyTests {
    private struct Setup {
        let upstream: CountingOrigin
        let proxy: SharedProxy
        let session: Session

        func ask(_ url: String) async throws -> WireResponse {
            try await self.proxy.ask(SharedProxy.get(url, SharedProxy.header(self.session.key)))
        }

        func stop() async throws {
            try await self.proxy.stop()
            try await self.upstream.stop()
        }
    }

    private static func start() async throws -> Setup {
        let upstream = try await CountingOrigin.start()
        let named = try UpstreamProxy("http://127.0.0.1:\(upstream.port)", from: "a test")
        let rules = TargetRules(TargetSettings(), scope: .public)
        let proxy = try await SharedProxy.start(dials: true) { configuration in
            configuration.reverseOrigin = nil
            configuration.targets = rules
            configuration.upstreamProxies = UpstreamProxies(named, exceptions: ProxyExceptions(""))
            configuration.lookUp = { host, port in
                let addresses =
                    ["public.example.test": ["192.31.196.1"], "private.example.test": ["10.0.0.1"]][host] ?? []
                return addresses.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            }
        }
        return Setup(upstream: upstream, proxy: proxy, session: try proxy.passthrough())
    }

    /// A proxy named at the start of the deck is used although it is on this machine.
    @Test func `targets that are public here, or known only to the proxy, go through it`() async throws {
        let setup = try await Self.start()
        #expect(try await setup.ask("http://public.example.test/").status == 200)
        #expect(try await setup.ask("http://unknown.example.test/").status == 200)
        #expect(try await setup.ask("http://192.31.196.1/").status == 200)
        #expect(try await setup.upstream.connections() == 1)
        try await setup.stop()
    }

    @Test func `a private target is not even requested of a proxy, whose connection is reused and leads anywhere`()
        async throws
    {
        let setup = try await Self.start()
        #expect(try await setup.ask("http://public.example.test/").status == 200)
        let hosts = TargetWireTests.tricks + ["private.example.test", "010.1.1.1", "1.1", "intranet", "db.internal"]
        for host in hosts {
            let answer = try await setup.ask("http://\(host):4/")
            #expect(answer.status == 403, "\(host): \(answer)")
            #expect(answer.body.contains("targetRefused"), "\(host)")
        }
        // By its own address, too.
        #expect(try await setup.ask("http://127.0.0.1:\(setup.upstream.port)/").status == 403)
        let client = try await setup.proxy.connect()
        try await client.send(SharedProxy.connect("private.example.test:443", SharedProxy.header(setup.session.key)))
        _ = await client.response()
        try await client.startTLS("private.example.test", authority: setup.proxy.authority)
        try await client.send(SharedProxy.get("/"))
        #expect(await client.response().status == 403)
        await client.close()
        #expect(setup.proxy.context.connectionsOpened == 1)
        #expect(try await setup.upstream.connections() == 1)
        try await setup.stop()
    }
}
