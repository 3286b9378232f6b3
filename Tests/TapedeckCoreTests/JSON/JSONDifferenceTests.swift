import TapedeckCore
import Testing

@Suite
struct JSONDifferenceTests {
    private func differences(
        _ expected: String,
        _ value: String,
        anyOrder: Bool = false,
        subset: Bool = false,
        limit: Int = 10
    ) throws -> [JSONDifference] {
        let comparison = JSONComparison(ignoresArrayOrder: anyOrder)
        return JSONExpectation(try json(expected), comparison: comparison, isSubset: subset)
            .differences(try json(value), limit: limit)
    }

    @Test func namesThePlaceAndBothValues() throws {
        let found = try self.differences(
            #"{"items":[{"name":"a","n":1},{"name":"b"}],"x y":true,"gone":[1]}"#,
            #"{"items":[{"name":"z","n":1.0},{"name":"b","more":null},7],"x y":"true"}"#
        )
        #expect(
            found == [
                JSONDifference(path: "$.items[0].name", wanted: #""a""#, came: #""z""#),
                JSONDifference(path: "$.items[1].more", wanted: nil, came: "null"),
                JSONDifference(path: "$.items[2]", wanted: nil, came: "7"),
                JSONDifference(path: "$['x y']", wanted: "true", came: #""true""#),
                JSONDifference(path: "$.gone", wanted: "[1]", came: nil),
            ]
        )
    }

    @Test func writesPathsThatSelectThePlace() throws {
        for name in ["a", "a-b", "", "0a", "it's", "a\"b", "é", "a\\b", "\n", "a.b", "_"] {
            let value = JSONValue.object([JSONMember(name: name, value: .number(JSONNumber(1)))])
            let found = JSONExpectation(.object([])).differences(value, limit: 1)
            #expect(found.count == 1)
            #expect(try JSONPath(found[0].path).values(in: value) == [.number(JSONNumber(1))], "\(found[0].path)")
        }
    }

    @Test func cutsLongValues() throws {
        let long = String(repeating: "é", count: 500)
        let found = try self.differences("\"\(long)\"", "\"\(long)x\"")
        #expect(found.count == 1)
        #expect(found.first?.wanted == "…\(String(repeating: "é", count: 20))\"")
        #expect(found.first?.came == "…\(String(repeating: "é", count: 20))x\"")
        #expect(try self.differences("0", "\"\(String(repeating: "a", count: 58))\"").first?.came?.last == "\"")
    }

    @Test func reportsDifferencesUpToTheLimit() throws {
        #expect(try self.differences("[1,2,3]", "[3,1,2]", limit: 2).count == 2)
        #expect(try self.differences("[1,2,3]", "[3,1,2]", limit: 0).count == 1)
    }

    @Test func comparesUnpairedItemsOfListsInAnyOrder() throws {
        let expected = #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#
        #expect(
            try self.differences(expected, #"[{"id":2,"n":"b"},{"id":1,"n":"x"}]"#, anyOrder: true)
                == [JSONDifference(path: "$[0].n", wanted: #""a""#, came: #""x""#)]
        )
        #expect(
            try self.differences("[1,2]", "[2,3,4]", anyOrder: true) == [
                JSONDifference(path: "$[0]", wanted: "1", came: "3"),
                JSONDifference(path: "$[2]", wanted: nil, came: "4"),
            ]
        )
        #expect(
            try self.differences("[1,2]", "[2]", subset: true)
                == [JSONDifference(path: "$[0]", wanted: "1", came: nil)]
        )
    }

    @Test func showsThePlaceholderThatWasNotMet() throws {
        #expect(
            try self.differences(#"{"id":"{{any.uuid}}"}"#, #"{"id":7}"#)
                == [JSONDifference(path: "$.id", wanted: #""{{any.uuid}}""#, came: "7")]
        )
    }
}
