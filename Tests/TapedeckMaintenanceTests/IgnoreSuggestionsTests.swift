import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct IgnoreSuggestionsTests {
    private func cassette(_ requests: [String], _ head: String = "") throws -> Cassette {
        let sets = requests.enumerated().map { number, request in
            """
              - name: set \(number)
                request: { method: GET, \(request) }
                variants: [{ name: recorded, takes: [{ status: 200, recorded: 2026-01-01T00:00:00Z }] }]

            """
        }
        let text = "tapedeck: 1\n\(head)responseSets:\n" + sets.joined()
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return result.cassette
    }

    private func suggestions(_ old: [String], _ new: [String], _ head: String = "") throws -> IgnoreSuggestions {
        IgnoreSuggestions(for: try self.cassette(old, head), from: try self.cassette(new)) { "\($0)" }
    }

    @Test func `times, ids and nonces are proposed, and with them every request is answered`() throws {
        let found = try self.suggestions(
            [
                "url: 'https://a.test/poll?ts=1763719200&q=a'",
                #"url: 'https://a.test/post', body: { json: '{"op": "a", "on": true, "nonce": "7f3c1a9be2d4"}' }"#,
                #"url: 'https://a.test/post', body: { json: '{"op": "b", "on": true, "nonce": "9a3c1a9be2d4"}' }"#,
                "url: 'https://a.test/same'",
            ],
            [
                "url: 'https://a.test/poll?ts=1763719999&q=a'",
                #"url: 'https://a.test/post', body: { json: '{"op": "b", "on": true, "nonce": "1f2c3a9be2d4"}' }"#,
                #"url: 'https://a.test/post', body: { json: '{"op": "a", "on": true, "nonce": "2a3c1a9be2d4"}' }"#,
                "url: 'https://a.test/same'",
            ]
        )
        #expect(found.rules == MatchingRules(ignoredQuery: ["ts"], ignoredJSON: [try JSONPath("$.nonce")]))
        #expect(found.proposed.map(\.count).sorted() == [1, 2])
        #expect((found.requests, found.answeredBefore, found.answeredAfter) == (4, 1, 4))
        #expect(found.others.isEmpty)
        #expect(found.hidden == 0)
    }

    @Test func `chosen values are reported and not proposed`() throws {
        let found = try self.suggestions(["url: 'https://a.test/?q=swift'"], ["url: 'https://a.test/?q=rust'"])
        #expect(found.proposed.isEmpty)
        #expect(found.others.map(\.name) == ["q"])
        #expect(found.answeredAfter == 0)
    }

    @Test func `header fields are proposed where they count`() throws {
        let found = try self.suggestions(
            ["url: 'https://a.test/', headers: { X-Nonce: 7f3c1a9be2d4 }"],
            ["url: 'https://a.test/', headers: { X-Nonce: 1a2b3c9be2d4 }"],
            "match: [method, url, headers]\n"
        )
        #expect(found.proposed.map(\.kind) == [.header])
        #expect(found.answeredAfter == 1)
    }

    @Test func `ignored places are not proposed again`() throws {
        let found = try self.suggestions(
            ["url: 'https://a.test/?ts=1763719200'"],
            ["url: 'https://a.test/?ts=1763719999'"],
            "ignore: { query: [ts] }\n"
        )
        #expect(found.proposed.isEmpty)
        #expect(found.answeredBefore == 1)
    }

    @Test func `sets that would be for the same request are counted`() throws {
        let found = try self.suggestions(
            ["url: 'https://a.test/?ts=1763719200'", "url: 'https://a.test/?ts=1763719201'"],
            ["url: 'https://a.test/?ts=1763719999'", "url: 'https://a.test/?ts=1763719998'"]
        )
        #expect(found.answeredAfter == 2)
        #expect(found.hidden == 1)
    }
}
