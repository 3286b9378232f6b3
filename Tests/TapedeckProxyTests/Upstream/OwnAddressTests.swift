import NIOCore
import TapedeckCore
import TapedeckSessions
import Testing

@testable import TapedeckProxy

/// Nothing is forwarded to the program itself, whatever a request calls it.
@Suite struct OwnAddressTests {
    private static let hosts = [
        "127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "0177.0.0.1",
        "0x7f000001", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::]",
    ]

    @Test(arguments: hosts)
    func everySpellingOfTheProxysOwnAddressIsRejected(_ host: String) async throws {
        let proxy = try await SharedProxy.start(dials: true) { $0.reverseOrigin = nil }
        let session = try proxy.passthrough()
        let port = try #require(proxy.listener.address.port)
        let answer = try await proxy.ask(
            SharedProxy.get("http://\(host):\(port)/", SharedProxy.header(session.key))
        )
        #expect(answer.status == 508)
        #expect(session.report().connectionsOpened == 0)
        guard case .refused(let reason) = try #require(session.journal.entry(1)).outcome else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("own address"))
        try await proxy.stop()
    }

    @Test func aRequestInATunnelToAnotherPortOfTheDeckIsRejected() async throws {
        let proxy = try await SharedProxy.start(dials: true)
        let session = try proxy.passthrough()
        let control = try await EchoOrigin.start()
        let port = try #require(AbsoluteURL(control.url)).origin.port
        #expect(try await proxy.ask(SharedProxy.get(control.url, SharedProxy.header(session.key))).status == 200)
        proxy.context.noteOwn(try SocketAddress(ipAddress: "127.0.0.1", port: port))
        let client = try await proxy.connect()
        try await client.send(SharedProxy.connect("127.1:\(port)", SharedProxy.header(session.key)))
        #expect(await client.response().status == 200)
        try await client.send(SharedProxy.get("/"))
        #expect(await client.response().status == 508)
        try await proxy.stop()
        try await control.stop()
    }

    /// A name that only a resolver knows is recognised when the connection is open.
    @Test func aConnectionToTheDeckIsRecognisedByItsAddresses() throws {
        let own = OwnAddresses()
        own.add(try SocketAddress(ipAddress: "127.0.0.1", port: 4747))
        own.add(try SocketAddress(ipAddress: "0.0.0.0", port: 4748))
        func isReached(_ remote: String, _ port: Int, from local: String = "192.0.2.9") throws -> Bool {
            own.isReached(
                remote: try SocketAddress(ipAddress: remote, port: port),
                local: try SocketAddress(ipAddress: local, port: 50_000)
            )
        }
        #expect(try isReached("127.0.0.1", 4747))
        #expect(try isReached("::ffff:127.0.0.1", 4747))
        #expect(try !isReached("127.0.0.1", 4746))
        #expect(try !isReached("192.0.2.1", 4747))
        #expect(try isReached("127.0.0.5", 4748))
        #expect(try isReached("::1", 4748))
        #expect(try isReached("192.0.2.9", 4748))
        #expect(try !isReached("192.0.2.1", 4748))
        own.remove(try SocketAddress(ipAddress: "127.0.0.1", port: 4747))
        #expect(try !isReached("127.0.0.1", 4747))
    }

    /// As with a name that cannot be checked beforehand: when the request is accepted, the port is not known as the
    /// program's own.
    @Test func aConnectionToTheDeckIsClosedBeforeAnythingIsSent() async throws {
        let origin = try await EchoOrigin.start()
        let url = try #require(AbsoluteURL("\(origin.url)/"))
        let set = ResponseSet(
            name: "live",
            request: RequestMatcher(method: nil, url: url),
            variants: [
                Variant(name: "a", behaviour: Behaviour(.passthrough, pacing: Pacing(delay: .fixed(3_600_000))))
            ]
        )
        let proxy = try await RunningProxy.start(Cassette(name: "tape", responseSets: [set]), allowsPassthrough: true)
        let session = proxy.session
        let client = try await proxy.connect()
        try await client.send(SharedProxy.get(url.description))
        while true {
            let version = session.changes.version
            if session.journal.entry(1) != nil { break }
            await session.changes.wait(after: version)
        }
        proxy.context.noteOwn(try #require(origin.address))
        async let drained: Void = proxy.drain()
        let answer = await client.response()
        await client.close()
        await drained
        #expect(answer.status == 508)
        #expect(answer.body.contains("own address"))
        #expect(session.journal.entry(1)?.response?.status == 508)
        #expect(session.report().connectionsOpened == 1)
        #expect(session.report().faults.isEmpty)
        try await proxy.stop()
        try await origin.stop()
    }
}
