import Foundation
import GitHubClient
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cassettes of these tests are in `Fixtures`, beside this file. Every test case gets a session of its own, so all of
/// them run at once.
@Suite(.tapedeck(folder: "Fixtures"))
struct LoginTests {
    /// The happy path: what plays is the first variant of each response set.
    @Test(.cassette("github"))
    func logsIn() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())

        #expect(try await github.login("octocat", password: "secret") == "a-token")
    }

    /// A variant, chosen for one test; an exact `URLError`, which no proxy could cause.
    @Test(.cassette("github").select("offline", for: "login"))
    func saysWhenThereIsNoNetwork() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())

        let error = await #expect(throws: URLError.self) { try await github.login("octocat", password: "secret") }
        #expect(error?.code == .notConnectedToInternet)
        deck.expect(.post("/login"), .exactly(1))
    }

    /// Each variant that the cassette has for a set, one test case each: one that is added there is tested from then on.
    @Test(.cassette("github"), arguments: try Tapedeck.variants(of: "login", in: "Fixtures/github"))
    func survivesEveryAnswer(variant: String) async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        try await deck.select(variant, for: "login")

        switch variant {
        case "success":
            #expect(try await github.login("octocat", password: "secret") == "a-token")
        case "invalid credentials":
            await #expect(throws: GitHub.Failure.invalidCredentials) {
                try await github.login("octocat", password: "secret")
            }
        case "rate limited":
            await #expect(throws: GitHub.Failure.rateLimited(retryAfter: 30)) {
                try await github.login("octocat", password: "secret")
            }
        default:
            await #expect(throws: URLError.self) { try await github.login("octocat", password: "secret") }
        }
    }

    /// A profile chooses for several sets.
    @Test(.cassette("github").profiles("bad day"))
    func survivesABadDay() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())

        await #expect(throws: GitHub.Failure.rateLimited(retryAfter: 30)) {
            try await github.login("octocat", password: "secret")
        }
        await #expect(throws: URLError.self) { try await github.user("octocat") }
    }
}
