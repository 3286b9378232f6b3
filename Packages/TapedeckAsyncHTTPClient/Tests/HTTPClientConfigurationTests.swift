import AsyncHTTPClient
import NIOCore
import TapedeckAsyncHTTPClient
import TapedeckTesting
import Testing

/// A client as a test gets it, against the deck in its process.
@Suite struct HTTPClientConfigurationTests {
    private static let sets = """
        tapedeck: 1
        responseSets:
          - name: user
            request: { url: "https://api.example.com/users/7" }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: Ada } }] }]
          - name: plain
            request: { url: "http://api.example.com/plain" }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: plain } }] }]
        """

    @Test(arguments: [("https://api.example.com/users/7", "Ada"), ("http://api.example.com/plain", "plain")])
    func aConfiguredClientAsksTheSession(_ url: String, _ body: String) async throws {
        try await withTapedeck(.inMemory(Cassette(yaml: Self.sets))) { deck in
            let client = HTTPClient(configuration: try deck.httpClientConfiguration())
            let result: Result<String, any Error>
            do {
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(20))
                result = .success(String(buffer: try await response.body.collect(upTo: 1 << 20)))
            } catch {
                result = .failure(error)
            }
            try await client.shutdown()
            #expect(try result.get() == body)
        }
    }
}
