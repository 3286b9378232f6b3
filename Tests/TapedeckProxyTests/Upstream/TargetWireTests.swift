import NIOCore
import Synchronization
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// The targets of a deck that may connect to public addresses only, over real connections.
@Suite struct TargetWireTests {
    /// All lead to this machine, or to targets that only its network can reach.
    static let tricks = [
        "127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0X7F.0.0.1",
        "017700000001",
        "0177.0.0.1", "0", "0.0.0.0", "0x0", "127.0.0.1.", "127.0.0.1..", "127.1.", "localhost", "LOCALHOST",
        "localhost.",
        "a.b.localhost", "localhost.localdomain", "ip6-localhost", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]", "[2001:0:7f00:1::1]", "[fe80::1]", "[fec0::1]", "[fd00:ec2::254]", "[ff02::1]",
        "127%2e0%2e0%2e1", "%31%32%37.0.0.1", "localhos%74", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "127%E3%80%820.0.1",
        "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "[::ffff:a9fe:a9fe]",
        "metadata.google.internal", "Metadata.Google.Internal.", "168.63.129.16", "10.0.0.1", "012.0.0.1", "172.16.0.1",
        "192.168.1.1", "100.64.0.1", "224.0.0.1", "255.255.255.255", "4294967295", "300.0.0.1",
    ]

    /// Names that the owner of their zone may resolve to any address.
    private static let names: [String: [String]] = [
        "one.example.test": ["127.0.0.1"], "both.example.test": ["10.0.0.1", "::1"],
        "mapped.example.test": ["::ffff:127.0.0.1"], "metadata.example.test": ["169.254.169.254"],
    ]

    private static func resolve(_ host: String, _ port: Int) -> [SocketAddress] {
        (self.names[host] ?? []).compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }

    private static func rules(_ allowed: String..., hosts: [String] = []) throws -> TargetRules {
        var settings = TargetSettings()
        settings.allowedPrivate = try allowed.map { try HostPattern($0) }
        settings.hosts = try hosts.map { try HostPattern($0) }
        return TargetRules(settings, scope: .public)
    }

    private static func proxy(_ configure: (inout ProxyConfiguration) -> Void = { _ in }) async throws -> SharedProxy {
        let rules = try Self.rules()
        return try await SharedProxy.start(dials: true) { configuration in
            configuration.reverseOrigin = nil
            configuration.targets = rules
            configuration.lookUp = { Self.resolve($0, $1) }
            configure(&configuration)
        }
    }

    private func expectRefusal(_ answer: WireResponse, _ host: String) {
        #expect(answer.status == 403, "\(host): \(answer)")
        #expect(answer.body.contains(#""error": "targetRefused""#), "\(host): \(answer)")
        #expect(answer["x-tapedeck-reason"]?.contains(" is not asked: ") == true, "\(host): \(answer)")
        #expect(answer["cache-control"] == "no-store")
    }

    @Test func `no trick leads a request anywhere private`() async throws {
        let target = try await CountingOrigin.start()
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        let hosts = Self.tricks + Self.names.keys.sorted()
        let client = try await proxy.connect()
        for host in hosts {
            let url = "http://\(host):\(target.port)/"
            try await client.send(SharedProxy.get(url, SharedProxy.header(session.key)))
            // One connection for all: a refusal leaves it usable.
            self.expectRefusal(await client.response(), host)
        }
        await client.close()
        #expect(try await target.connections() == 0)
        let report = session.report()
        #expect(report.connectionsOpened == 0)
        #expect(proxy.context.connectionsOpened == 0)
        #expect(report.faults.isEmpty)
        #expect(report.troubles.isEmpty)
        #expect(report.unrecorded.refusedCount == hosts.count)
        #expect(
            report.unrecorded.lines.first
                == "2 requests to 127.0.0.1:\(target.port) refused: it is a loopback address (--allow-private 127.0.0.1 "
                + "would allow it)"
        )
        guard case .refused(let reason) = try #require(session.journal.entry(1)).outcome else {
            Issue.record("not refused in the journal")
            return
        }
        #expect(reason.contains("--allow-private 127.0.0.1"))
        try await proxy.stop()
        try await target.stop()
    }

    @Test func `no trick leads a request through an intercepted tunnel anywhere private`() async throws {
        let target = try await CountingOrigin.start()
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        var closed: [String] = []
        for host in Self.tricks + Self.names.keys.sorted() {
            let client = try await proxy.connect()
            try await client.send(SharedProxy.connect("\(host):\(target.port)", SharedProxy.header(session.key)))
            #expect(await client.response().status == 200, "\(host)")
            do {
                // The certificate is for the client's name of the host; the tunnel's target was given before.
                try await client.startTLS("api.example.test", authority: proxy.authority)
                try await client.send(SharedProxy.get("/"))
                self.expectRefusal(await client.response(), host)
            } catch is ChannelError {
                closed.append(host)
            }
            await client.close()
        }
        // There is no certificate for these, whatever the client calls them.
        #expect(closed.allSatisfy { $0.hasSuffix("..") || $0.contains("%") }, "\(closed)")
        #expect(try await target.connections() == 0)
        #expect(proxy.context.connectionsOpened == 0)
        try await proxy.stop()
        try await target.stop()
    }

    @Test func `no trick leads a tunnel that is passed through anywhere private`() async throws {
        let target = try await CountingOrigin.start()
        let all = try HostPattern("*")
        var settings = RecordSettings()
        settings.passthrough = [all]
        let recording = RecordingRules(settings)
        let proxy = try await Self.proxy { $0.recording = recording }
        let session = try proxy.passthrough()
        let hosts = Self.tricks + Self.names.keys.sorted()
        for host in hosts {
            let answer = try await proxy.ask(
                SharedProxy.connect("\(host):\(target.port)", SharedProxy.header(session.key))
            )
            self.expectRefusal(answer, host)
        }
        #expect(session.report().unrecorded.refusedCount == hosts.count)
        #expect(session.report().unrecorded.passedTunnels == 0)
        #expect(try await target.connections() == 0)
        #expect(proxy.context.connectionsOpened == 0)
        try await proxy.stop()
        try await target.stop()
    }

    /// A zone, and digits and dots that are none in ASCII.
    @Test(arguments: ["[fe80::1%25lo]", "[::1%lo]", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "a@127.0.0.1"])
    func `a request without a valid host is rejected`(_ host: String) async throws {
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        let answer = try await proxy.ask(SharedProxy.get("http://\(host):1/", SharedProxy.header(session.key)))
        #expect(answer.status == 400)
        #expect(proxy.context.connectionsOpened == 0)
        try await proxy.stop()
    }

    @Test func `a request with a body, an upgrade and a base URL are refused too`() async throws {
        let target = try await CountingOrigin.start()
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        let url = "http://127.0.0.1:\(target.port)/"
        let key = SharedProxy.header(session.key)
        let long = String(repeating: "x", count: 300_000)
        let post = "POST \(url) HTTP/1.1\r\nHost: a\r\n\(key)\r\nContent-Length: \(long.count)\r\n\r\n"
        self.expectRefusal(try await proxy.ask(post + long), "a body")
        self.expectRefusal(try await proxy.ask(post), "a body that never comes")
        let upgrade = try await proxy.ask(SharedProxy.get(url, key, "Connection: Upgrade", "Upgrade: websocket"))
        self.expectRefusal(upgrade, "an upgrade")
        let base = "/.tapedeck/\(session.id):\(session.token)/http/127.0.0.1:\(target.port)/"
        self.expectRefusal(try await proxy.ask(SharedProxy.get(base)), "a base URL")
        let port = try await proxy.listener.openPort(
            of: session,
            reverseOrigin: Origin("http://127.0.0.1:\(target.port)")
        )
        self.expectRefusal(try await proxy.ask(SharedProxy.get("/"), port: port), "a session's own origin")
        #expect(try await target.connections() == 0)
        try await proxy.stop()
        try await target.stop()
    }

    @Test func `a name is looked up once, and the connection uses the result`() async throws {
        let allowed = try await CountingOrigin.start()
        let other = try await CountingOrigin.start(on: "127.0.0.2", port: allowed.port)
        let rules = try Self.rules("127.0.0.1")
        let lookUps = Counter()
        let proxy = try await Self.proxy { configuration in
            configuration.targets = rules
            configuration.lookUp = { _, port in
                // Different addresses for each look-up, always including a forbidden one.
                let number = lookUps.next()
                let addresses = number == 1 ? ["127.0.0.2", "127.0.0.1"] : ["127.0.0.2"]
                return addresses.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            }
        }
        let session = try proxy.passthrough()
        let key = SharedProxy.header(session.key)
        let client = try await proxy.connect()
        let request = SharedProxy.get("http://rebinding.example.test:\(allowed.port)/", key)
        try await client.send(request)
        #expect(await client.response().status == 200)
        #expect(lookUps.count == 1)
        // The connection is kept, and leads where it led.
        try await client.send(request)
        #expect(await client.response().status == 200)
        #expect(lookUps.count == 1)
        try await client.send(
            SharedProxy.get("http://rebinding.example.test:\(other.port)/", key, "Connection: Upgrade", "Upgrade: x")
        )
        self.expectRefusal(await client.response(), "a second look-up")
        #expect(lookUps.count == 2)
        await client.close()
        #expect(try await allowed.connections() == 1)
        #expect(try await other.connections() == 0)
        try await proxy.stop()
        try await allowed.stop()
        try await other.stop()
    }

    @Test func `a refused name shows the kind of its address, and not the address`() async throws {
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        let answer = try await proxy.ask(
            SharedProxy.get("http://both.example.test/", SharedProxy.header(session.key))
        )
        self.expectRefusal(answer, "both.example.test")
        #expect(answer.body.contains("its name has a private address"))
        #expect(answer.body.contains("--allow-private both.example.test"))
        #expect(!answer.body.contains("10.0.0.1"))
        try await proxy.stop()
    }

    @Test func `a name without addresses is an origin that cannot be found`() async throws {
        let proxy = try await Self.proxy()
        let session = try proxy.passthrough()
        let answer = try await proxy.ask(
            SharedProxy.get("http://none.example.test/", SharedProxy.header(session.key))
        )
        #expect(answer.status == 502)
        #expect(answer["x-tapedeck-fault"] == "nameNotResolved")
        try await proxy.stop()
    }

    @Test func `with a list of hosts all others are refused`() async throws {
        let target = try await CountingOrigin.start()
        let rules = try Self.rules("*", hosts: ["127.0.0.1:\(target.port)"])
        let proxy = try await Self.proxy { $0.targets = rules }
        let session = try proxy.passthrough()
        let key = SharedProxy.header(session.key)
        #expect(try await proxy.ask(SharedProxy.get("http://127.0.0.1:\(target.port)/", key)).status == 200)
        let refused = try await proxy.ask(SharedProxy.get("http://127.1:\(target.port)/", key))
        self.expectRefusal(refused, "127.1")
        #expect(refused.body.contains("--allow-hosts 127.1"))
        #expect(try await target.connections() == 1)
        try await proxy.stop()
        try await target.stop()
    }

    @Test func `a replay resolves no names`() async throws {
        let lookUps = Counter()
        let proxy = try await Self.proxy { configuration in
            configuration.lookUp = { _, _ in
                _ = lookUps.next()
                return []
            }
        }
        let session = try proxy.session("taped")
        let answer = try await proxy.ask(
            SharedProxy.get("http://elsewhere.example.test/", SharedProxy.header(session.key))
        )
        #expect(answer.status == 501)
        #expect(try await proxy.ask(SharedProxy.get(SharedProxy.url, SharedProxy.header(session.key))).status == 200)
        #expect(lookUps.count == 0)
        try await proxy.stop()
    }

    private final class Counter: Sendable {
        private let number = Atomic<Int>(0)

        var count: Int { self.number.load(ordering: .relaxed) }

        func next() -> Int { self.number.wrappingAdd(1, ordering: .relaxed).newValue }
    }
}
