import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct RequestPairingTests {
    private func request(
        _ query: [(String, String)] = [],
        place: String = "POST https://a.test/",
        json: String? = nil
    ) throws -> ComparableRequest {
        ComparableRequest(
            place: place,
            query: query.map { (name: $0.0, value: $0.1) },
            json: try json.map { try JSONValue(parsing: Array($0.utf8)) }
        )
    }

    @Test func `the fields in which two requests differ are reported, with both values`() throws {
        let old = try self.request(
            [("q", "swift"), ("ts", "1")],
            json: #"{"op":"a","n":{"nonce":"x"},"list":[{"id":1},{"id":2}],"same":[1,2,3]}"#
        )
        let new = try self.request(
            [("q", "swift"), ("ts", "2")],
            json: #"{"op":"a","n":{"nonce":"y"},"list":[{"id":1},{"id":3}],"same":[1,2,3]}"#
        )
        let fields = try #require(old.variation(to: new))
        #expect(
            fields == [
                FieldVariation(kind: .query, name: "ts", values: ["1", "2"]),
                FieldVariation(kind: .json, name: "$.n.nonce", values: ["x", "y"]),
                FieldVariation(kind: .json, name: "$.list[*].id", values: ["2", "3"]),
            ]
        )
    }

    @Test func `a parameter that only one request has is a difference`() throws {
        let fields = try self.request([("a", "1")]).variation(to: try self.request())
        #expect(fields == [FieldVariation(kind: .query, name: "a", values: ["1"])])
    }

    @Test func `requests to different URLs, and bodies that differ in most values, are not paired`() throws {
        let one = try self.request(json: #"{"a":1,"b":2,"c":3,"d":4}"#)
        #expect(one.variation(to: try self.request(place: "POST https://b.test/", json: #"{"a":1}"#)) == nil)
        #expect(one.variation(to: try self.request(json: #"{"a":9,"b":9,"c":9,"d":4}"#)) == nil)
        #expect(one.variation(to: try self.request()) == nil)
    }

    @Test func `requests that differ least are paired first, then those in the same order`() throws {
        let old = [
            try self.request(json: #"{"op":"a","kind":1,"nonce":"1"}"#),
            try self.request(json: #"{"op":"b","kind":1,"nonce":"2"}"#),
        ]
        let new = [
            try self.request(json: #"{"op":"b","kind":1,"nonce":"3"}"#),
            try self.request(json: #"{"op":"a","kind":1,"nonce":"4"}"#),
        ]
        let variations = RequestPairing.variations(old, new)
        #expect(variations.count == 2)
        #expect(variations.joined().map(\.name) == ["$.nonce", "$.nonce"])
        #expect(Set(variations.joined().map(\.values)) == [["1", "4"], ["2", "3"]])
    }
}
