import Foundation
import TestShare
import Testing

/// `refresh` and `drift` where the live API gives another token each time.
@Suite(.ownThreads) struct FreshSecretTests {
    private struct Fixture {
        let folder: TestFolder
        let origin: ChangingOrigin
        private let names = ["/login", "/login", "/me", "/events"]

        init() throws {
            self.folder = try TestFolder()
            self.origin = try ChangingOrigin(in: self.folder)
            try self.issue(1)
            let result = try self.folder.tapedeck(
                ["record", "x", "--", "curl", "-sS"] + self.names.map { self.origin.base + $0 }
            )
            #expect(result.exitCode == 0, "\(result.errorText)")
        }

        /// Makes the origin answer with new tokens: two from the login, of which the first also occurs elsewhere.
        func issue(_ seed: Int, user: String = "ada") throws {
            let (first, second) = (Self.token(seed), Self.token(seed + 100))
            try self.origin.answer(
                "/login",
                .init(#"{"access_token":"\#(first)","user":"\#(user)"}"#),
                .init(#"{"access_token":"\#(second)","user":"\#(user)"}"#)
            )
            try self.origin.answer(
                "/me",
                .init(#"{"session":"\#(first)"}"#, headers: ["Set-Cookie": "sid=\(Self.token(seed + 200)); Path=/"])
            )
            // Sets are in another order than the requests: the field that identifies the secret comes later.
            try self.origin.answer("/events", .init(#"{"seen":"the one of \#(second)"}"#))
        }

        static func token(_ seed: Int) -> String {
            "ghp_" + (0..<36).map { String(Array("aB3dE5gH7jK9mN")[($0 * seed + $0 * $0 + seed) % 14]) }.joined()
        }

        var text: String {
            get throws { try self.folder.read("cassettes/x.yaml") }
        }

        /// The text without the values that change with each recording.
        var lasting: String {
            get throws { try self.text.replacing(#/recorded: .*/#, with: "recorded:") }
        }

        func expectNoTokens(of seed: Int, in text: String) {
            for number in [seed, seed + 100, seed + 200] { #expect(!text.contains(Self.token(number))) }
        }
    }

    @Test func `a new token is not drift`() throws {
        let fixture = try Fixture()
        let before = try fixture.text
        try fixture.issue(2)
        let result = try fixture.folder.tapedeck("drift", "x", "--fail-on-values")
        #expect(result.exitCode == 0, "\(result.errorText)\(result.outputText)")
        #expect(result.errorText.contains("nothing has changed"), "\(result.errorText)")
        #expect(try fixture.text == before)
    }

    @Test(.long) func `refresh keeps everything but the time`() throws {
        let fixture = try Fixture()
        let before = try fixture.lasting
        #expect(before.contains("secrets:") && before.contains("{{secret.access_token}}"), "\(before)")
        try fixture.issue(2)
        let result = try fixture.folder.tapedeck("refresh", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let after = try fixture.lasting
        #expect(after == before, "\(after)")
        #expect(try fixture.origin.requests().count == 8)
        for seed in [1, 2] {
            fixture.expectNoTokens(of: seed, in: try fixture.text + result.outputText + result.errorText)
        }
        #expect(try fixture.folder.names(in: "cassettes") == ["x.yaml"])
    }

    @Test(.long) func `other changes are reported, and a new secret has an entry`() throws {
        let fixture = try Fixture()
        try fixture.issue(2, user: "bob")
        let code = "{\"session\":\"\(Fixture.token(2))\",\"client_secret\":\"\(Fixture.token(7))\"}"
        try fixture.origin.answer("/me", .init(code))
        let drift = try fixture.folder.tapedeck("drift", "x")
        #expect(drift.exitCode == 1, "\(drift.errorText)")
        #expect(drift.outputText.contains("~ value $.user: \"ada\" → \"bob\""), "\(drift.outputText)")
        #expect(drift.outputText.contains("+ $.client_secret: string"), "\(drift.outputText)")
        #expect(drift.outputText.contains("- header set-cookie"), "\(drift.outputText)")
        #expect(!drift.outputText.contains("access_token"), "\(drift.outputText)")
        let result = try fixture.folder.tapedeck("refresh", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let text = try fixture.text
        #expect(text.contains("\"client_secret\": \"{{secret.client_secret}}\""), "\(text)")
        #expect(text.contains("  client_secret: { shape: 'ghp_[A-Za-z0-9]{36}' }"), "\(text)")
        // The name is no longer used.
        #expect(!text.contains("  sid:"), "\(text)")
        fixture.expectNoTokens(of: 7, in: text + drift.outputText + result.errorText)
        #expect(try fixture.folder.tapedeck("scan").exitCode == 0)
    }

    @Test(.long) func `rules of the project hold, and its filters do not`() throws {
        let fixture = try Fixture()
        try fixture.folder.write(
            "redact:\n  rules:\n    - { json: $.user, name: user }\nrecord:\n  only: [nothing.example]\n  statuses: [404]\n",
            to: "tapedeck.yaml"
        )
        let result = try fixture.folder.tapedeck("refresh", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        let text = try fixture.text
        #expect(text.contains("\"user\": \"{{secret.user}}\""), "\(text)")
        let without = try fixture.folder.tapedeck("drift", "x", "--no-project", "--fail-on-values")
        #expect(without.exitCode == 1)
        #expect(without.outputText.contains("$.user"), "\(without.outputText)")
    }

    @Test(.long) func `an address is resolved by the options`() throws {
        let fixture = try Fixture()
        let port = try #require(fixture.origin.base.split(separator: ":").last)
        let text = try fixture.text.replacing("http://127.0.0.1:", with: "http://api.example.com:")
        try fixture.folder.write(text, to: "cassettes/x.yaml")
        try fixture.issue(3)
        let result = try fixture.folder.tapedeck("drift", "x", "--resolve", "api.example.com:\(port):127.0.0.1")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.errorText.contains("nothing has changed"), "\(result.errorText)")
    }
}
