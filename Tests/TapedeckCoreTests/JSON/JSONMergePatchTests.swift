import TapedeckCore
import Testing

@Suite
struct JSONMergePatchTests {
    /// RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func appliesTheExamplesOfTheStandard(_ before: String, _ patch: String, _ after: String) throws {
        #expect(try text(JSONMergePatch.apply(json(patch), to: json(before))) == after)
    }

    @Test func changesTheMemberOfANameThatCounts() throws {
        #expect(
            try text(JSONMergePatch.apply(json(#"{"a":9}"#), to: json(#"{"a":1,"b":2,"a":3}"#))) == #"{"b":2,"a":9}"#
        )
        #expect(try text(JSONMergePatch.apply(json(#"{"a":1,"a":null}"#), to: json(#"{"a":5}"#))) == "{}")
    }

    @Test func keepsTheOrderAndSpellingOfTheRest() throws {
        let before = try json(#"{"z":1.0,"y":{"b":1e2,"a":2},"x":[3]}"#)
        let after = try JSONMergePatch.apply(json(#"{"y":{"a":5}}"#), to: before)
        #expect(text(after) == #"{"z":1.0,"y":{"b":1e2,"a":5},"x":[3]}"#)
    }
}
