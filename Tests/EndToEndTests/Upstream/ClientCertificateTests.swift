import Foundation
import TapedeckTLS
import TestShare
import Testing

/// Origins that answer only clients with a certificate.
@Suite(.ownThreads) struct ClientCertificateTests {
    private let folder: TestFolder
    private let program: Program
    private let url: String
    private let authority: String

    init() throws {
        try self.init(tls: "1.3")
    }

    private init(tls version: String) throws {
        self.folder = try TestFolder()
        let authority = try CertificateAuthority.ephemeral()
        self.authority = try self.folder.write(authority.certificatePEM, to: "authority.pem")
        let leaf = try authority.issueLeaf(for: "localhost")
        let client = try self.folder.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=someone", "-keyout", "client.key", "-out", "client.pem",
        ])
        try #require(client.exitCode == 0, "\(client.errorText)")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("certificate_origin.py").path
        self.program = try self.folder.start(
            [
                "python3", script, "--tls", version, "--authority", "client.pem",
                "--cert", try self.folder.write(leaf.certificatePEM, to: "leaf.pem"),
                "--key", try self.folder.write(leaf.privateKeyPEM, to: "leaf.key"),
            ],
            input: nil
        )
        let port = try self.program.waitForOutput("the origin's port") { text in
            text.contains("\n") ? text.split(separator: "\n").first.map(String.init) : nil
        }
        self.url = "https://localhost:\(port)/"
    }

    private func answer(_ options: String...) throws -> String {
        let deck = try TapedeckProcess(self.folder, ["passthrough", "--upstream-ca", self.authority] + options)
        // Twice, for a session that is resumed or a connection that is kept.
        let answers = try (1...2).map { _ in try self.folder.curl(deck, self.url).outputText }
        try deck.stop()
        #expect(answers[0] == answers[1])
        return answers[0]
    }

    @Test(.long, arguments: ["1.2", "1.3"])
    func `the certificate for a host goes to it, and to no other`(_ version: String) throws {
        let test = try Self(tls: version)
        defer { test.program.closeInput() }
        #expect(try test.answer("--client-cert", "localhost=client.pem,client.key") == "hello someone")
        #expect(try test.answer("--client-cert", "other.example=client.pem,client.key").contains("\"tlsHandshake\""))
    }

    @Test func `an origin that requires a certificate says so`() throws {
        defer { self.program.closeInput() }
        #expect(
            try self.answer().contains("wants a client certificate, and was shown none; name one with --client-cert")
        )
    }

    @Test func `an unusable certificate is refused at the start, but not for replay`() throws {
        defer { self.program.closeInput() }
        let refused = try self.folder.tapedeck("passthrough", "--client-cert", "a=missing.pem", "--", "true")
        #expect(refused.exitCode != 0)
        #expect(refused.errorText.contains("the client certificate for a: cannot open missing.pem"))
        try self.folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try self.folder.tapedeck("replay", "users", "--client-cert", "a=missing.pem", "--", "true")
        #expect(replay.exitCode == 0, "\(replay.errorText)")
    }

    @Test func `a pass phrase comes from the environment, without a prompt`() throws {
        defer { self.program.closeInput() }
        let made = try self.folder.run([
            "openssl", "pkey", "-in", "client.key", "-aes256", "-passout", "pass:open", "-out", "locked.key",
        ])
        try #require(made.exitCode == 0, "\(made.errorText)")
        let command = ["passthrough", "--client-cert", "localhost=client.pem,locked.key", "--", "true"]
        let refused = try self.folder.tapedeck(command)
        #expect(
            refused.errorText.contains("has a pass phrase; put it into the environment variable TAPEDECK_CLIENT_KEY")
        )
        let taken = try self.folder.tapedeck(command, environment: ["TAPEDECK_CLIENT_KEY_PASSPHRASE": "open"])
        #expect(taken.exitCode == 0, "\(taken.errorText)")
    }
}
