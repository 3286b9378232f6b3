import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import TapedeckControlAPI
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS
import Testing

@testable import TapedeckControlServer

/// A control server, with the proxy whose sessions it controls.
struct HeldTraffic {
    static let session = "/v1/sessions/default"

    let control: RunningControl
    private let listener: ProxyListener

    /// Both for as long as `work` takes.
    static func use(
        _ configuration: ControlConfiguration = ControlConfiguration(),
        _ work: (HeldTraffic) async throws -> Void
    ) async throws {
        try await RunningControl.use(configuration) { control in
            let group = MultiThreadedEventLoopGroup.singleton
            var proxy = ProxyConfiguration()
            // Parallel tests may delay a client's next bytes.
            proxy.headTimeout = .hours(1)
            proxy.bodyTimeout = .hours(1)
            proxy.idleTimeout = .hours(1)
            let context = ProxyContext(
                configuration: proxy,
                sessions: control.sessions,
                leaves: LeafCache(authority: try .ephemeral()),
                threadPool: .singleton,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let listener = try await ProxyListener.start(host: "127.0.0.1", port: 0, context: context, group: group)
            do {
                try await work(HeldTraffic(control: control, listener: listener))
                await listener.stop(grace: .seconds(0))
            } catch {
                await listener.stop(grace: .seconds(0))
                throw error
            }
        }
    }

    /// Has a session hold all requests of the shop, and gives the set that does.
    @discardableResult
    func hold(_ session: String = Self.session) async throws -> ControlAnswer {
        try await self.control.ask(
            "PUT",
            "\(session)/added/holder",
            #"{"request": {"host": "shop.test"}, "hold": true}"#
        )
    }

    /// Sends a request through the proxy, without waiting for the answer.
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        headers: [String] = []
    ) async throws -> ControlProbe {
        let client = try await ControlProbe.connect(port: try #require(self.listener.address.port))
        let fields = ["Host: shop.test", "Connection: close", "Content-Length: \(body.utf8.count)"] + headers
        try await client.send(
            "\(method) http://shop.test\(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)"
        )
        return client
    }

    /// Returns the held requests as soon as there is one.
    func held(after version: Int = 0, _ session: String = Self.session) async throws -> HeldList {
        try await self.control.ask(HeldList.self, "GET", "\(session)/held?after=\(version)&within=5m")
    }

    func release(_ number: Int, _ body: String) async throws -> ControlAnswer {
        try await self.control.ask("POST", "\(Self.session)/held/\(number)", body)
    }

    /// Ends the answer of a request that was released with `open`.
    func end(_ number: Int) async throws -> ControlAnswer {
        try await self.control.ask("POST", "\(Self.session)/held/\(number)/end", "{}")
    }
}
