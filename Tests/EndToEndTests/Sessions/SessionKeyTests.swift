import Foundation
import Testing

/// The way of real clients' requests to their session.
@Suite(.ownThreads) struct SessionKeyTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: who
            request: { method: [GET, POST], url: /who }
            variants:
              - name: nobody
                takes: [{ status: 200, body: { text: nobody } }]
              - name: ada
                takes: [{ status: 200, body: { text: ada } }]
              - name: ben
                takes: [{ status: 200, body: { text: ben } }]

        """

    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write(Self.cassette, to: "cassettes/who.yaml")
    }

    private func ask(_ deck: TapedeckProcess, _ scheme: String, _ arguments: [String]) throws -> String {
        try self.folder.run(Curl.through(deck) + arguments + ["\(scheme)://api.example.test/who"]).outputText
    }

    /// A session that plays the variant of its name.
    private func session(_ name: String, _ deck: TapedeckProcess) throws -> (id: String, token: String) {
        try self.folder.control(deck).session(#"{"name": "\#(name)", "selections": {"who": "\#(name)"}}"#)
    }

    @Test(arguments: ["http", "https"])
    func `a session is named by a header, by the CONNECT, or by the proxy's user`(scheme: String) throws {
        let deck = try self.folder.serve("replay", "who")
        let (ada, token) = try self.session("ada", deck)
        #expect(try self.ask(deck, scheme, []) == "nobody")
        #expect(try self.ask(deck, scheme, ["-H", "X-Tapedeck-Session: \(ada)"]) == "ada")
        #expect(try self.ask(deck, scheme, ["--proxy-user", "\(ada):\(token)"]) == "ada")
        #expect(try self.ask(deck, scheme, ["--proxy-user", "\(ada):"]) == "ada")
        if scheme == "https" {
            #expect(try self.ask(deck, scheme, ["--proxy-header", "X-Tapedeck-Session: \(ada)"]) == "ada")
        }
        try deck.stop()
    }

    @Test func `a header inside a tunnel overrides its CONNECT, for its own request`() throws {
        let deck = try self.folder.serve("replay", "who")
        let (ada, _) = try self.session("ada", deck)
        let (ben, _) = try self.session("ben", deck)
        let url = "https://api.example.test/who"
        let tunnel = ["--proxy-header", "X-Tapedeck-Session: \(ada)"]
        let result = try self.folder.run(
            Curl.through(deck) + tunnel + ["-w", " %{num_connects}\n", url, "--next"] + Curl.through(deck).dropFirst(2)
                + tunnel + ["-H", "X-Tapedeck-Session: \(ben)", "-w", " %{num_connects}\n", url, "--next"]
                + Curl.through(deck).dropFirst(2) + tunnel + ["-w", " %{num_connects}\n", url]
        )
        // One connection for all three.
        #expect(result.outputText == "ada 1\nben 0\nada 0\n", "\(result.errorText)")
        try deck.stop()
    }

    @Test func `a session with its own port needs no key`() throws {
        let deck = try self.folder.serve("replay", "who")
        let made = try self.folder.control(deck).get(
            "POST",
            "/v1/sessions",
            #"{"selections": {"who": "ben"}, "port": 0, "reverse": "https://api.example.test"}"#
        )
        let port = try #require(made["port"] as? Int)
        let direct = try self.folder.run(["curl", "-sS", "--noproxy", "*", "http://127.0.0.1:\(port)/who"])
        #expect(direct.outputText == "ben")
        let proxied = try self.folder.run([
            "curl", "-sS", "--proxy", "http://127.0.0.1:\(port)", "http://api.example.test/who",
        ])
        #expect(proxied.outputText == "ben")
        let id = try #require(made["id"] as? String)
        try self.folder.control(deck).get("DELETE", "/v1/sessions/\(id)")
        let refused = try self.folder.run(["curl", "-sS", "--noproxy", "*", "http://127.0.0.1:\(port)/who"])
        // Another program may have the port by now.
        #expect(refused.outputText != "ben")
        try deck.stop()
    }

    @Test(arguments: ["http", "https"])
    func `an unknown or ended session gets an answer that names it, never the default session's`(scheme: String) throws
    {
        let deck = try self.folder.serve("replay", "who")
        let (ada, token) = try self.session("ada", deck)
        func status(_ key: String) throws -> String {
            let result = try self.folder.run(
                ["curl", "-q", "-sS", "-i", "--max-time", "40", "--proxy", deck.url, "--cacert", deck.authorityPath]
                    + ["--proxy-user", key, "\(scheme)://api.example.test/who"]
            )
            return result.outputText + result.errorText
        }
        let unknown = try status("nobody-here:")
        #expect(unknown.contains(" 404 "), "\(unknown)")
        #expect(unknown.contains("nobody-here"))
        let wrong = try status("\(ada):wrong")
        #expect(wrong.contains(" 403 "), "\(wrong)")
        #expect(wrong.contains(ada))
        try self.folder.control(deck).get("DELETE", "/v1/sessions/\(ada)")
        let ended = try status("\(ada):\(token)")
        #expect(ended.contains(" 410 "), "\(ended)")
        #expect(ended.contains(ada))
        let report = try self.folder.control(deck).get("GET", "/v1/sessions/default/report")
        #expect(report["played"] as? Int == 0)
        try deck.stop()
    }

    @Test func `if every request must name a session, one without a session is refused`() throws {
        let deck = try self.folder.serve(
            "replay",
            "who",
            "--sessions",
            "required",
            "--reverse",
            "http://api.example.test"
        )
        let plain = try self.folder.curl(deck, "-w", "%{http_code}", "http://api.example.test/who")
        #expect(plain.outputText.hasSuffix("407"))
        let reverse = try self.folder.run(["curl", "-sS", "--noproxy", "*", "\(deck.url)/who"])
        #expect(reverse.outputText.contains("sessionRequired"), "\(reverse.outputText)")
        try deck.stop()
    }

    @Test func `git, which sends credentials only after a 407, gets one`() throws {
        let deck = try self.folder.serve("replay", "who", "--sessions", "required")
        let (ada, token) = try self.session("ada", deck)
        _ = try self.folder.run([
            "git", "-c", "http.proxy=http://\(ada):\(token)@127.0.0.1:\(deck.port)", "ls-remote",
            "http://git.example.test/repository.git",
        ])
        let journal = try self.folder.control(deck).get("GET", "/v1/sessions/\(ada)/journal")
        let entries = try #require(journal["entries"] as? [[String: Any]])
        let urls = entries.compactMap { $0["url"] as? String }
        #expect(urls.contains { $0.hasPrefix("http://git.example.test/repository.git/info/refs") }, "\(urls)")
        try deck.stop()
    }

    @Test func `the key of a session reaches neither the live server nor the cassette`() throws {
        let origin = try Origin(in: self.folder)
        let deck = try self.folder.serve("serve", "--upstream-ca", origin.authorityPath)
        let control = try self.folder.control(deck)
        let (id, token) = try control.session(#"{"mode": "record", "cassettes": ["new"]}"#)
        for scheme in Origin.Scheme.allCases {
            try self.folder.curl(deck, "--proxy-user", "\(id):\(token)", origin.url("/json", scheme))
            let connect = scheme == .https ? ["--proxy-header", "X-Tapedeck-Session: \(id)"] : []
            try self.folder.run(
                Curl.through(deck) + connect + ["-H", "X-Tapedeck-Session: \(id)", origin.url("/gzip", scheme)]
            )
        }
        let seen = try origin.requests()
        #expect(seen.count == 4)
        for request in seen {
            #expect(request.values("x-tapedeck-session").isEmpty)
            #expect(request.values("proxy-authorization").isEmpty)
        }
        let ended = try control.get("DELETE", "/v1/sessions/\(id)")
        let saved = try #require(ended["saved"] as? [String: Any])
        #expect(saved["exchanges"] as? Int == 4)
        let text = try self.folder.read("cassettes/new.yaml")
        #expect(!text.contains(id))
        #expect(!text.contains(token))
        #expect(!text.lowercased().contains("tapedeck-session"))
        try deck.stop()
    }
}
