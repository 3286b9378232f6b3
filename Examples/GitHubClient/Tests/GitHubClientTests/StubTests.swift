import Foundation
import GitHubClient
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers that a test makes itself, on top of a cassette or without one.
@Suite(.tapedeck(folder: "Fixtures"))
struct StubTests {
    /// One answer, added on top of the cassette.
    @Test(.cassette("github"))
    func aStubAnswersFirst() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        try await deck.stub(.get("/users/octocat"), .status(503))

        await #expect(throws: GitHub.Failure.status(503)) { try await github.user("octocat") }
        #expect(try await github.user("hubot").name == "The Octocat")
    }

    /// A closure gets the request, and what the tape says to it.
    @Test(.cassette("github"))
    func aClosureChangesWhatTheTapeSays() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        try await deck.stub(.get("/users/{login}")) { request in
            var response = try await request.proceed()
            try response.changeJSON { $0["name"] = "Somebody else" }
            return .response(response)
        }

        let user = try await github.user("octocat")

        #expect(user.login == "octocat")
        #expect(user.name == "Somebody else")
    }

    /// A request waits until the test lets it go.
    @Test(.cassette("github"))
    func aRequestIsHeld() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        let held = try await deck.hold(.get("/users/octocat"))

        async let user = github.user("octocat")
        let request = try await held.next()
        try await request.release(.json(["login": "octocat", "name": "At last"]))

        #expect(try await user.name == "At last")
    }

    /// A cassette made in Swift. No disk is touched, and it prints as a file.
    @Test func aCassetteInMemory() async throws {
        let cassette = Cassette {
            ResponseSet("user", .get("https://api.github.com/users/octocat")) {
                Variant("found", .json(["login": "octocat", "name": "In memory"]))
                Variant("gone", .status(404))
            }
        }
        try await withTapedeck(.cassette(.inMemory(cassette)).select("gone", for: "user")) { deck in
            let github = GitHub(session: deck.urlSession())

            await #expect(throws: GitHub.Failure.status(404)) { try await github.user("octocat") }
            try await deck.reset("user")
            #expect(try await github.user("octocat").name == "In memory")
        }
        #expect(cassette.yaml.hasPrefix("tapedeck: 1\n"))
    }
}
