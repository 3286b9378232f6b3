import TapedeckCore
import Testing

@Suite
struct JSONExpectationTests {
    private func matches(
        _ expected: String,
        _ value: String,
        ignoring paths: [String] = [],
        anyOrder: Bool = false,
        subset: Bool = false
    ) throws -> Bool {
        let comparison = JSONComparison(ignoredPaths: try paths.map { try JSONPath($0) }, ignoresArrayOrder: anyOrder)
        let expectation = JSONExpectation(try json(expected), comparison: comparison, isSubset: subset)
        let matches = expectation.matches(try json(value))
        #expect(expectation.differences(try json(value), limit: 5).isEmpty == matches)
        return matches
    }

    @Test(arguments: [
        ("any.uuid", #""123e4567-e89b-12d3-A456-426614174000""#, true), ("any.uuid", #""123e4567""#, false),
        ("any.uuid", #""123e4567-e89b-12d3-a456-426614174000x""#, false), ("any.uuid", "5", false),
        ("any.uuid", #""123e4567-e89b-12d3-a456-42661417400g""#, false),
        ("any.timestamp", #""2026-11-21T10:00:00Z""#, true),
        ("any.timestamp", #""2026-11-21 10:00:00.123+01:00""#, true),
        ("any.timestamp", #""2024-02-29t23:59:60z""#, true), ("any.timestamp", #""2026-02-29T10:00:00Z""#, false),
        ("any.timestamp", #""2026-13-01T10:00:00Z""#, false), ("any.timestamp", #""2026-11-21T24:00:00Z""#, false),
        ("any.timestamp", #""2026-11-21T10:00:00""#, false), ("any.timestamp", #""2026-11-21T10:00:00.Z""#, false),
        ("any.timestamp", #""Sun, 06 Nov 1994 08:49:37 GMT""#, true),
        ("any.timestamp", #""Sunday, 06-Nov-94 08:49:37 GMT""#, true),
        ("any.timestamp", #""Sun Nov  6 08:49:37 1994""#, true),
        ("any.timestamp", #""Sun Nov 16 08:49:37 1994""#, true),
        ("any.timestamp", #""Sun, 06 Nov 1994""#, false), ("any.timestamp", "1763719200", true),
        ("any.timestamp", "1763719200123", true), ("any.timestamp", "1763719200.5", true),
        ("any.timestamp", "17", false), ("any.timestamp", "-1763719200", false), ("any.timestamp", "1e15", false),
        ("any.timestamp", #""1763719200""#, true), ("any.timestamp", #""1763719200.25""#, true),
        ("any.timestamp", #""1763719200.""#, false), ("any.timestamp", #""17""#, false),
        ("any.timestamp", "true", false),
        ("any.number", "-1.5e3", true), ("any.number", #""1""#, false), ("any.number", "null", false),
        ("any.string", #""""#, true), ("any.string", "1", false), ("any.boolean", "false", true),
        ("any.boolean", #""true""#, false), ("any.boolean", "0", false), ("any", "null", true), ("any", "[{}]", true),
        (" any.number ", "5", true),
    ])
    func aPlaceholderMatchesAnyValueOfItsKind(_ name: String, _ value: String, _ isMatch: Bool) throws {
        #expect(try self.matches(#"{"a":["{{\#(name)}}"]}"#, #"{"a":[\#(value)]}"#) == isMatch)
        let isSubsetMatch = try self.matches(#"{"a":["{{\#(name)}}"]}"#, #"{"b":1,"a":[[],\#(value)]}"#, subset: true)
        #expect(isSubsetMatch == (isMatch || name == "any"))
    }

    @Test(arguments: [
        ("order-{{any.uuid}}", "order-123e4567-e89b-12d3-a456-426614174000", true),
        ("order-{{any.uuid}}", "order-7", false),
        ("order-{{any.uuid}}!", "order-123e4567-e89b-12d3-a456-426614174000", false),
        ("{{any.number}} of {{any.number}}", "3 of -1.5e2", true),
        ("{{any.number}} of {{any.number}}", "x of 3", false),
        ("{{any.number}}{{any.number}}", "12", true), ("{{any.number}}{{any.number}}", "1", false),
        ("{{any.number}}.", "12.", true), ("{{any.number}}e", "12e", true), ("{{any.number}}5", "0.25", true),
        ("{{any.number}}1", "01", true), ("{{any.number}}", "01", false), ("-{{any.number}}", "--1", true),
        ("at {{any.timestamp}}!", "at 2026-11-21T10:00:00.5Z!", true),
        ("at {{any.timestamp}}ms", "at 1763719200123ms", true), ("at {{any.timestamp}}", "at 12", false),
        ("{{any.timestamp}}/{{any.timestamp}}", "Sun, 06 Nov 1994 08:49:37 GMT/1763719200", true),
        ("a{{any}}b{{any.string}}c", "abbbc", true), ("a{{any}}b{{any.string}}c", "ab", false),
        ("a{{any}}", "a", true), ("{{any}}{{any}}x", "é日x", true), ("is {{any.boolean}}", "is true", true),
        ("is {{any.boolean}}", "is truefalse", false), ("{{x}}{{any.number}}", "{{x}}5", true),
        ("{{{any.number}}}", "{5}", true), ("{{any.boolean}}{{any.boolean}}", "falsetrue", true),
    ])
    func aPlaceholderMatchesPartOfAString(_ expected: String, _ value: String, _ isMatch: Bool) throws {
        // A placeholder alone is about the value, not its text.
        guard expected != "{{any.number}}" else { return }
        #expect(try self.matches("\"\(expected)\"", "\"\(value)\"") == isMatch)
    }

    @Test func knowsWhetherPlaceholdersAffectMatching() throws {
        #expect(try JSONExpectation(json(#"[{"a":"x{{any}}"}]"#)).hasPlaceholders)
        #expect(try !JSONExpectation(json(#"{"a":"{{name}}","{{any}}":1}"#)).hasPlaceholders)
        let ignoring = try JSONComparison(ignoredPaths: [JSONPath("$.a")])
        #expect(try !JSONExpectation(json(#"{"a":"{{any}}"}"#), comparison: ignoring).hasPlaceholders)
    }

    @Test func namesWhatOnlyLooksLikeAPlaceholder() throws {
        let value = try json(
            #"{"a":["{{any.uid}}","x {{any.UUID}} {{any.uuid}}"],"b":"{{ any.uid }}{{any.uid}}{{url}}"}"#
        )
        #expect(JSONExpectation.unknownPlaceholders(in: value) == ["{{any.uid}}", "{{any.UUID}}", "{{ any.uid }}"])
        #expect(JSONExpectation.placeholders.contains("{{any.uuid}}"))
        for known in JSONExpectation.placeholders {
            #expect(JSONExpectation.unknownPlaceholders(in: .string(known)).isEmpty)
            #expect(JSONExpectation(.string(known)).hasPlaceholders)
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, true), (#"{"a":1,"b":2}"#, #"{"a":1}"#, false), ("{}", #"{"a":1}"#, true),
        ("{}", "[]", false), (#"{"a":{"b":1}}"#, #"{"a":{"b":1,"c":2},"d":3}"#, true), ("[]", "[1,2]", true),
        ("[2,1]", "[1,3,2]", true), ("[1,1]", "[1,2]", false), ("[1,1]", "[1,2,1]", true), ("[1]", "[]", false),
        (#"[{"a":1},{"b":2}]"#, #"[{"b":2,"a":0},{"a":1}]"#, true), (#"{"a":null}"#, "{}", false),
        // The first can have either, so it must leave the second its only one.
        (#"[{"a":1},{"a":1,"b":2}]"#, #"[{"a":1,"b":2},{"a":1}]"#, true), ("[[1],[1,2]]", "[[1,2],[1,3]]", true),
        (#"[{"a":1},{"a":1,"b":2}]"#, #"[{"a":1,"b":2},{"a":2}]"#, false), ("1", "1.0", true), ("1", "2", false),
        (#"["{{any.number}}",1]"#, "[1,2]", true), (#"["{{any.number}}",1]"#, #"[1,"x"]"#, false),
        (#"["{{any}}","{{any.string}}","{{any.number}}"]"#, #"["x",1,"y"]"#, true),
        (#"["{{any}}","{{any.string}}","{{any.number}}"]"#, #"[null,1,"y"]"#, true),
        (#"["{{any}}","{{any.string}}","{{any.number}}"]"#, #"[null,1,true]"#, false),
    ])
    func matchesMoreThanASubset(_ expected: String, _ value: String, _ isMatch: Bool) throws {
        #expect(try self.matches(expected, value, subset: true) == isMatch)
    }

    @Test(arguments: [
        (#"[1,"{{any.number}}"]"#, "[2,1]", true), (#"[1,"{{any.number}}"]"#, #"["1",1]"#, false),
        (#"["{{any.number}}",{"a":[1,2]}]"#, #"[{"a":[2,1]},7]"#, true), ("[1,2]", "[2,1,1]", false),
        ("[[1,2],[3]]", "[[3],[2,1]]", true), (#"[{"a":1}]"#, #"[{"a":1,"b":1}]"#, false),
        ("[1,1,2]", "[1,2,2]", false),
    ])
    func matchesItemsInAnyOrder(_ expected: String, _ value: String, _ isMatch: Bool) throws {
        #expect(try self.matches(expected, value, anyOrder: true) == isMatch)
    }

    @Test func skipsIgnoredPaths() throws {
        #expect(try self.matches(#"{"id":1,"a":"{{any}}"}"#, #"{"a":5,"id":2}"#, ignoring: ["$.id"]))
        #expect(try self.matches(#"{"a":1}"#, #"{"a":1,"id":2}"#, ignoring: ["$.id"]))
        #expect(try self.matches(#"{"a":1,"id":1}"#, #"{"a":1}"#, ignoring: ["$.id"]))
        #expect(try self.matches(#"{"id":{"x":1},"a":1}"#, #"{"a":1,"b":1}"#, ignoring: ["$.id"], subset: true))
    }

    @Test func theLastOfDuplicateMembersIsMatched() throws {
        #expect(try self.matches(#"{"a":"{{any.string}}","a":1}"#, #"{"a":2,"a":1}"#))
        #expect(try !self.matches(#"{"a":1,"a":"{{any.string}}"}"#, #"{"a":"x","a":1}"#))
    }

    @Test func matchesItselfAndDiffersOnlyWhereMatchingFails() throws {
        var generator = SeededRandom(seed: 31)
        let placeholders = JSONExpectation.placeholders
        for _ in 0..<300 {
            var value = try json(RandomJSON.value(depth: 3, using: &generator).text(RandomJSON.Spacing()))
            let path = try JSONPath("$..[0,'a','']")
            if Bool.random(using: &generator) {
                value = path.mapping(value) { _ in .string(placeholders.randomElement(using: &generator) ?? "") }
            }
            let other = path.mapping(value) { old in
                Bool.random(using: &generator)
                    ? old : [.null, .bool(true), .string("x"), nil].randomElement(using: &generator) ?? nil
            }
            for (anyOrder, isSubset) in [(false, false), (true, false), (false, true)] {
                let comparison = JSONComparison(ignoresArrayOrder: anyOrder)
                let expectation = JSONExpectation(value, comparison: comparison, isSubset: isSubset)
                #expect(expectation.matches(value))
                #expect(expectation.differences(value, limit: 3).isEmpty)
                let shuffled = value.withDistinctNames.shuffled(items: anyOrder || isSubset, using: &generator)
                let distinct = JSONExpectation(value.withDistinctNames, comparison: comparison, isSubset: isSubset)
                #expect(distinct.matches(shuffled))
                let matches = expectation.matches(other)
                #expect(expectation.differences(other, limit: 1).isEmpty == matches)
                #expect(expectation.differences(other, limit: 99).isEmpty == matches)
                if !expectation.hasPlaceholders, !isSubset {
                    #expect((comparison.canonical(value) == comparison.canonical(other)) == matches)
                }
            }
        }
    }
}
