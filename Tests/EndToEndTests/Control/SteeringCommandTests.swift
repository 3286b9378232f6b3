import Foundation
import Testing

/// The command line steers a deck that runs.
@Suite(.ownThreads) struct SteeringCommandTests {
    @Test func `another variant plays from the next request on, until it is reverted`() throws {
        let deck = try SteeredDeck()
        #expect(try deck.get(SteeredDeck.users) == "ada")
        try deck.steered("select", "users=none", "a=b=two")
        #expect(try deck.get(SteeredDeck.users) == "nobody")
        #expect(try deck.get(SteeredDeck.ab) == "two")
        try deck.steered("reset", "users")
        #expect(try deck.get(SteeredDeck.users) == "ada")
        #expect(try deck.get(SteeredDeck.ab) == "two")
        try deck.steered("reset")
        #expect(try deck.get(SteeredDeck.ab) == "one")
        try deck.process.stop()
    }

    @Test func `the sets are a table with the playing variant marked`() throws {
        let deck = try SteeredDeck()
        try deck.steered("select", "users=none")
        _ = try deck.get(SteeredDeck.users)
        #expect(
            try deck.steered("sets", "--search", "users") == """
                RESPONSE SET  REQUEST                           VARIANT  ANSWER  ASKED
                users         GET http://api.example.com/users    found  200     1
                                                                * none   404
                """
        )
        struct List: Decodable {
            struct Set: Decodable {
                var name: String
                var playing: String
            }

            var sets: [Set]
        }
        let list = try JSONDecoder().decode(List.self, from: Data(try deck.steered("sets", "--json").utf8))
        #expect(list.sets.map(\.name) == ["users", "a=b"])
        #expect(list.sets.map(\.playing) == ["none", "one"])
    }

    @Test func `profiles are applied, listed and reverted`() throws {
        let deck = try SteeredDeck()
        try deck.steered("profile", "apply", "deserted")
        #expect(try deck.get(SteeredDeck.users) == "nobody")
        #expect(try deck.steered("profile", "list").split(separator: "\n").first == "* deserted")
        try deck.steered("profile", "revert", "deserted")
        #expect(try deck.get(SteeredDeck.users) == "ada")
    }

    @Test func `state is set, shown and removed`() throws {
        let deck = try SteeredDeck()
        try deck.steered("state", "cart=full", "formula=a=b")
        #expect(try deck.steered("state") == "cart=full\nformula=a=b")
        try deck.steered("state", "cart=")
        #expect(try deck.steered("state") == "formula=a=b")
    }

    @Test func `the journal has the answering set, or the reason for a miss`() throws {
        let deck = try SteeredDeck()
        _ = try deck.get(SteeredDeck.users)
        _ = try deck.get("http://api.example.com/user")
        let lines = try deck.steered("journal").split(separator: "\n").map(String.init)
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.first?.contains("200  GET \(SteeredDeck.users)  users / found") == true, "\(lines)")
        #expect(
            lines.dropFirst().first?.contains("501  GET http://api.example.com/user  unmatched") == true,
            "\(lines)"
        )
        #expect(lines.last?.hasPrefix("    ") == true, "\(lines)")
        let unmatched = try deck.steered("journal", "--outcome", "unmatched", "--limit", "1")
        #expect(unmatched.hasPrefix("2  "), "\(unmatched)")
    }

    @Test func `a followed journal shows each request as it is answered, until the session ends`() throws {
        let deck = try SteeredDeck()
        let id = try deck.steered("session", "create", "users")
        _ = try deck.get(SteeredDeck.users, session: id)
        let follower = try deck.folder.start(
            [Tapedeck.path, "journal", "--follow", "--session", id],
            environment: deck.environment
        )
        _ = try follower.waitForOutput("the first request") { $0.contains("1  ") ? true : nil }
        _ = try deck.get(SteeredDeck.ab, session: id)
        _ = try follower.waitForOutput("the second request") { $0.contains("GET \(SteeredDeck.ab)") ? true : nil }
        try deck.steered("session", "end", id)
        let result = try follower.result()
        #expect(result.exitCode == 0)
        #expect(result.outputText.split(separator: "\n").count == 2, "\(result.outputText)")
        #expect(result.errorText.contains("the session has ended"))
    }

    @Test func `an unknown name is an error that lists the known ones, and nothing changes`() throws {
        let deck = try SteeredDeck()
        let result = try deck.steer("select", "users=nome")
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("did you mean \"none\"?"), "\(result.errorText)")
        #expect(try deck.steer("select", "users").exitCode == 64)
        #expect(try deck.steer("profile", "apply", "desserted").exitCode == 64)
        #expect(try deck.get(SteeredDeck.users) == "ada")
    }

    @Test func `a recording starts and stops while the deck runs`() throws {
        let origin = try SteeredDeck()
        let folder = origin.folder
        let deck = try folder.serve("serve", "users")
        let environment = ["TAPEDECK_URL": try #require(deck.controlURL)]
        func steer(_ arguments: String...) throws -> Program.Result {
            try folder.tapedeck(arguments, environment: environment)
        }
        let server = try Origin(in: folder)
        let id = try steer("session", "create", "--mode", "passthrough").outputText.trimmingCharacters(in: .newlines)
        let url = server.url("/counter", .http)
        let curl = Curl.through(deck) + ["--header", "X-Tapedeck-Session: \(id)", url]
        try folder.run(curl)
        #expect(try steer("recording", "start", "new", "--session", id).exitCode == 0)
        let live = try folder.run(curl)
        let stopped = try steer("recording", "stop", "--session", id)
        #expect(stopped.outputText == "wrote 1 exchange into new\n", "\(stopped.errorText)")
        #expect(try folder.read("cassettes/new.yaml").contains(url))
        let replay = try folder.serve("replay", "new")
        #expect(try folder.curl(replay, url).outputText == live.outputText)
    }
}
