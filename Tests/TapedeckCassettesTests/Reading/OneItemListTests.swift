import TapedeckCassettes
import TapedeckCore
import Testing

/// A list of one item may be a plain text, everywhere.
@Suite struct OneItemListTests {
    @Test(arguments: [
        ("match: url", "match: [url]"),
        ("ignore: { query: t, headers: x-id, json: $.at }", "ignore: { query: [t], headers: [x-id], json: [$.at] }"),
        ("time: { json: $.at }", "time: { json: [$.at] }"),
        ("redact: { off: csrf, on: pii }", "redact: { off: [csrf], on: [pii] }"),
    ])
    func `a setting of a cassette`(short: String, long: String) throws {
        func read(_ setting: String) -> CassetteReader.Result {
            CassetteReader.read(Array("tapedeck: 1\n\(setting)\nresponseSets: []\n".utf8), name: "a", path: "a.yaml")
        }
        let (one, list) = (read(short), read(long))
        #expect(one.diagnostics.map(\.message) == list.diagnostics.map(\.message))
        #expect(one.cassette == list.cassette)
    }

    @Test(arguments: [
        ("headers: { a: { oneOf: x } }", "headers: { a: { oneOf: [x] } }"),
        ("query: { a: { values: x } }", "query: { a: { values: [x] } }"),
        ("body: { json: '1', ignore: $.a }", "body: { json: '1', ignore: [$.a] }"),
    ])
    func `a condition of a request`(short: String, long: String) throws {
        func read(_ condition: String) throws -> Cassette {
            let text = CassetteText.sets(
                "name: s\nrequest: { url: /a, \(condition) }\nvariants: [{ name: v, fault: timeout }]"
            )
            let result = CassetteReader.read(Array(text.utf8), name: "a", path: "a.yaml")
            try #require(!result.hasErrors, "\(result.diagnostics)")
            return result.cassette
        }
        #expect(try read(short) == read(long))
    }
}
