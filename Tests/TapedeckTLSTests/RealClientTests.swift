import NIOCore
import NIOPosix
import TestShare
import Testing

@testable import TapedeckTLS

/// Clients that people use against a server on a real socket.
@Suite struct RealClientTests {
    /// Answers every request head with the negotiated protocol and closes.
    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var head = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.head += String(buffer: self.unwrapInboundIn(data))
            guard self.head.hasSuffix("\r\n\r\n") else {
                return
            }
            let body = String(repeating: "tape", count: 100_000)
            let response = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            let isClosed = context.eventLoop.makePromise(of: Void.self)
            isClosed.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: nil) }
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: response)), promise: isClosed)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? ChannelEvent, event == .inputClosed {
                context.close(promise: nil)
            }
        }
    }

    private static func withServer(_ body: (CertificateAuthority, Int, String) throws -> Void) throws {
        let temporary = try TemporaryDirectory()
        let authority = try CertificateAuthority.loadOrCreate(in: temporary.path)
        let context = try TLSServerContext(leaves: LeafCache(authority: authority))
        let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try TLSHandler.server(context: context, fallbackHost: "127.0.0.1")
                    try channel.pipeline.syncOperations.addHandlers([tls, Responder()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        defer { try? server.close().wait() }
        try body(authority, try #require(server.localAddress?.port), temporary.path + "/ca.pem")
    }

    @Test func `curl gets its answer and trusts the certificate, on a socket of NIO`() throws {
        try Self.withServer { _, port, ca in
            let result = try run([
                "curl", "-sS", "--noproxy", "*", "--max-time", "30", "--cacert", ca, "--resolve",
                "api.example.com:\(port):127.0.0.1", "-w", "%{http_code} %{size_download} %{ssl_verify_result}",
                "-o", "/dev/null", "https://api.example.com:\(port)/",
            ])
            #expect(result.output == "200 400000 0")
            let untrusting = try run([
                "curl", "-sS", "--noproxy", "*", "--max-time", "30", "https://127.0.0.1:\(port)/",
            ])
            // 60 is CURLE_PEER_FAILED_VERIFICATION.
            #expect(untrusting.status == 60, "\(untrusting.output)")
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `openssl s_client verifies the chain and settles on HTTP/1.1`(version: String) throws {
        try Self.withServer { _, port, ca in
            let result = try run(
                [
                    "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "api.example.com",
                    "-verify_hostname", "api.example.com", "-CAfile", ca, "-alpn", "h2,http/1.1", "-ign_eof", version,
                ],
                input: "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
            )
            #expect(result.output.contains("Verify return code: 0 (ok)"))
            #expect(result.output.contains("ALPN protocol: http/1.1"))
            #expect(result.output.contains("HTTP/1.1 200 OK"))
            #expect(!result.output.contains("unexpected eof"))
        }
    }

    @Test(.long, .enabled(if: (try? run(["python3", "--version"]).status) == 0))
    func `Python's strict verification passes for names and addresses`() throws {
        let script = """
            import socket, ssl, sys
            port, ca, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
            context = ssl.create_default_context(cafile=ca)
            context.verify_flags |= ssl.VERIFY_X509_STRICT
            with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
                with context.wrap_socket(raw, server_hostname=name, suppress_ragged_eofs=False) as tls:
                    tls.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
                    total = 0
                    while chunk := tls.recv(65536):
                        total += len(chunk)
                    print(tls.version(), total > 400000)
            """
        try Self.withServer { _, port, ca in
            for name in ["api.example.com", "127.0.0.1", String(repeating: "a", count: 60) + ".example"] {
                let result = try run(["python3", "-c", script, "\(port)", ca, name])
                #expect(result.output == "TLSv1.3 True\n")
            }
        }
    }
}
