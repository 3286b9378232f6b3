import Foundation
import GitHubClient
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers that come part by part, and requests that come to the app.
@Suite(.tapedeck())
struct StreamTests {
    /// The test feeds an event stream, and then breaks it off.
    @Test func notificationsArriveWhileTheStreamIsOpen() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        let held = try await deck.hold(.get("/notifications"))
        var notifications = github.notifications().makeAsyncIterator()

        let stream = try await held.next()
        try await stream.send(event: "You were mentioned")
        #expect(try await notifications.next() == "You were mentioned")
        try await stream.send(event: "A run has ended")
        #expect(try await notifications.next() == "A run has ended")

        try await stream.end(.reset)
        let error = await #expect(throws: URLError.self) { try await notifications.next() }
        #expect(error?.code == .networkConnectionLost)
    }

    /// A download is half there, and the user changes their mind.
    @Test func aDownloadIsCancelledHalfWay() async throws {
        let deck = try Tapedeck.current
        let github = GitHub(session: deck.urlSession())
        let held = try await deck.hold(.get("/repos/{+repository}/tarball"))
        let (fractions, continuation) = AsyncStream.makeStream(of: Double.self)

        let download = Task { try await github.archive(of: "octocat/hello") { continuation.yield($0) } }
        let stream = try await held.next()
        try await stream.begin(headers: ["content-length": "1000"])
        try await stream.send(Data(count: 500))
        #expect(await fractions.first { _ in true } == 0.5)

        download.cancel()
        let error = await #expect(throws: URLError.self) { try await download.value }
        #expect(error?.code == .cancelled)
        deck.expect(.get("/repos/{+repository}/tarball"), .exactly(1))
    }

    /// The service calls the app: a webhook of the app's own server, for which a small one stands here.
    @Test func aWebhookReachesTheApp() async throws {
        let deck = try Tapedeck.current
        let app = try LocalAPI(name: "The app")
        defer { app.stop() }
        let url = try #require(URL(string: "\(app.url)/users/octocat"))

        let answer = try await deck.send(to: url, headers: ["X-GitHub-Event": "ping"], json: ["zen": "Keep it simple"])

        #expect(answer.status == 200)
        #expect(try answer.json()["name"]?.string == "The app")
    }
}
