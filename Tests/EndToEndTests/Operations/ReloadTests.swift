import Foundation
import TestShare
import Testing

/// A deck that serves reads its files again when it gets a SIGHUP.
@Suite(.ownThreads) struct ReloadTests {
    /// Sends the signal, and waits for the line that says what came of it.
    private static func reload(_ deck: TapedeckProcess) throws -> String {
        func lines(_ text: String) -> [Substring] {
            // The watcher says what it has reloaded, too.
            text.split(separator: "\n").filter { $0.hasSuffix(" changed)") || $0.contains("nothing was reloaded") }
        }
        let before = lines(deck.program.errorsSoFar).count
        deck.program.send(SIGHUP)
        return try deck.program.waitForErrors("what was reloaded") { text in
            // Only complete lines count.
            text.hasSuffix("\n") ? lines(text).dropFirst(before).last.map(String.init) : nil
        }
    }

    @Test func `a new token replaces the old one, on open connections too`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        try folder.write("before\n", to: "token")
        let deck = try folder.serve("replay", "users", "--token-file", "token")
        let control = try folder.control(deck)
        let client = try RawConnection(port: deck.port)
        func ask(_ token: String) throws -> Int {
            client.send(
                "GET \(Cassettes.usersURL) HTTP/1.1\r\nHost: api.example.com\r\n"
                    + "X-Tapedeck-Session: default:\(token)\r\n\r\n"
            )
            return try client.response().status
        }
        func steer(_ token: String) throws -> Int {
            try control.ask("GET", "/v1/sessions", headers: ["Authorization: Bearer \(token)"]).status
        }
        #expect(try ask("before") == 200)
        #expect(try steer("before") == 200)
        try folder.write("after\n", to: "token")
        #expect(try ask("before") == 200)
        let said = try Self.reload(deck)
        #expect(said.contains("the token of token (a new one)"), "\(said)")
        #expect(try ask("before") >= 400)
        #expect(try ask("after") == 200)
        #expect(try steer("before") == 401)
        #expect(try steer("after") == 200)

        // A mistake leaves everything as it was.
        try folder.write("not a token\n", to: "token")
        let refused = try Self.reload(deck)
        #expect(refused.contains("error") || refused.contains("nothing was reloaded"), "\(refused)")
        #expect(try ask("after") == 200)
        #expect(try steer("after") == 200)
        #expect(!deck.program.errorsSoFar.contains("not a token\n"))
        client.close()
        try deck.stop()
    }

    @Test func `cassettes are reloaded, and an invalid one keeps playing its old version`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let other = "http://other.example.com/"
        let before = Cassettes.answering(other, "old").replacing("users", with: "other")
        try folder.write(before, to: "cassettes/other.yaml")
        let deck = try folder.serve("replay", "users", "other")
        try folder.write(Cassettes.users.replacing("ada", with: "ben"), to: "cassettes/users.yaml")
        try folder.write("tapedeck: 1\n\tx", to: "cassettes/other.yaml")
        let said = try Self.reload(deck)
        // The watcher may have been first with either.
        #expect(said.contains("2 cassettes"), "\(said)")
        #expect(try folder.curl(deck, Cassettes.usersURL).outputText == "ben")
        #expect(try folder.curl(deck, other).outputText == "old")
        #expect(deck.program.errorsSoFar.contains("other.yaml"))
        try deck.stop()
    }

    @Test func `the project's settings apply to later recordings`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write("record: { except: [elsewhere.test] }\n", to: "tapedeck.yaml")
        let deck = try folder.serve("serve", "--loopback")
        let control = try folder.control(deck)
        func ask() throws -> Int {
            let (id, _) = try control.session(#"{"mode": "passthrough", "cassettes": []}"#)
            let key = "X-Tapedeck-Session: \(id)"
            let status = ["-o", "/dev/null", "-w", "%{http_code}"]
            let result = try folder.run(Curl.through(deck) + status + ["-H", key, origin.url("/json")])
            return Int(result.outputText) ?? 0
        }
        #expect(try ask() == 200)
        try folder.write("record: { block: [localhost, 127.0.0.1] }\n", to: "tapedeck.yaml")
        let said = try Self.reload(deck)
        #expect(said.contains("tapedeck.yaml"), "\(said)")
        #expect(try ask() == 403)

        try folder.write("record: { blok: [localhost] }\n", to: "tapedeck.yaml")
        let refused = try Self.reload(deck)
        #expect(refused.contains("nothing was reloaded"), "\(refused)")
        #expect(try ask() == 403)
        try deck.stop()
    }

    @Test func `a changed start-only setting in the file is a warning`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        try folder.write("before\n", to: "token")
        try folder.write("deck: { tokenFile: token }\n", to: "tapedeck.yaml")
        let deck = try folder.serve("replay", "users")
        let control = try folder.control(deck)
        #expect(try Self.reload(deck).contains("the token of token"))
        #expect(!deck.program.errorsSoFar.contains("warning"))
        try folder.write("deck: { logFormat: json }\n", to: "tapedeck.yaml")
        _ = try Self.reload(deck)
        let said = deck.program.errorsSoFar
        #expect(said.contains("--log-format stays as it was at the start (text)"), "\(said)")
        // A deck is never opened by a line that is missing.
        #expect(said.contains("the old token stays"), "\(said)")
        #expect(try control.ask("GET", "/v1/sessions").status == 401)
        try deck.stop()
    }

    @Test func `settings that cannot change while a deck runs stay, and that is reported`() throws {
        let folder = try TestFolder()
        try folder.write("deck: { deckName: a, maxSessionRequests: 7 }\n", to: "tapedeck.yaml")
        let deck = try folder.serve("serve", "--loopback")
        let control = try folder.control(deck)
        try folder.write("deck: { deckName: b, maxSessionRequests: 8 }\n", to: "tapedeck.yaml")
        _ = try Self.reload(deck)
        let said = deck.program.errorsSoFar
        #expect(said.contains("--deck-name stays a while the deck runs; restart it for b"), "\(said)")
        #expect(said.contains("the limits stay as they are while the deck runs"), "\(said)")
        let (id, _) = try control.session(#"{"mode": "replay", "cassettes": []}"#)
        #expect(id.hasPrefix("a-"))
        // An unchanged setting is not reported.
        try folder.write("deck: { deckName: a, maxSessionRequests: 7 }\n", to: "tapedeck.yaml")
        _ = try Self.reload(deck)
        let silent = deck.program.errorsSoFar.dropFirst(said.count)
        #expect(!silent.contains("while the deck runs"), "\(silent)")
        try deck.stop()
    }

    @Test func `new authorities are trusted for new connections`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let stranger = try TestFolder()
        let other = try Origin(in: stranger)
        let authority = try folder.write(try stranger.read("origin/authority.pem"), to: "trusted.pem")
        let deck = try folder.serve("passthrough", "--upstream-ca", authority)
        func status() throws -> String {
            try folder.curl(deck, "-o", "/dev/null", "-w", "%{http_code}", origin.url("/json", .https)).outputText
        }
        #expect(try status() == "502")
        try folder.write("no certificate", to: "trusted.pem")
        #expect(try Self.reload(deck).contains("nothing was reloaded"))
        #expect(try folder.curl(deck, other.url("/json", .https)).exitCode == 0)
        try folder.write(try folder.read("origin/authority.pem"), to: "trusted.pem")
        #expect(try Self.reload(deck).contains("1 file of authorities"))
        #expect(try status() == "200")
        try deck.stop()
    }

    @Test(.long) func `a command that runs through a deck gets the signal itself`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let script = "trap 'echo hup; exit 3' HUP; echo ready; while :; do sleep 1; done"
        let program = try folder.start([Tapedeck.path, "replay", "users", "--", "sh", "-c", script])
        _ = try program.waitForOutput("the command") { $0.contains("ready") ? true : nil }
        program.send(SIGHUP)
        let result = try program.result()
        #expect(result.outputText.contains("hup"))
        #expect(result.exitCode == 3)
    }
}
