import Foundation
import TestShare
import Testing

/// A login with OpenID Connect by a client that verifies what it gets, with the provider and without.
@Suite(.ownThreads, .enabled(if: PyJWT.isInstalled, "these tests need Debian's python3-jwt and python3-cryptography"))
struct OpenIDTests {
    private static let python = PyJWT.python
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("openid.py").path

    private struct Port: Decodable {
        var port: Int
    }

    private struct Outcome: Decodable {
        struct Tokens: Decodable {
            var access_token: String
            var refresh_token: String
            var id_token: String
        }

        struct Claims: Decodable {
            var iss: String
            var sub: String
            var email: String
            var email_verified: Bool
            var nonce: String
        }

        var claims: Claims
        var login: Tokens
        var refreshed: Tokens
    }

    private static func login(
        _ folder: TestFolder,
        _ mode: [String],
        _ url: String,
        _ algorithm: String
    ) throws -> (outcome: Outcome, result: Program.Result) {
        let result = try folder.tapedeck(mode + ["--", Self.python, Self.script, "client", url, algorithm])
        #expect(result.exitCode == 0, "\(mode) \(algorithm): \(result.errorText)")
        return (try JSONDecoder().decode(Outcome.self, from: result.output), result)
    }

    @Test(arguments: some(of: ["RS256", "ES256", "EdDSA"]))
    func `A client that verifies its tokens logs in without the provider`(algorithm: String) throws {
        let folder = try TestFolder()
        let provider = try folder.start([Self.python, Self.script, "provider"], input: nil)
        let port = try provider.waitForOutput("its port") { text in
            text.hasSuffix("\n") ? try? JSONDecoder().decode(Port.self, from: Data(text.utf8)).port : nil
        }
        let url = "http://127.0.0.1:\(port)"
        let live = try Self.login(folder, ["record", "openid"], url, algorithm).outcome
        provider.closeInput()
        try provider.result()

        let tape = try folder.read("cassettes/openid.yaml")
        for secret in [
            live.login.access_token, live.login.refresh_token, live.login.id_token, live.claims.nonce,
            live.refreshed.id_token, live.claims.email,
        ] {
            #expect(!tape.contains(secret))
        }
        #expect(tape.contains(#""iss":"\#(url)""#), "the tape shows the claims that are no secrets")

        let check = try folder.tapedeck("check", "openid")
        #expect(check.exitCode == 0)
        #expect(
            check.outputText.contains("id_token is signed with \(algorithm) and verified by the JWKS of GET"),
            "\(check.outputText)"
        )

        let first = try Self.login(folder, ["replay", "openid"], url, algorithm).outcome
        #expect(first.claims.iss == url)
        #expect(first.claims.email_verified)
        #expect(first.claims.email != live.claims.email)
        #expect(first.claims.nonce != live.claims.nonce, "the nonce is that of this login")
        #expect(first.login.access_token != live.login.access_token)
        let second = try Self.login(folder, ["replay", "openid"], url, algorithm).outcome
        #expect(second.claims.nonce != first.claims.nonce)
        #expect(second.claims.sub == first.claims.sub)
    }
}

/// Debian's Python, with the client library that verifies tokens.
private enum PyJWT {
    static let python = "/usr/bin/python3"

    static let isInstalled: Bool = {
        guard let folder = try? TestFolder() else { return false }
        return (try? folder.run([Self.python, "-c", "import jwt, cryptography"]))?.exitCode == 0
    }()
}
