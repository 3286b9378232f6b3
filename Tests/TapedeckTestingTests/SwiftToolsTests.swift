import Foundation
import TapedeckTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Claims of the page for users of Replay, OHHTTPStubs and Mocker that no other test shows.
@Suite(.tapedeck(folder: "Fixtures"))
struct SwiftToolsTests {
    private static let host = "http://api.example.com"

    @Test(.tapedeck().stub(.get("\(Self.host)/greeting"), .text("Hello")))
    func `a stub stands in the trait`() async throws {
        #expect(try await Visit.get("\(Self.host)/greeting", Tapedeck.current).body == "Hello")
    }

    @Test func `conditions of OHHTTPStubs have a matcher each`() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.host("api.example.com"), .text("host"))
        try await deck.stub(.get(pattern: "/users.*"), .text("path"))
        try await deck.stub(.get(pattern: #"/.*\.png"#), .text("extension"))
        try await deck.stub(.get("/pages").query("page", "2"), .text("query"))
        try await deck.stub(.get("/a").or(.get("/b").not(.get("/b").query("x", .present))), .text("or"))
        let expected = [
            "/": "host", "/users": "path", "/users/7/a": "path", "/img/a.png": "extension",
            "/pages?page=2&a=1": "query",
            "/pages?page=3": "host", "/a": "or", "/b": "or", "/b?x=1": "host",
        ]
        for (path, text) in expected {
            #expect(try await Visit.get(Self.host + path, deck).body == text, "\(path)")
        }
    }

    @Test func `a configuration of one's own comes to the deck, and a failed request is a URLError`() async throws {
        let deck = try Tapedeck.current
        try await deck.stub(.get("/slow"), .text("late").delayed(.milliseconds(10)).bandwidth(bytesPerSecond: 400_000))
        try await deck.stub(.get("/late"), .urlError(.timedOut))
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-App": "1"]
        let session = URLSession(configuration: deck.urlSessionConfiguration(configuration))
        let (data, _) = try await session.data(from: try #require(URL(string: "\(Self.host)/slow")))
        #expect(String(decoding: data, as: UTF8.self) == "late")
        #expect(try await deck.lastRequest?.request[header: "X-App"] == "1")
        let late = try #require(URL(string: "\(Self.host)/late"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: late) }
        #expect(error?.code == .timedOut)
    }
}
