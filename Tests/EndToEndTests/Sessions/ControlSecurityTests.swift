import Foundation
import Testing

/// Only permitted clients control a deck.
@Suite(.ownThreads) struct ControlSecurityTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write(Cassettes.users, to: "cassettes/users.yaml")
    }

    /// Requests as a browser makes them for a page that the user visits.
    @Test func `a page on another origin cannot select variants`() throws {
        let deck = try self.folder.serve("replay", "users")
        let control = try self.folder.control(deck)
        let path = "/v1/sessions/default/selections/users"
        let json = #"{"variant": "offline"}"#
        let port = control.url.split(separator: ":").last.map(String.init) ?? ""

        // DNS rebinding: the page's own name resolves to this machine.
        #expect(try control.ask("PUT", path, json, headers: ["Host: evil.example:\(port)"]).status == 403)
        #expect(try control.ask("GET", "/v1/sessions", headers: ["Host: evil.example:\(port)"]).status == 403)
        // A script of another origin, which a browser marks.
        #expect(try control.ask("PUT", path, json, headers: ["Origin: https://evil.example"]).status == 403)
        #expect(try control.ask("PUT", path, json, headers: ["Origin: null"]).status == 403)
        #expect(try control.ask("POST", "/v1/sessions", json, headers: ["Sec-Fetch-Site: cross-site"]).status == 403)
        // The preflight request of a script, which would need permission.
        let preflight = try control.ask(
            "OPTIONS",
            path,
            headers: ["Origin: https://evil.example", "Access-Control-Request-Method: PUT"]
        )
        #expect(!preflight.head.lowercased().contains("access-control-allow"))
        // A form, which needs no yes.
        let form = try self.folder.run([
            "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*", "-d", json,
            "\(control.url)/v1/sessions",
        ])
        #expect(form.outputText == "415")
        let text = try self.folder.run([
            "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*", "-d", json,
            "-H", "Content-Type: text/plain", "\(control.url)/v1/sessions",
        ])
        #expect(text.outputText == "415")

        let list = try control.get("GET", "/v1/sessions")
        #expect((list["sessions"] as? [Any])?.count == 1)
        #expect(try self.folder.curl(deck, Cassettes.usersURL).outputText == "ada")
        // The page of the deck itself may.
        try control.get("PUT", path, json)
        let own = try control.ask(
            "PUT",
            path,
            json,
            headers: ["Origin: \(control.url)", "Sec-Fetch-Site: same-origin"]
        )
        #expect(own.status == 200)
        try deck.stop()
    }

    @Test func `the proxy never forwards to the control port, by any name or address`() throws {
        let deck = try self.folder.serve("passthrough")
        let port = try self.folder.control(deck).url.split(separator: ":").last.map(String.init) ?? ""
        let hosts = [
            "127.0.0.1", "localhost", "127.0.0.2", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0",
            "[::1]",
            "[::ffff:127.0.0.1]", "localhost.",
        ]
        for host in hosts {
            for scheme in ["http", "https"] {
                let result = try self.folder.curl(
                    deck,
                    "-k",
                    "-o",
                    "/dev/null",
                    "-w",
                    "%{http_code}",
                    "\(scheme)://\(host):\(port)/v1/sessions"
                )
                #expect(!result.outputText.hasPrefix("2"), "\(scheme)://\(host): \(result.outputText)")
            }
            // Within a tunnel, without TLS.
            let tunnelled = try self.folder.curl(
                deck,
                "--proxytunnel",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "http://\(host):\(port)/v1/sessions"
            )
            #expect(!tunnelled.outputText.hasPrefix("2"), "\(host) in a tunnel: \(tunnelled.outputText)")
        }
        try deck.stop()
    }

    @Test func `with a token the control API answers only clients that send it`() throws {
        let token = "a-token-of-this-test"
        let file = try self.folder.write(token + "\n", to: "token")
        let deck = try self.folder.serve("replay", "users", "--token-file", file)
        let control = try self.folder.control(deck)
        #expect(try control.ask("GET", "/v1/sessions").status == 401)
        #expect(try control.ask("GET", "/v1/sessions", headers: ["Authorization: Bearer wrong"]).status == 401)
        #expect(try control.ask("GET", "/v1/sessions", headers: ["Authorization: Bearer \(token)"]).status == 200)
        #expect(try control.ask("GET", "/v1/health").status == 200)
        let without = try self.folder.tapedeck(["report"], environment: ["TAPEDECK_URL": control.url])
        #expect(without.exitCode != 0)
        #expect(without.errorText.contains("token"), "\(without.errorText)")
        let with = try self.folder.tapedeck(
            ["report"],
            environment: ["TAPEDECK_URL": control.url, "TAPEDECK_TOKEN": token]
        )
        #expect(with.exitCode == 0, "\(with.errorText)")
        try deck.stop()
    }

    @Test func `on an address that others can reach, requests need a token, too`() throws {
        let deck = try self.folder.serve(
            "replay",
            "users",
            "--host",
            "0.0.0.0",
            environment: ["TAPEDECK_TOKEN": "a-token-of-this-test"]
        )
        let control = try self.folder.control(deck)
        func status(_ key: [String]) throws -> String {
            try self.folder.run(
                Curl.through(deck) + key + ["-o", "/dev/null", "-w", "%{http_code}", Cassettes.usersURL]
            ).outputText
        }
        #expect(try status([]) == "407")
        #expect(try status(["--proxy-user", "default:"]) == "407")
        #expect(try status(["--proxy-user", "default:wrong"]) == "403")
        #expect(try status(["--proxy-user", "default:a-token-of-this-test"]) == "200")
        #expect(try control.ask("GET", "/v1/sessions").status == 401)
        try deck.stop()
    }
}
