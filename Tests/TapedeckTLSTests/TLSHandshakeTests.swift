import COpenSSL
import NIOCore
import NIOEmbedded
import Testing

@testable import TapedeckTLS

@Suite struct TLSHandshakeTests {
    @Test func `both sides agree on TLS 1.3, HTTP/1.1 and the name`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        try pair.pump()
        let expected = TLSHandshakeCompleted(
            version: "TLSv1.3",
            applicationProtocol: "http/1.1",
            serverName: "api.example.com",
            resumed: false
        )
        #expect(pair.atServer.completion == expected)
        #expect(pair.atClient.completion == expected)
        #expect(pair.atServer.errors.isEmpty && pair.atClient.errors.isEmpty)
    }

    @Test func `an address is verified and not sent as a name`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        let pair = try Pair(
            TLSHandler.client(context: trust, host: "::1"),
            TLSHandler.server(context: server, fallbackHost: "::1")
        )
        try pair.pump()
        #expect(pair.atClient.completion != nil)
        let completion = try #require(pair.atServer.completion)
        #expect(completion.serverName == nil)
    }

    @Test func `a client that does not trust the CA is reported on both sides`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let other = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [other.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        let pair = try Pair(
            TLSHandler.client(context: trust, host: "api.example.com"),
            TLSHandler.server(context: server, fallbackHost: "fallback.example")
        )
        try pair.pump()
        #expect(pair.atServer.failure?.reason == .peerRejectedCertificate(alert: "unknown_ca"))
        #expect(pair.atServer.failure?.host == "api.example.com")
        let cause = "unable to get local issuer certificate"
        #expect(pair.atClient.failure?.reason == .certificateInvalid(cause: cause))
        #expect(pair.atClient.events == [.failure, .inactive])
        #expect(!pair.client.isActive && !pair.server.isActive)
    }

    @Test(arguments: [("other.example", "hostname mismatch"), ("127.0.0.1", "IP address mismatch")])
    func `a certificate of another host is refused`(host: String, cause: String) throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let client = try TLSHandler.client(context: trust, host: host)
        let server = try Self.server(authority, presenting: "api.example.com")
        let pair = try Pair(client, server)
        try pair.pump()
        #expect(pair.atClient.failure?.reason == .certificateInvalid(cause: cause))
        #expect(pair.atClient.failure?.host == host)
    }

    @Test func `verification can be switched off for one connection`() throws {
        let trust = try TLSClientContext(useSystemStore: false)
        let authority = try CertificateAuthority.ephemeral()
        let client = try TLSHandler.client(context: trust, host: "other.example", verifiesPeer: false)
        let pair = try Pair(client, Self.server(authority, presenting: "api.example.com"))
        try pair.pump()
        #expect(pair.atClient.completion != nil)
    }

    @Test(arguments: [("a*.example.com", false), ("*.example.com", true)])
    func `a wildcard matches a whole label only`(pattern: String, isAccepted: Bool) throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let client = try TLSHandler.client(context: trust, host: "api.example.com")
        let pair = try Pair(client, Self.server(authority, presenting: pattern))
        try pair.pump()
        #expect((pair.atClient.completion != nil) == isAccepted)
        #expect((pair.atClient.failure?.reason == .certificateInvalid(cause: "hostname mismatch")) == !isAccepted)
    }

    @Test(arguments: [TLS1_3_VERSION, TLS1_2_VERSION])
    func `the second connection resumes the first's session`(version: Int32) throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        #expect(tapedeck_SSL_CTX_set_max_proto_version(trust.handle.pointer, version) == 1)
        let leaves = LeafCache(authority: authority)
        let server = try TLSServerContext(leaves: leaves)
        var resumed: [Bool?] = []
        for _ in 0..<3 {
            let pair = try Pair(
                TLSHandler.client(context: trust, host: "api.example.com"),
                TLSHandler.server(context: server, fallbackHost: "fallback.example")
            )
            try pair.pump()
            #expect(pair.atClient.completion?.version == (version == TLS1_3_VERSION ? "TLSv1.3" : "TLSv1.2"))
            #expect(pair.atServer.completion?.serverName == "api.example.com")
            #expect(pair.atServer.completion?.resumed == pair.atClient.completion?.resumed)
            resumed.append(pair.atClient.completion?.resumed)
            pair.send("ping", from: pair.client)
            try pair.pump()
            #expect(pair.atServer.text == "ping")
        }
        #expect(resumed == [false, true, true])
    }

    @Test func `a session of TLS 1.3 serves one connection only`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        let connect = {
            try Pair(
                TLSHandler.client(context: trust, host: "api.example.com"),
                TLSHandler.server(context: server, fallbackHost: "fallback.example")
            )
        }
        try connect().pump()
        // A full handshake supplies two sessions.
        let pairs = try [connect(), connect(), connect()]
        for pair in pairs {
            try pair.pump()
        }
        #expect(pairs.map(\.atClient.completion?.resumed) == [true, true, false])
    }

    @Test func `each of many repeated connections resumes a session`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        for isFirst in [true, false] {
            let pairs = try (0..<32).map { _ in
                try Pair(
                    TLSHandler.client(context: trust, host: "api.example.com"),
                    TLSHandler.server(context: server, fallbackHost: "fallback.example")
                )
            }
            for pair in pairs {
                try pair.pump()
            }
            #expect(pairs.allSatisfy { $0.atClient.completion?.resumed == !isFirst })
        }
    }

    @Test(arguments: [TLS1_3_VERSION, TLS1_2_VERSION])
    func `a session is not resumed once a certificate has expired`(version: Int32) throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        #expect(tapedeck_SSL_CTX_set_max_proto_version(trust.handle.pointer, version) == 1)
        let leaves = LeafCache(authority: authority)
        let server = try TLSServerContext(leaves: leaves)
        let leaf = try leaves.leaf(for: CertificateHost("api.example.com"))
        let expiry = try leaf.certificate.expiry()
        let key = SessionCache.Key(host: "api.example.com", verifiesPeer: true, certificate: nil)
        // The second connection verifies nothing itself, and its sessions last no longer.
        for isResumed in [false, true] {
            let pair = try Pair(
                TLSHandler.client(context: trust, host: "api.example.com"),
                TLSHandler.server(context: server, fallbackHost: "fallback.example")
            )
            try pair.pump()
            #expect(pair.atClient.completion?.resumed == isResumed)
            let session = try #require(trust.sessions.take(key, at: expiry - 1))
            #expect(session.expiry == expiry)
        }
        #expect(trust.sessions.take(key, at: expiry) == nil)
        #expect(trust.sessions.take(key, at: expiry - 1) == nil)
    }

    @Test func `answers may arrive before the call that requested them returns`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        let pair = try Pair(
            TLSHandler.client(context: trust, host: "api.example.com"),
            TLSHandler.server(context: server, fallbackHost: "fallback.example"),
            beforeConnecting: { client, server in
                try client.pipeline.syncOperations.addHandler(Wire(to: server), position: .first)
                try server.pipeline.syncOperations.addHandler(Wire(to: client), position: .first)
            }
        )
        #expect(pair.atClient.completion != nil)
        pair.atServer.onRead = { context, bytes in
            context.writeAndFlush(NIOAny(bytes), promise: nil)
        }
        pair.send("ping", from: pair.client)
        #expect(pair.atClient.text == "ping")
    }

    @Test func `a session of an unverified connection does not spare a verification`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(useSystemStore: false)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        for verifies in [false, true] {
            let pair = try Pair(
                TLSHandler.client(context: trust, host: "api.example.com", verifiesPeer: verifies),
                TLSHandler.server(context: server, fallbackHost: "fallback.example")
            )
            try pair.pump()
            #expect((pair.atClient.completion == nil) == verifies)
        }
    }

    @Test func `a client that offers only HTTP/2 gets the alert for it where that is off`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(extraCAPEM: [authority.certificatePEM], useSystemStore: false)
        let offer: [UInt8] = [2] + Array("h2".utf8)
        #expect(SSL_CTX_set_alpn_protos(trust.handle.pointer, offer, UInt32(offer.count)) == 0)
        let server = try TLSServerContext(leaves: LeafCache(authority: authority))
        let pair = try Pair(
            TLSHandler.client(context: trust, host: "api.example.com"),
            TLSHandler.server(context: server, fallbackHost: "fallback.example")
        )
        try pair.pump()
        #expect(pair.atServer.failure?.reason == .noApplicationProtocol)
        #expect(pair.atClient.failure?.reason == .noApplicationProtocol)
    }

    @Test(
        arguments: [
            (["h2", "http/1.1"], false, "http/1.1"), (["http/1.0", "http/1.1"], true, "http/1.1"),
            (["h2", "http/1.0"], false, "http/1.0"), (["h2"], false, nil), (["http/1.1x"], true, nil),
            (["http/1.1", "h2"], true, "h2"), (["h2"], true, "h2"),
        ] as [([String], Bool, String?)]
    )
    func `the newest version of HTTP that both speak is chosen`(offered: [String], http2: Bool, chosen: String?) {
        let list = offered.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let selected = list.withUnsafeBufferPointer { buffer in
            TLSServerContext.select(from: buffer, http2: http2).map { String(decoding: buffer[$0], as: UTF8.self) }
        }
        #expect(selected == chosen)
        let cut = Array(list.dropLast())
        let end = cut.withUnsafeBufferPointer { TLSServerContext.select(from: $0, http2: http2)?.upperBound ?? 0 }
        #expect(end <= cut.count)
    }

    @Test func `a peer that closes during the handshake is reported on both sides`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        let promise = pair.client.eventLoop.makePromise(of: Void.self)
        pair.client.writeAndFlush(ByteBuffer(string: "early"), promise: promise)
        pair.client.pipeline.fireChannelInactive()
        #expect(pair.atClient.failure?.reason == .closed)
        #expect(pair.atClient.failure?.host == "api.example.com")
        #expect(throws: TLSHandshakeFailure.self) { try settle(promise.futureResult) }
        pair.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(pair.atServer.failure?.reason == .closed)
        #expect(pair.atServer.failure?.host == "fallback.example")
        #expect(!pair.server.isActive)
    }

    @Test func `bytes that are not TLS fail the handshake and close`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        pair.server.pipeline.fireChannelRead(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        guard case .protocolError(let text) = pair.atServer.failure?.reason else {
            Issue.record("\(String(describing: pair.atServer.failure))")
            return
        }
        #expect(text.contains("http request"))
        #expect(!pair.server.isActive)
    }

    @Test func `a name that is invalid in a certificate gets the fallback's`() throws {
        let authority = try CertificateAuthority.ephemeral()
        let trust = try TLSClientContext(useSystemStore: false)
        let client = try TLSHandler.client(context: trust, host: "good.example", verifiesPeer: false)
        let leaves = LeafCache(authority: authority)
        let context = try TLSServerContext(leaves: leaves)
        let handler = try TLSHandler.server(context: context, fallbackHost: "fallback.example")
        handler.connection.serverName = "evil.example,DNS:bank.example"
        #expect(handler.connection.presentLeaf())
        #expect(leaves.minted == 1)
        _ = try leaves.leaf(for: "fallback.example")
        #expect(leaves.minted == 1)
        _ = client
    }

    @Test func `an invalid host is refused when the handler is created`() throws {
        let trust = try TLSClientContext(useSystemStore: false)
        #expect(throws: TLSError(.invalidHost, "")) { try TLSHandler.client(context: trust, host: "a b") }
        let server = try TLSServerContext(leaves: LeafCache(authority: CertificateAuthority.ephemeral()))
        #expect(throws: TLSError(.invalidHost, "")) { try TLSHandler.server(context: server, fallbackHost: "*") }
    }

    @Test func `the first bytes can be handed over when the handler is added late`() throws {
        let pair = try Pair(CertificateAuthority.ephemeral())
        let hello = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        let context = try TLSServerContext(leaves: LeafCache(authority: CertificateAuthority.ephemeral()))
        let late = EmbeddedChannel()
        defer { _ = try? late.finish(acceptAlreadyClosed: true) }
        let recorder = Recorder()
        try late.pipeline.syncOperations.addHandler(recorder)
        try settle(late.connect(to: SocketAddress(unixDomainSocketPath: "/none")))
        let handler = try TLSHandler.server(context: context, fallbackHost: "fallback.example")
        try late.pipeline.syncOperations.addHandler(handler, position: .before(recorder))
        handler.receive(hello)
        #expect(handler.serverName == "api.example.com")
        let answer = try #require(try late.readOutbound(as: ByteBuffer.self))
        #expect(answer.getInteger(at: 0, as: UInt8.self) == 22)
        #expect(recorder.readCompletes == 1)
    }

    /// A server with a certificate for text that need not be a host name.
    private static func server(_ authority: CertificateAuthority, presenting name: String) throws -> TLSHandler {
        let context = try TLSServerContext(leaves: LeafCache(authority: authority))
        let key = try KeyHandle.generate()
        let builder = try CertificateBuilder(key: key, notBefore: 1_700_000_000, notAfter: authority.expiresAt)
        try builder.addSubject("O", "Test")
        try Self.addName(name, to: builder)
        let certificate = try builder.sign(with: authority.key, issuer: authority.certificate)
        SSL_CTX_set_cert_cb(context.handle.pointer, nil, nil)
        try #require(SSL_CTX_use_certificate(context.handle.pointer, certificate.pointer) == 1)
        try #require(SSL_CTX_use_PrivateKey(context.handle.pointer, key.pointer) == 1)
        return try TLSHandler.server(context: context, fallbackHost: "fallback.example")
    }

    private static func addName(_ name: String, to builder: CertificateBuilder) throws {
        let pointer = builder.certificate.pointer
        let value = "DNS:" + name
        let made = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, value)
        let extensionPointer = try #require(made)
        defer { X509_EXTENSION_free(extensionPointer) }
        try #require(X509_add_ext(pointer, extensionPointer, -1) == 1)
    }
}

/// Hands ciphertext to the other channel at once.
private final class Wire: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private weak var other: EmbeddedChannel?

    init(to other: EmbeddedChannel) {
        self.other = other
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.succeed(())
        self.other?.pipeline.fireChannelRead(self.unwrapOutboundIn(data))
        self.other?.pipeline.fireChannelReadComplete()
    }
}
