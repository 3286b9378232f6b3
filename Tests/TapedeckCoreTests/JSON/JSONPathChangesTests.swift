import TapedeckCore
import Testing

@Suite
struct JSONPathChangesTests {
    @Test(arguments: [
        ("$.a", #"{"a":1,"b":2}"#, #"{"b":2}"#), ("$.c", #"{"a":1}"#, #"{"a":1}"#), ("$", "[1]", "null"),
        ("$[0,2]", "[1,2,3]", "[2]"), ("$[-1]", "[1,2,3]", "[1,2]"), ("$[0,0]", "[1,2,3]", "[2,3]"),
        ("$..id", #"[{"id":1,"x":{"id":2,"y":3}},{"y":4}]"#, #"[{"x":{"y":3}},{"y":4}]"#),
        ("$..*", #"{"a":[1,{"b":2}]}"#, "{}"),
        ("$.items[*].at", #"{"items":[{"at":1},{"at":2}]}"#, #"{"items":[{},{}]}"#),
        ("$[?@.x == 1]", #"[{"x":1},{"x":2},{"x":1}]"#, #"[{"x":2}]"#),
        // The remaining one of two equal members would count in place of the removed one.
        ("$.a", #"{"a":1,"b":2,"a":3}"#, #"{"b":2}"#), ("$.a.b", #"{"a":{"b":1,"c":2}}"#, #"{"a":{"c":2}}"#),
    ])
    func removesTheSelectedValues(_ path: String, _ before: String, _ after: String) throws {
        #expect(try text(JSONPath(path).removing(from: json(before))) == after)
    }

    @Test func selectsNothingAfterRemoval() throws {
        var generator = SeededRandom(seed: 5)
        let path = try JSONPath("$..['a', '\\n\\t\\r\\b\\f', 1]")
        var found = 0
        for _ in 0..<200 {
            var value = try json(RandomJSON.value(depth: 4, using: &generator).text(RandomJSON.Spacing()))
            found += path.values(in: value).count
            // Items that move up may reach the second place.
            for _ in 0..<10 { value = path.removing(from: value) }
            #expect(path.values(in: value).isEmpty)
        }
        #expect(found > 100)
    }

    @Test func changesEachSelectedPlaceOnce() throws {
        let value = try json(#"{"a":[1,2,3],"b":{"c":4}}"#)
        let doubled = try JSONPath("$.a[0,0,2:]").mapping(value) { value in
            guard case .number(let number) = value, let value = number.intValue else { return value }
            return .number(JSONNumber(value * 2))
        }
        #expect(text(doubled) == #"{"a":[2,2,6],"b":{"c":4}}"#)
    }

    @Test func changesInnerValuesFirst() throws {
        let value = try json(#"{"a":{"a":1}}"#)
        let wrapped = try JSONPath("$..a").mapping(value) { .array([$0]) }
        #expect(text(wrapped) == #"{"a":[{"a":[1]}]}"#)
    }

    @Test func mappingToNilRemovesTheValue() throws {
        let value = try json(#"[1,"a",2,"b"]"#)
        let numbers = try JSONPath("$[*]").mapping(value) { $0.stringValue == nil ? $0 : nil }
        #expect(text(numbers) == "[1,2]")
    }

    @Test(arguments: [
        ("$.a", #"{"a":1,"b":2}"#, #"{"a":0,"b":2}"#), ("$.c", #"{"a":1}"#, #"{"a":1,"c":0}"#), ("$", "[1]", "0"),
        ("$[*].x", #"[{"x":1},{},[],5]"#, #"[{"x":0},{"x":0},[],5]"#), ("$.a.b", "{}", "{}"), ("$.a", "[]", "[]"),
        ("$['a','b']", #"{"b":1}"#, #"{"b":0,"a":0}"#), ("$[1]", "[1,2]", "[1,0]"), ("$[5]", "[1,2]", "[1,2]"),
        ("$..a", #"{"a":{"a":1},"b":[{"a":2},{}]}"#, #"{"a":0,"b":[{"a":0},{}]}"#),
        ("$..x.y", #"{"x":{"x":{}}}"#, #"{"x":{"x":{"y":0},"y":0}}"#), ("$.*", #"{"a":1}"#, #"{"a":0}"#),
        ("$.a", #"{"a":1,"a":2}"#, #"{"a":1,"a":0}"#),
    ])
    func setsTheSelectedValuesAndAddsALastName(_ path: String, _ before: String, _ after: String) throws {
        #expect(try text(JSONPath(path).setting(.number(JSONNumber(0)), in: json(before))) == after)
    }
}
