import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

@testable import TapedeckDeck

/// Contradictions are refused before anything starts.
@Suite struct DeckConfigurationTests {
    private func refusal(_ configuration: DeckConfiguration) throws -> DeckError {
        let error = try #require(throws: DeckError.self) { try configuration.check() }
        #expect(error.kind == .badOption)
        return error
    }

    private var required: DeckConfiguration {
        var configuration = DeckConfiguration.replay(["a"])
        configuration.requiresSession = true
        configuration.controlPort = 0
        return configuration
    }

    @Test func `recording options need requests without a session`() throws {
        var configuration = DeckConfiguration.record(into: "a")
        configuration.requiresSession = true
        configuration.controlPort = 0
        #expect(try self.refusal(configuration).description.contains("tapedeck serve"))
    }

    @Test func `required sessions need the control API that makes them`() throws {
        var configuration = self.required
        #expect(throws: Never.self) { try configuration.check() }
        configuration.controlPort = nil
        #expect(try self.refusal(configuration).description.contains("--no-control"))
    }

    @Test func `options for requests without a session are refused without a default session`() throws {
        var configuration = self.required
        configuration.selections = ["a=b"]
        #expect(try self.refusal(configuration).description.hasPrefix("--select "))
        configuration = self.required
        configuration.unmatched = "fail"
        #expect(try self.refusal(configuration).description.hasPrefix("--unmatched "))
    }

    @Test(arguments: ["", "5", "999ms", "-1h", "1y"])
    func `a time to live is at least a second`(_ text: String) throws {
        var configuration = DeckConfiguration.replay(["a"])
        configuration.sessionTTL = text
        #expect(try self.refusal(configuration).description.contains("--session-ttl"))
    }

    @Test func `a time to live is shown in seconds, rounded up`() throws {
        var configuration = DeckConfiguration.replay(["a"])
        #expect(try configuration.sessionTTLSeconds == 3_600)
        configuration.sessionTTL = "1500ms"
        #expect(try configuration.sessionTTLSeconds == 2)
    }

    @Test func `other machines need a token, and this one only if it is given`() throws {
        var configuration = DeckConfiguration.serve([])
        #expect(configuration.effectiveToken == nil)
        configuration.host = "0.0.0.0"
        let made = try #require(configuration.effectiveToken)
        #expect(made.isMade)
        let proxy = try configuration.proxy(token: made)
        #expect(proxy.requiresToken)
        #expect(proxy.deckToken == made.value)
        configuration.token = try DeckToken("mine")
        #expect(configuration.effectiveToken?.value == "mine")
        #expect(configuration.effectiveToken?.isMade == false)
    }

    @Test func `serving without a cassette requires sessions, which may be of any mode`() {
        #expect(DeckConfiguration.serve([]).requiresSession)
        #expect(!DeckConfiguration.serve(["a"]).requiresSession)
        #expect(DeckConfiguration.serve(["a"]).allowsDialling)
        #expect(DeckConfiguration.serve(["a"]).mode == .replay)
        #expect(!DeckConfiguration.replay(["a"]).allowsDialling)
    }

    @Test func `a command gets the address of the control API, and no secret of it`() {
        let trust = ClientEnvironment.TrustFiles(authority: "a", bundle: "b")
        let inherited = [
            "TAPEDECK_URL": "http://other:1", "TAPEDECK_TOKEN": "other", "TAPEDECK_SESSION": "x", "HOME": "/",
            "TAPEDECK_CLIENT_KEY_PASSPHRASE": "p", "KEY_PASS": "p", "TAPEDECK_SECRET_API_KEY": "k",
        ]
        func environment(_ url: String?) -> [String: String] {
            ClientEnvironment.child(
                inheriting: inherited,
                proxy: "http://p",
                baseURL: nil,
                controlURL: url,
                withholding: ["TAPEDECK_CLIENT_KEY_PASSPHRASE", "KEY_PASS"],
                trust: trust
            )
        }
        #expect(environment("http://c")["TAPEDECK_URL"] == "http://c")
        #expect(environment(nil)["TAPEDECK_URL"] == nil)
        #expect(environment("http://c")["HOME"] == "/")
        for name in [
            "TAPEDECK_SESSION", "TAPEDECK_TOKEN", "TAPEDECK_CLIENT_KEY_PASSPHRASE", "KEY_PASS",
            "TAPEDECK_SECRET_API_KEY",
        ] {
            #expect(environment("http://c")[name] == nil, "\(name)")
        }
    }
}
