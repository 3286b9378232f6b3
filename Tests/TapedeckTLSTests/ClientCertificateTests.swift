import Testing

@testable import TapedeckTLS

/// Certificates that a client shows.
@Suite struct ClientCertificateTests {
    private let folder: TemporaryDirectory
    private let certificate: String
    private let key: String

    init() throws {
        self.folder = try TemporaryDirectory()
        let leaf = try CertificateAuthority.ephemeral().issueLeaf(for: "client.example")
        self.certificate = try self.folder.file("cert.pem", leaf.certificatePEM)
        self.key = try self.folder.file("key.pem", leaf.privateKeyPEM)
    }

    private func load(_ certificate: String, _ key: String?, _ passphrase: String? = nil) throws -> ClientCertificate {
        try ClientCertificate(
            certificatePath: certificate,
            keyPath: key,
            passphrase: passphrase,
            remedy: "put it into the variable X"
        )
    }

    private func problem(_ certificate: String, _ key: String?, _ passphrase: String? = nil) throws -> String {
        let error = try #require(throws: TLSError.self) { try self.load(certificate, key, passphrase) }
        #expect(error.code == .clientCertificateUnusable)
        return error.message
    }

    @Test func `key and certificate may be in one file or in two`() throws {
        let texts = try [self.key, self.certificate].map {
            String(decoding: try FileAccess.read($0, privately: false), as: UTF8.self)
        }
        let both = try self.folder.file("both.pem", texts.joined())
        #expect(throws: Never.self) { try self.load(both, nil) }
        #expect(throws: Never.self) { try self.load(self.certificate, self.key) }
    }

    @Test func `a key is read with its pass phrase, without a prompt`() throws {
        let encrypted = self.folder.path + "/encrypted.pem"
        let made = try run(["openssl", "pkey", "-in", self.key, "-aes256", "-passout", "pass:open", "-out", encrypted])
        #expect(made.status == 0, "\(made.output)")
        #expect(throws: Never.self) { try self.load(self.certificate, encrypted, "open") }
        #expect(
            try self.problem(self.certificate, encrypted).hasSuffix("has a pass phrase; put it into the variable X")
        )
        #expect(try self.problem(self.certificate, encrypted, "shut").contains("with the pass phrase given"))
    }

    @Test func `an unusable setting is named with a remedy`() throws {
        let missing = self.folder.path + "/missing.pem"
        let empty = try self.folder.file("empty.pem")
        let other = try self.folder.file(
            "other.pem",
            try CertificateAuthority.ephemeral().issueLeaf(for: "other.example").privateKeyPEM
        )
        #expect(try self.problem(missing, nil).contains("cannot open \(missing)"))
        #expect(try self.problem(self.certificate, missing).contains("cannot open \(missing)"))
        #expect(try self.problem(empty, self.key).contains("\(empty) holds no certificate"))
        #expect(try self.problem(self.certificate, nil).contains("name the file of the key as well"))
        #expect(try self.problem(self.certificate, empty).contains("\(empty) holds no private key"))
        #expect(try self.problem(self.certificate, other).contains("is not that of the first certificate"))
    }
}
