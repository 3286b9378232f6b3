import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// The header fields of requests in the cassette that a recording makes.
@Suite
struct KeptHeadersInTakesTests {
    private func exchange(_ fields: [HeaderField], body: String = "") -> RecordedExchange {
        var exchange = RecordedExchange.made(1, "GET", "/a", text: "x", sends: body)
        exchange.requestHeaders = fields
        return exchange
    }

    private func text(_ exchange: RecordedExchange, keeping: KeptHeaders = .usual) throws -> String {
        let fixture = try CassetteFixture()
        var store = fixture.store
        store.keptHeaders = keeping
        store.answersAnyBody = true
        _ = try store.save([exchange], to: fixture.location)
        #expect(try store.check(fixture.location).diagnostics.isEmpty)
        return try fixture.text
    }

    @Test func aRequestWithOnlyCommonHeadersHasNoHeaderBlock() throws {
        let text = try self.text(self.exchange([HeaderField("Accept", "*/*"), HeaderField("User-Agent", "curl/8")]))
        #expect(!text.contains("headers:"))
        #expect(text.components(of: "request:") == 1)
    }

    @Test func keptHeadersAreNotedOnceWithTheBody() throws {
        let fields = [HeaderField("Accept", "application/json"), HeaderField("Content-Type", "text/plain")]
        #expect(
            try self.text(self.exchange(fields, body: "hello")).contains(
                """
                            request:
                              headers:
                                - Content-Type: text/plain
                                - Accept: application/json
                              body:
                                text: hello

                """
            )
        )
    }

    @Test func aHeaderInAConditionIsNotNotedInTheTake() throws {
        let cassette = "tapedeck: 1\nmatch: [method, url, headers]\nresponseSets: []\n"
        let exchanges = ["a/json", "b/json"].map { self.exchange([HeaderField("Accept", $0)]) }
        let fixture = try CassetteFixture(cassette)
        _ = try fixture.store.save(exchanges, to: fixture.location)
        let text = try fixture.text
        #expect(text.components(of: "a/json") == 1, "\(text)")
    }

    @Test func theOptionNoneKeepsNoHeaders() throws {
        let fields = [HeaderField("Range", "bytes=0-1"), HeaderField("Prefer", "wait")]
        let text = try self.text(self.exchange(fields), keeping: try KeptHeaders("none"))
        #expect(!text.contains("Prefer"))
        // Else it would answer a request without a range.
        #expect(text.contains("Range: bytes=0-1"))
    }
}

extension String {
    /// Returns how often a text occurs in it.
    fileprivate func components(of text: String) -> Int {
        self.ranges(of: text).count
    }
}
