import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct RunSuggestionsTests {
    private struct Exchange {
        var request: String
        var answer = "{}"
        var status = 200

        init(_ request: String, _ answer: String = "{}", status: Int = 200) {
            (self.request, self.answer, self.status) = (request, answer, status)
        }
    }

    private func cassette(_ exchanges: [Exchange], day: Int = 1) throws -> Cassette {
        let sets = exchanges.enumerated().map { number, exchange in
            """
              - name: set \(number)
                request: { \(exchange.request) }
                variants:
                  - name: recorded
                    takes:
                      - status: \(exchange.status)
                        recorded: '2026-01-0\(day)T00:00:0\(number)Z, request \(number + 1)'
                        body: { json: '\(exchange.answer)' }

            """
        }
        let text = "tapedeck: 1\nresponseSets:\n" + sets.joined()
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return result.cassette
    }

    private func suggestions(_ old: [Exchange], _ new: [Exchange]) throws -> RunSuggestions {
        RunSuggestions(for: try self.cassette(old), from: try self.cassette(new, day: 2)) { "\($0)" }
    }

    private func post(_ json: String, _ path: String = "jobs") -> String {
        "method: POST, url: 'https://a.test/\(path)', body: { json: '\(json)' }"
    }

    @Test func `values that two runs show to differ are learned, and those that differ by their form are not needed`()
        throws
    {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"name": "swift-otter", "day": "2026-01-01", "kind": "box"}"#))],
            [Exchange(self.post(#"{"name": "calm-lion", "day": "2026-01-02", "kind": "box"}"#))]
        )
        #expect(found.varies == ["set 0": [VaryingPlace("$.name", [VaryingPiece(.word)])]])
        #expect((found.requests, found.answeredBefore, found.answeredAfter) == (1, 0, 1))
        #expect(found.places.map(\.example.live) == ["calm-lion"])
    }

    @Test func `ids that each server makes are followed, and not learned`() throws {
        let found = try self.suggestions(
            [
                Exchange(self.post(#"{"name": "swift-otter"}"#), #"{"id": 7, "token": "otter-1"}"#),
                Exchange("method: GET, url: 'https://a.test/jobs/7'"),
                Exchange(self.post(#"{"id": 7, "of": "otter-1"}"#, "done")),
            ],
            [
                Exchange(self.post(#"{"name": "calm-lion"}"#), #"{"id": 12, "token": "lion-22"}"#),
                Exchange("method: GET, url: 'https://a.test/jobs/12'"),
                Exchange(self.post(#"{"id": 12, "of": "lion-22"}"#, "done")),
            ]
        )
        #expect(Array(found.varies.keys) == ["set 0"])
        #expect(found.answeredAfter == 3)
        #expect(found.unmatched.isEmpty)
    }

    @Test func `what a URL asks for is not learned`() throws {
        let found = try self.suggestions(
            [
                Exchange("method: GET, url: 'https://a.test/?q=swift'"),
                Exchange("method: GET, url: 'https://a.test/list?page=1'"),
                Exchange("method: DELETE, url: 'https://a.test/users/ada'"),
            ],
            [
                Exchange("method: GET, url: 'https://a.test/?q=rust'"),
                Exchange("method: GET, url: 'https://a.test/list?page=2'"),
                Exchange("method: DELETE, url: 'https://a.test/users/production'"),
            ]
        )
        #expect(found.varies.isEmpty)
        #expect(found.unmatched.count == 3)
    }

    @Test func `a place on which the status depends is not learned`() throws {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"user": "ada"}"#))],
            [Exchange(self.post(#"{"user": "mallory"}"#), status: 403)]
        )
        #expect(found.varies.isEmpty)
    }

    @Test func `an order is learned for all requests of an endpoint`() throws {
        let found = try self.suggestions(
            [Exchange(self.post(#"{"tags": ["a", "b", "c"]}"#)), Exchange(self.post(#"{"tags": ["d", "e", "f"]}"#))],
            [Exchange(self.post(#"{"tags": ["c", "a", "b"]}"#)), Exchange(self.post(#"{"tags": ["d", "e", "f"]}"#))]
        )
        let order = [VaryingPlace("$.tags", [VaryingPiece(.order)])]
        #expect(found.varies == ["set 0": order, "set 1": order])
    }
}
