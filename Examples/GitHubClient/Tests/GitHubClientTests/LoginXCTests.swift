import Foundation
import GitHubClient
import TapedeckTesting
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The tests in XCTest: each test method has its own session.
final class LoginXCTests: TapedeckTestCase {
    override class var tapedeck: TapedeckOptions {
        .cassette("github", folder: "Fixtures")
    }

    private var github: GitHub {
        GitHub(session: URLSession(configuration: self.deck.urlSessionConfiguration()))
    }

    func testLogsIn() async throws {
        let token = try await self.github.login("octocat", password: "secret")

        XCTAssertEqual(token, "a-token")
        self.deck.expect(.post("/login"), .exactly(1))
    }

    func testSaysWhenThereIsNoNetwork() async throws {
        try await self.deck.select("offline", for: "login")

        do {
            _ = try await self.github.login("octocat", password: "secret")
            XCTFail("there is no network")
        } catch let error as URLError {
            XCTAssertEqual(error.code, .notConnectedToInternet)
        }
    }
}
