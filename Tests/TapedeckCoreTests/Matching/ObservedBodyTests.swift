import TapedeckCore
import Testing

@Suite
struct ObservedBodyTests {
    /// Returns true if a set with the condition answers a request with the body.
    private func matches(_ condition: BodyMatcher, _ body: ObservedBody) throws -> Bool {
        let url = "https://example.com/a"
        let tape = Tape([Samples.cassette([try Samples.set("a", "POST", url, body: condition)])])
        return tape.match(MatchRequest(try Samples.key("POST", url), body: body)) != nil
    }

    @Test func bytesMeansTheSameBytes() throws {
        #expect(try self.matches(Samples.text("a b"), Samples.body("a b")))
        #expect(try !self.matches(Samples.text("a b"), Samples.body("a b ")))
        #expect(try !self.matches(Samples.text("a b"), Samples.body("")))
        #expect(try self.matches(Samples.text(""), Samples.body("")))
    }

    @Test func aConditionWithALayoutMeansTheBytesOfThatLayout() throws {
        let body = InlineBody(form: .json, content: Array("{\n  \"a\": 1\n}\n".utf8), layout: .compact)
        #expect(try self.matches(BodyMatcher.bytes(body), Samples.body(#"{"a":1}"#)))
        #expect(try !self.matches(BodyMatcher.bytes(body), Samples.body(#"{"a": 1}"#)))
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":"x y"}"#, true), ("{\n \"a\" : 1 ,\t\"b\":\"x y\" }\r\n", true),
            (#"{"a":1,"b":"xy"}"#, false), (#"{"b":"x y","a":1}"#, true), (#"{"a":1.0,"b":"x\u0020y"}"#, true),
            (#"{"a":1}"#, false), (#"{"a":"1","b":"x y"}"#, false), ("", false),
        ]
    )
    func jsonMatchesAnySpellingOfTheSameValue(_ body: String, _ matches: Bool) throws {
        let condition = Samples.json(#"{"a": 1, "b": "x y"}"#)
        #expect(try self.matches(condition, Samples.body(body)) == matches)
    }

    @Test func aBodyTooLargeToKeepIsKnownByItsDigest() throws {
        let large = ObservedBody(bytes: nil, sha256: "abc")
        #expect(try self.matches(BodyMatcher.sha256("abc"), large))
        #expect(try !self.matches(BodyMatcher.sha256("abd"), large))
        #expect(try !self.matches(Samples.text(""), large))
        #expect(try !self.matches(Samples.json("{}"), large))
    }

    @Test func theEmptyBodyKnowsItsDigest() throws {
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(try self.matches(.sha256(digest), .empty))
        #expect(try self.matches(Samples.text(""), .empty))
    }
}
