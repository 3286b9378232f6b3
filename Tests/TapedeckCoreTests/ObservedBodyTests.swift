import TapedeckCore
import Testing

@Suite
struct ObservedBodyTests {
    /// Whether a set with the condition answers a request with the body.
    private func matches(_ condition: BodyMatcher, _ body: ObservedBody) throws -> Bool {
        let url = "https://example.com/a"
        let tape = Tape([Samples.cassette([try Samples.set("a", "POST", url, body: condition)])])
        return tape.match(try Samples.key("POST", url), body: body) != nil
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
            (#"{"a":1,"b":"xy"}"#, false), (#"{"b":"x y","a":1}"#, false), (#"{"a":1.0,"b":"x y"}"#, false),
            (#"{"a":1}"#, false), ("", false),
        ]
    )
    func jsonMeansTheSameButForWhiteSpaceBetweenTokens(_ body: String, _ matches: Bool) throws {
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

    @Test func saysInAFewWordsWhatIsAskedFor() {
        #expect(Samples.text("four").summary == "a body of 4 bytes")
        #expect(Samples.json("{}").summary == "another JSON body")
        #expect(BodyMatcher.sha256("0123456789abcdef").summary == "a body with SHA-256 0123456789ab…")
    }
}
