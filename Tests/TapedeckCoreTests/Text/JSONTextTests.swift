import TapedeckCore
import Testing

@Suite
struct JSONTextTests {
    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#), ("a\nb", #""a\nb""#),
        ("\r\t", #""\r\t""#), ("\r\n", #""\r\n""#), ("\u{0}\u{1F}", #""\u0000\u001F""#), ("\u{7F}é😀/", "\"\u{7F}é😀/\""),
        ("\u{8}\u{C}", #""\u0008\u000C""#),
    ])
    func escapesSpecialCharacters(_ text: String, _ json: String) {
        #expect(JSONText.string(text).compact == json)
    }

    @Test func writesEveryKindOfValue() {
        let value = JSONText.object([
            ("z", .int(-1)), ("a", .array([.bool(true), .bool(false), .null])), ("e", .array([])), ("o", .object([])),
        ])
        #expect(value.compact == #"{"z":-1,"a":[true,false,null],"e":[],"o":{}}"#)
        #expect(
            value.pretty == """
                {
                  "z": -1,
                  "a": [
                    true,
                    false,
                    null
                  ],
                  "e": [],
                  "o": {}
                }
                """
        )
    }

    @Test func keysAreEscapedToo() {
        #expect(JSONText.object([("a\"\n", .null)]).compact == #"{"a\"\n":null}"#)
    }

    @Test func anyTextIsWrittenAsValidJSON() throws {
        var generator = SeededRandom(seed: 7)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x300, using: &generator))
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let json = JSONText.array([.string(text), .object([(text, .string(text))])]).compact
            let readable = Array(json.utf8).withUnsafeBytes { JSONLayout.readable($0) }
            #expect(readable?.layout == .compact, "\(json)")
        }
    }

    @Test func equalityDependsOnTheOrderOfMembers() {
        let one = JSONText.object([("a", .int(1)), ("b", .int(2))])
        #expect(one == .object([("a", .int(1)), ("b", .int(2))]))
        #expect(one != .object([("b", .int(2)), ("a", .int(1))]))
        #expect(JSONText.int(1) != .string("1"))
    }
}
