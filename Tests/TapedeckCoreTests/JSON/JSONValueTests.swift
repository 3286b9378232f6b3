import TapedeckCore
import Testing

@Suite
struct JSONValueTests {
    @Test func readsEveryKindOfValue() throws {
        let value = try json(#" { "a" : [ 1 , -2.50e+3 , true , false , null ] , "b" : { } , "c":[],"d":"x" } "#)
        let numbers = try [#require(JSONNumber("1")), #require(JSONNumber("-2.50e+3"))].map(JSONValue.number)
        #expect(
            value
                == .object([
                    JSONMember(name: "a", value: .array(numbers + [.bool(true), .bool(false), .null])),
                    JSONMember(name: "b", value: .object([])), JSONMember(name: "c", value: .array([])),
                    JSONMember(name: "d", value: .string("x")),
                ])
        )
        #expect(text(value) == #"{"a":[1,-2.50e+3,true,false,null],"b":{},"c":[],"d":"x"}"#)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u65E5""#, "é日"), (#""\uD83D\uDE00!""#, "😀!"),
        (#""a\u0000b""#, "a\u{0}b"), ("\"é日😀\u{7F}\"", "é日😀\u{7F}"), (#""""#, ""), (#""é\n日""#, "é\n日"),
        (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        // A lone surrogate is not a character.
        (#""a\uD83Db""#, "a\u{FFFD}b"), (#""\uDE00\uD83D""#, "\u{FFFD}\u{FFFD}"),
        (#""\uD83D\n""#, "\u{FFFD}\n"), (#""\uD83D\u0041""#, "\u{FFFD}A"),
    ])
    func undoesEscapes(_ json: String, _ expected: String) throws {
        let value = try JSONValue(parsing: Array(json.utf8))
        #expect(try Array(#require(value.stringValue).utf8) == Array(expected.utf8))
    }

    @Test(arguments: [
        ("", 1, 1), ("  ", 1, 3), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("{\"a\":1,}", 1, 8), ("{\"a\" 1}", 1, 6),
        ("{a:1}", 1, 2), ("{\n  \"é\": nul}", 2, 8), ("[01]", 1, 2), ("-", 1, 1), ("[1.]", 1, 2), ("[1e]", 1, 2),
        ("+1", 1, 1), (".5", 1, 1), ("NaN", 1, 1), ("\"abc", 1, 1), ("\"a\nb\"", 1, 3), ("\"a\\x\"", 1, 3),
        ("\"\\u12G4\"", 1, 2), ("\"\\", 1, 2), ("true false", 1, 6), ("[", 1, 2), ("{\"a\":1", 1, 7), ("]", 1, 1),
        ("'a'", 1, 1), ("[\"\t\"]", 1, 3), ("1e1234567890123456789", 1, 1), ("tru", 1, 1), ("\u{A0}1", 1, 1),
        ("\"\\n\u{1}\"", 1, 4), ("// c\n1", 1, 1),
    ])
    func reportsTheLineAndColumnOfInvalidJSON(_ text: String, _ line: Int, _ column: Int) throws {
        let error = try #require(throws: JSONError.self) { try json(text) }
        #expect([error.line, error.column] == [line, column], "\(error)")
        #expect("\(error)" == "line \(line), column \(column): \(error.message)")
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x5C, 0x6E, 0xED, 0xA0, 0x80, 0x22], [0x5B, 0x80, 0x5D],
    ])
    func rejectsInvalidUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test func skipsAByteOrderMark() throws {
        #expect(try json("\u{FEFF}[1]") == json("[1]"))
    }

    @Test func readsListsInListsUpToALimit() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try text(json(nested(512))) == nested(512))
        let error = try #require(throws: JSONError.self) { try json(nested(513)) }
        #expect(error.offset == 512)
        #expect(throws: JSONError.self) { try json(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test func isTheSameAfterItWasWritten() throws {
        var generator = SeededRandom(seed: 11)
        for _ in 0..<300 {
            let source = RandomJSON.value(depth: 4, using: &generator)
            let spaced = RandomJSON.Spacing(afterComma: " ", afterColon: "\n\t", atEnd: "\r\n")
            let value = try json(source.text(spaced))
            #expect(try json(text(value)) == value)
            #expect(try text(json(text(value))) == text(value))
            for layout in JSONLayout.allCases {
                #expect(try JSONValue(parsing: value.text(layout: layout)) == value)
            }
        }
    }

    @Test func writesInALayout() throws {
        let value = try json(#"{"a":[1,2],"b":", :"}"#)
        #expect(String(decoding: value.text(layout: .spacedLine), as: UTF8.self) == "{\"a\": [1, 2], \"b\": \", :\"}\n")
    }

    @Test func writesOverSeveralLines() throws {
        let value = try json(#"{"a":[1.0,{"b":"é\n"}],"c":{},"d":[]}"#)
        #expect(
            String(decoding: value.prettyText, as: UTF8.self) == #"""
                {
                  "a": [
                    1.0,
                    {
                      "b": "é\n"
                    }
                  ],
                  "c": {},
                  "d": []
                }
                """#
        )
        #expect(JSONValue.null.prettyText == Array("null".utf8))
        #expect(try JSONValue(parsing: value.prettyText) == value)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[true]}"#, #"{"b":[true],"a":1.0}"#, true), (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), (#"{"a":1,"a":2}"#, #"{"a":1}"#, false),
        (#"{"a":1,"b":0,"a":2}"#, #"{"a":3,"b":0,"a":2}"#, true), (#"{"a":1,"b":2}"#, #"{"a":1,"a":1}"#, false),
        ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false), (#""1""#, "1", false), ("null", "false", false),
        (#"{"a":null}"#, "{}", false), (#""\u00e9""#, #""é""#, true),
        // Two spellings of é that Swift takes for the same text.
        (#""\u00e9""#, #""e\u0301""#, false), (#"{"\u00e9":1}"#, #"{"e\u0301":1}"#, false),
        (
            #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"i":1}"#,
            #"{"i":1,"h":8,"g":7,"f":6,"e":5,"d":4,"c":3,"b":2,"a":1}"#, true
        ),
    ])
    func isEqualForTheSameMeaning(_ left: String, _ right: String, _ isEqual: Bool) throws {
        #expect(try (json(left) == json(right)) == isEqual)
        #expect(try (json(right) == json(left)) == isEqual)
        let comparison = JSONComparison()
        #expect(try (comparison.canonical(json(left)) == comparison.canonical(json(right))) == isEqual)
    }

    @Test func comparesDeepValuesInLinearTime() throws {
        // Comparing twice at each level would take 2 to the power of 500 steps.
        let deep = { (last: String) in
            try json(String(repeating: "{\"b\":0,\"a\":", count: 500) + last + String(repeating: "}", count: 500))
        }
        #expect(try deep("1") != deep("2"))
        #expect(try deep("1") == deep("1.0"))
    }

    @Test func givesTheLastMemberOfAName() throws {
        let value = try json(#"{"a":1,"b":2,"a":3}"#)
        #expect(value["a"] == .number(JSONNumber(3)))
        #expect(value["c"] == nil)
        #expect(JSONValue.array([])["a"] == nil)
    }
}
