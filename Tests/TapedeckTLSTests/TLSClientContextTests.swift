import Testing

@testable import TapedeckTLS

@Suite struct TLSClientContextTests {
    @Test func `files with certificates are taken, any number in each`() throws {
        let temporary = try TemporaryDirectory()
        let first = try CertificateAuthority.ephemeral()
        let second = try CertificateAuthority.ephemeral()
        let bundle = try temporary.file("ca.pem", "# two\n" + first.certificatePEM + "\n" + second.certificatePEM)
        let trust = try TLSClientContext(extraCAFiles: [bundle], useSystemStore: false)
        for authority in [first, second] {
            let server = try TLSServerContext(leaves: LeafCache(authority: authority))
            let pair = try Pair(
                TLSHandler.client(context: trust, host: "a.example"),
                TLSHandler.server(context: server, fallbackHost: "a.example")
            )
            try pair.pump()
            #expect(pair.atClient.completion != nil)
        }
    }

    @Test func `the system's store does not trust our CA`() throws {
        let trust = try TLSClientContext()
        let server = try TLSServerContext(leaves: LeafCache(authority: CertificateAuthority.ephemeral()))
        let pair = try Pair(
            TLSHandler.client(context: trust, host: "a.example"),
            TLSHandler.server(context: server, fallbackHost: "a.example")
        )
        try pair.pump()
        #expect(pair.atServer.failure?.reason == .peerRejectedCertificate(alert: "unknown_ca"))
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a file without a sound certificate is refused by name`(text: String) throws {
        let temporary = try TemporaryDirectory()
        let path = try temporary.file("ca.pem", text)
        let error = try #require(throws: TLSError.self) {
            try TLSClientContext(extraCAFiles: [path], useSystemStore: false)
        }
        #expect(error.code == .trustUnreadable)
        #expect(error.message.contains(path))
        #expect(throws: TLSError(.trustUnreadable, "")) {
            try TLSClientContext(extraCAPEM: [text], useSystemStore: false)
        }
    }

    @Test(arguments: ["/none/such.pem", "/tmp"])
    func `a path that is not a file is refused by name`(path: String) throws {
        let error = try #require(throws: TLSError.self) { try TLSClientContext(extraCAFiles: [path]) }
        #expect(error.code == .trustUnreadable)
        #expect(error.message.contains(path))
    }
}
