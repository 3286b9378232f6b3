import Foundation
import TestShare
import Testing

/// The protocols of the proxy's port besides HTTP: SOCKS, and TLS without a CONNECT.
@Suite(.ownThreads) struct ProxyPortTests {
    private static let kinds = ["socks5h", "socks5", "socks4a", "socks4"]

    @Test(arguments: some(of: kinds))
    func `curl records and replays over SOCKS`(kind: String) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        func ask(_ deck: TapedeckProcess) throws -> [Data] {
            try Origin.Scheme.allCases.map { scheme in
                let proxy = "\(kind)://127.0.0.1:\(deck.port)"
                let result = try folder.run(
                    ["curl", "-q", "-sS", "--max-time", "40", "-4", "--proxy", proxy, "--cacert", deck.authorityPath]
                        + [origin.url("/counter", scheme)]
                )
                #expect(result.exitCode == 0, "\(result.errorText)")
                return result.output
            }
        }
        let recording = try folder.serve(
            "record",
            "x",
            "--upstream-ca",
            origin.authorityPath,
            "--insecure-upstream",
            "127.0.0.1"
        )
        let live = try ask(recording)
        try recording.stop()
        try origin.stop()
        let replay = try folder.serve("replay", "x")
        let played = try ask(replay)
        #expect(played == live)
        let summary = try replay.stop().errorText
        #expect(summary.contains("2 requests played, 0 unmatched"), "\(summary)")
    }

    @Test func `the user name of SOCKS names the session, an unknown one does not`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: a
                request: { method: GET, url: http://api.example.test/a }
                variants:
                  - { name: one, takes: [{ status: 200, body: { text: one } }] }
                  - { name: two, takes: [{ status: 200, body: { text: two } }] }
            """,
            to: "cassettes/x.yaml"
        )
        let deck = try folder.serve("serve", "x")
        let url = try #require(deck.controlURL)
        let made = try folder.run([
            "curl", "-q", "-sS", "--noproxy", "*", "-H", "Content-Type: application/json", "\(url)/v1/sessions",
            "-d", #"{"name": "s", "cassettes": ["x"], "selections": {"a": "two"}}"#,
        ])
        struct Session: Decodable {
            var id: String
            var token: String
        }
        let session = try JSONDecoder().decode(Session.self, from: made.output)
        func ask(_ kind: String, _ user: String) throws -> String {
            let answer = try folder.run([
                "curl", "-q", "-sS", "--max-time", "40", "--proxy", "\(kind)://\(user)127.0.0.1:\(deck.port)",
                "http://api.example.test/a",
            ])
            return answer.outputText
        }
        #expect(try ask("socks5h", "") == "one")
        #expect(try ask("socks5h", "\(session.id):\(session.token)@") == "two")
        #expect(try ask("socks5h", "\(session.id)@") == "two")
        #expect(try ask("socks4a", "\(session.id)@") == "two")
        #expect(try ask("socks5h", "root@") == "one")
        // A wrong token gets no tunnel.
        #expect(try ask("socks5h", "\(session.id):wrong@") == "")
        try deck.stop()
    }

    @Test func `TLS without a CONNECT goes to its server name, TLS to the deck is for the proxy`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: a
                request: { method: GET, url: https://api.example.test/a }
                variants: [{ name: one, takes: [{ status: 200, body: { text: one } }] }]
            """,
            to: "cassettes/x.yaml"
        )
        let deck = try folder.serve("replay", "x")
        let curl = ["curl", "-q", "-sS", "--max-time", "40", "--cacert", deck.authorityPath]
        let led = try folder.run(
            curl + ["--noproxy", "*", "--connect-to", "::127.0.0.1:\(deck.port)", "https://api.example.test/a"]
        )
        #expect(led.outputText == "one", "\(led.errorText)")
        for host in ["127.0.0.1", "localhost"] {
            let proxied = try folder.run(
                curl + ["--proxy", "https://\(host):\(deck.port)", "--proxy-cacert", deck.authorityPath]
                    + ["https://api.example.test/a"]
            )
            #expect(proxied.outputText == "one", "\(proxied.errorText)")
        }
        try deck.stop()
    }
}
