package import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckSessions
package import TapedeckTLS

/// A small HTTPS API, so that the demo needs no network: a live origin to record from, and to switch off before the
/// replay.
package final class DemoOrigin: Sendable {
    /// Its host name, which always has loopback's address.
    package static let host = "localhost"

    private let channel: any Channel

    package let port: Int

    private init(channel: any Channel, port: Int) {
        self.channel = channel
        self.port = port
    }

    package var url: String { "https://\(Self.host):\(self.port)" }

    /// - Parameter authority: signs the origin's certificate; clients must trust it.
    package static func start(authority: CertificateAuthority, group: any EventLoopGroup) async throws -> DemoOrigin {
        let tls = try TLSServerContext(leaves: LeafCache(authority: authority))
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.server(context: tls, fallbackHost: Self.host), DemoAPI(),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return DemoOrigin(channel: channel, port: port)
    }

    package func stop() async throws {
        try await self.channel.close()
    }
}

/// Answers three kinds of request: a user, a list, and anything else with a 404.
private final class DemoAPI: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var input = ByteBuffer()
    private var scanner = RequestScanner()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.input.writeBuffer(&bytes)
        while true {
            let (result, target) = self.input.withUnsafeReadableBytes { bytes -> (ScanResult, String) in
                let result = self.scanner.scan(bytes)
                guard case .complete = result else { return (result, "") }
                return (result, ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes[self.scanner.target])))
            }
            guard case .complete(let end) = result else { return }
            self.input.moveReaderIndex(forwardBy: end)
            context.writeAndFlush(self.wrapOutboundOut(Self.response(to: target)), promise: nil)
        }
    }

    private static func response(to target: String) -> ByteBuffer {
        let (status, body) = Self.answer(target)
        return ByteBuffer(
            string: """
                HTTP/1.1 \(status)\r
                Content-Type: application/json; charset=utf-8\r
                Content-Length: \(body.utf8.count)\r
                X-Request-Cost: 1\r
                \r
                \(body)
                """
        )
    }

    private static func answer(_ target: String) -> (status: String, body: String) {
        switch target {
        case "/users/octocat":
            ("200 OK", #"{"login":"octocat","id":583231,"name":"The Octocat","public_repos":8}"#)
        case "/users/octocat/repos?sort=stars":
            ("200 OK", #"[{"name":"Spoon-Knife","stars":13721},{"name":"Hello-World","stars":3077}]"#)
        default:
            ("404 Not Found", #"{"message":"Not Found"}"#)
        }
    }
}
