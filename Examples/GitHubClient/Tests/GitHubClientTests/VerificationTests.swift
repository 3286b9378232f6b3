import Foundation
import GitHubClient
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of the client, and their number.
@Suite(.tapedeck(folder: "Fixtures"), .cassette("github"))
struct VerificationTests {
    let deck: Tapedeck
    let github: GitHub

    init() throws {
        self.deck = try Tapedeck.current
        self.github = GitHub(session: URLSession(configuration: self.deck.urlSessionConfiguration()))
    }

    /// Takes play in order.
    @Test func asksUntilTheRunHasEnded() async throws {
        self.deck.expect(.get("/runs/7"), .exactly(3))

        #expect(try await self.github.finishedRun(7).status == "completed")
    }

    /// The sent body, decoded.
    @Test func sendsThePasswordInTheBody() async throws {
        _ = try await self.github.login("octocat", password: "open sesame")

        let sent = try #require(try await self.deck.lastRequest)
        #expect(try sent.request.json(as: [String: String].self)["password"] == "open sesame")
        #expect(sent.request[header: "content-type"] == "application/json")
        #expect(!sent.url.absoluteString.contains("sesame"))
    }

    /// Requests in order.
    @Test func logsInFirst() async throws {
        self.deck.expect(inOrder: [.post("/login"), .get("/users/octocat")])

        _ = try await self.github.login("octocat", password: "secret")
        _ = try await self.github.user("octocat")
    }

    /// Only the requests of a block.
    @Test func asksOnceForAUser() async throws {
        _ = try await self.github.login("octocat", password: "secret")

        let traffic = try await self.deck.during { try await self.github.user("octocat") }

        #expect(traffic.value.name == "The Octocat")
        #expect(traffic.count == 1)
    }

    /// A forbidden request fails the test.
    @Test func deletesNothing() async throws {
        try await self.deck.unimplemented(.delete("/users/{login}"), "a client that logs in deletes nobody")

        _ = try await self.github.login("octocat", password: "secret")
    }
}
