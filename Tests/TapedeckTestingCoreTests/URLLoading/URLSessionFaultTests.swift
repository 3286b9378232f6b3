import Foundation
import FoundationNetworking
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckTestingCore
import TestShare
import Testing

/// The faults of a cassette as a URLSession reports them.
@Suite(.timeLimit(.minutes(20)))
struct URLSessionFaultTests {
    private static func set(_ variant: String) -> String {
        """
          - name: a
            request: { url: "https://api.example.com/a" }
            variants:
              - { name: first, \(variant) }
        """
    }

    @Test(
        .long,
        arguments: [
            ("fault: connectionReset", .networkConnectionLost, "reset"),
            ("fault: emptyResponse", .networkConnectionLost, "cut"),
            ("fault: connectionRefused", .cannotConnectToHost, "complete"),
            ("fault: nameNotResolved", .cannotFindHost, "complete"),
            ("fault: tlsHandshake", .secureConnectionFailed, "complete"),
            ("fault: timeout", .timedOut, "complete"),
            ("fault: malformedResponse", .badServerResponse, "complete"),
            ("fault: garbage", .badServerResponse, "cut"),
            ("fault: connectionReset, urlError: dataNotAllowed", .dataNotAllowed, "reset"),
            ("fault: hang, urlError: timedOut", .timedOut, "cut"),
            ("fault: connectionReset, delay: 1ms", .networkConnectionLost, "reset"),
            (
                "takes: [{ status: 200, headers: [{ content-length: '9' }], fault: truncatedBody, body: { text: half } }]",
                .networkConnectionLost, "cut"
            ),
            ("takes: [{ fault: malformedChunk, body: { text: half } }]", .networkConnectionLost, "cut"),
            ("takes: [{ fault: resetDuringBody, body: { text: half } }]", .networkConnectionLost, "reset"),
        ] as [(String, URLError.Code, String)]
    )
    func everyFaultHasItsCode(_ variant: String, _ code: URLError.Code, _ ending: String) async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.set(variant))
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let url = try #require(URL(string: "https://api.example.com/a"))
            let error = await #expect(throws: URLError.self) { try await client.data(from: url) }
            #expect(error?.code == code)
            let entry = try #require(try await session.journal().first)
            #expect(entry.outcome == "played")
            #expect(entry.fault != nil)
            #expect(entry.ending == ending)
        }
    }

    @Test func offlineMeansNoNetwork() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.set("empty: true"))
            try await session.ask { try $0.select("offline", of: "a") }
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let url = try #require(URL(string: "https://api.example.com/a"))
            let error = await #expect(throws: URLError.self) { try await client.data(from: url) }
            #expect(error?.code == .notConnectedToInternet)
        }
    }

    @Test func aHangLastsUntilTheTimeout() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.set("fault: hang"))
            let base = URLSessionConfiguration.ephemeral
            base.timeoutIntervalForRequest = 0.2
            let client = URLSession(configuration: session.route.urlSessionConfiguration(base))
            let url = try #require(URL(string: "https://api.example.com/a"))
            let error = await #expect(throws: URLError.self) { try await client.data(from: url) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func aBaseURLNeedsNoConfiguration() async throws {
        try await TestDeck.with { deck in
            let sets = """
                  - name: a
                    request: { url: "https://api.example.com:8443/a?b=1" }
                    variants: [{ name: ok, takes: [{ status: 200, body: { text: hello } }] }]
                """
            let session = try await deck.session(sets)
            let base = try #require(session.route.baseURL(for: "https://api.example.com:8443"))
            let url = try #require(URL(string: "\(base)/a?b=1"))
            let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            let entry = try #require(try await session.journal().first)
            #expect(entry.url == "https://api.example.com:8443/a?b=1")
        }
    }

    /// Foundation refuses it before it asks any protocol.
    @Test func aWebSocketTaskFails() async throws {
        try await TestDeck.with { deck in
            let session = try await deck.session(Self.set("empty: true"))
            let client = URLSession(configuration: session.route.urlSessionConfiguration())
            let task = client.webSocketTask(with: try #require(URL(string: "wss://api.example.com/a")))
            task.resume()
            let error = await #expect(throws: URLError.self) { try await task.receive() }
            #expect(error?.code == .unsupportedURL)
            #expect(try await session.journal().isEmpty)
        }
    }
}
