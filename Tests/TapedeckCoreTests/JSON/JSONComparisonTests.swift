import TapedeckCore
import Testing

@Suite
struct JSONComparisonTests {
    private func isSame(_ left: String, _ right: String, _ comparison: JSONComparison) throws -> Bool {
        try comparison.canonical(json(left)) == comparison.canonical(json(right))
    }

    @Test func isEqualForMembersInAnyOrder() throws {
        var generator = SeededRandom(seed: 21)
        for _ in 0..<300 {
            let value = try RandomJSON.distinct(depth: 4, using: &generator)
            let shuffled = value.shuffled(using: &generator)
            #expect(JSONComparison().canonical(shuffled) == JSONComparison().canonical(value))
            #expect(shuffled == value)
            let spaced = try JSONValue(parsing: shuffled.text(layout: .spacedLine))
            #expect(JSONComparison().canonical(spaced) == JSONComparison().canonical(value))
        }
    }

    @Test func isEqualJustForEqualValues() throws {
        var generator = SeededRandom(seed: 22)
        // Small, so that there are equal ones.
        let values = try (0..<120).map { _ in
            try json(RandomJSON.value(depth: 1, using: &generator).text(RandomJSON.Spacing()))
        }
        var equal = 0
        for left in values {
            for right in values {
                let isEqual = left == right
                if isEqual { equal += 1 }
                #expect((JSONComparison().canonical(left) == JSONComparison().canonical(right)) == isEqual)
            }
        }
        #expect(equal > values.count)
    }

    @Test func isEqualForItemsInAnyOrderWhenAsked() throws {
        var generator = SeededRandom(seed: 23)
        let comparison = JSONComparison(ignoresArrayOrder: true)
        for _ in 0..<300 {
            let value = try RandomJSON.distinct(depth: 4, using: &generator)
            let shuffled = value.shuffled(items: true, using: &generator)
            #expect(comparison.canonical(shuffled) == comparison.canonical(value))
        }
        #expect(try !self.isSame("[1,2]", "[2,1]", JSONComparison()))
        #expect(try !self.isSame("[1,1,2]", "[1,2,2]", comparison))
        #expect(try !self.isSame("[[1],[2]]", "[[1,2],[]]", comparison))
        #expect(try !self.isSame("[1,2]", "[12]", comparison))
    }

    @Test func skipsIgnoredPaths() throws {
        let comparison = try JSONComparison(ignoredPaths: [JSONPath("$.id"), JSONPath("$..at")])
        #expect(try self.isSame(#"{"id":1,"a":[{"at":5,"x":1}]}"#, #"{"a":[{"x":1}],"id":2}"#, comparison))
        #expect(try self.isSame(#"{"id":1,"a":1}"#, #"{"a":1}"#, comparison))
        #expect(try !self.isSame(#"{"id":1,"a":1}"#, #"{"id":1,"a":2}"#, comparison))
        #expect(try !self.isSame(#"{"a":{"id":1}}"#, #"{"a":{"id":2}}"#, comparison))
    }

    @Test func writesNumbersAndStringsInOneSpelling() throws {
        #expect(try self.isSame(#"{"a":1.0,"b":"\u00e9\/"}"#, #"{"b":"é/","a":10e-1}"#, JSONComparison()))
        #expect(try !self.isSame(#"{"a":"1"}"#, #"{"a":1}"#, JSONComparison()))
        #expect(try !self.isSame(#"["a,b"]"#, #"["a","b"]"#, JSONComparison()))
    }
}
