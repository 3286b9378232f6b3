import TapedeckCore
import TestShare
import Testing

@Suite
struct JSONLayoutTests {
    private static let spacings: [JSONLayout: RandomJSON.Spacing] = [
        .compact: .init(),
        .compactLine: .init(atEnd: "\n"),
        .spaced: .init(afterComma: " ", afterColon: " "),
        .spacedLine: .init(afterComma: " ", afterColon: " ", atEnd: "\n"),
    ]

    private func readable(_ json: String) -> (text: String, layout: JSONLayout)? {
        Array(json.utf8).withUnsafeBytes { JSONLayout.readable($0) }
            .map { (String(decoding: $0.text, as: UTF8.self), $0.layout) }
    }

    private func apply(_ layout: JSONLayout, _ json: String) -> String {
        String(decoding: Array(json.utf8).withUnsafeBytes { layout.apply(to: $0) }, as: UTF8.self)
    }

    @Test(arguments: JSONLayout.allCases, seeds(2))
    func aReadableBodyIsRestoredByteForByte(_ layout: JSONLayout, seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let spacing = try #require(Self.spacings[layout])
        for _ in 0..<1_500 {
            let value = RandomJSON.value(depth: 5, using: &generator)
            let json = value.text(spacing) + spacing.atEnd
            let found = try #require(self.readable(json), "\(json)")
            #expect(self.apply(found.layout, found.text) == json)
            #expect(found.text.hasSuffix("\n"))
            #expect(self.apply(.compact, found.text) == value.text(.init()))
        }
    }

    @Test(
        "anything else is left as it came, or comes back exactly",
        arguments: seeds(3)
    )
    func neverRestoresDifferentBytes(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let spaces = ["", "", "", " ", "\n", "\t", "\r\n", "  "]
        var kept = 0
        for _ in 0..<2_000 {
            let value = RandomJSON.value(depth: 3, using: &generator)
            let spacing = RandomJSON.Spacing(
                afterComma: spaces.randomElement(using: &generator) ?? "",
                afterColon: spaces.randomElement(using: &generator) ?? "",
                atEnd: spaces.randomElement(using: &generator) ?? ""
            )
            let json = value.text(spacing) + spacing.atEnd
            if let found = self.readable(json) {
                kept += 1
                #expect(self.apply(found.layout, found.text) == json)
            }
        }
        #expect(kept > 100)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[true,null]}"#, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ]\n}\n", JSONLayout.compact),
        ("{}", "{}\n", .compact), ("[]\n", "[]\n", .compactLine), ("\"x\"", "\"x\"\n", .compact),
        ("[{}, []]", "[\n  {},\n  []\n]\n", .spaced), ("{\"a\": 1}\n", "{\n  \"a\": 1\n}\n", .spacedLine),
        ("[{\"a\":{}}]", "[\n  {\n    \"a\": {}\n  }\n]\n", .compact),
    ])
    func writesTwoSpacesALevel(_ json: String, _ text: String, _ layout: JSONLayout) throws {
        let found = try #require(self.readable(json))
        #expect(found.text == text)
        #expect(found.layout == layout)
    }

    @Test(arguments: [
        #"{"a":1,"a":2,"a":1}"#, #"[1.0,1.00,1e2,1E2,1e+2,-0,100000000000000000000000000]"#,
        #"["\u00e9","é","\/","/","\u0041"]"#,
    ])
    func keepsDuplicatesAndSpellings(_ json: String) throws {
        let found = try #require(self.readable(json))
        #expect(self.apply(.compact, found.text) == json)
    }

    @Test(arguments: [
        "", " ", "\n", "{", "}", "[", "]", "{]", "[}", "[1,]", "[,1]", "[,]", "{,}", "{\"a\":1,}", "{\"a\"}",
        "{\"a\":}", "{a:1}", "{1:2}", "{\"a\":1 \"b\":2}", "[1 2]", "1 2", "[1][2]", "{}{}", "nul", "True", "nulll",
        "NaN", "Infinity", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "1_000", "--1", "'a'", "\"", "\"a",
        "\"a\n\"",
        "\"\t\"", "\"\u{0}\"", "[\"a]", "[1]//x", "/**/1", "[1;2]", "\u{FEFF}[]", "undefined", "[truefalse]",
    ])
    func rejectsInvalidJSON(_ json: String) {
        #expect(self.readable(json) == nil)
    }

    /// RFC 8259 section 7.
    @Test(arguments: [#""\""#, #""\x""#, #""\u12""#, #"["\u12G4"]"#, #"["\'"]"#, #"{"\a":1}"#])
    func refusesStringsThatAreNotClosedOrHoldAnUnknownEscape(_ json: String) {
        #expect(self.readable(json) == nil)
    }

    @Test func refusesBytesThatAreNotUTF8() {
        for bytes: [UInt8] in [[0x22, 0xE9, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF], [0x22, 0xC0, 0x80, 0x22]] {
            #expect(bytes.withUnsafeBytes { JSONLayout.readable($0) } == nil)
        }
    }

    @Test(arguments: [
        "{ \"a\":1}", "{\"a\" : 1}", "[1 ,2]", "[1,  2]", "{\"a\": 1,\"b\": 2}", "{\"a\":1, \"b\":2}", "[1,\n2]",
        " []", "[] ", "[]\n\n", "[]\r\n", "{\n  \"a\": 1\n}", "[ ]", "{\"a\":\t1}",
    ])
    func leavesOtherWhiteSpaceAlone(_ json: String) {
        #expect(self.readable(json) == nil)
    }

    @Test func endlessNestingIsRefused() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(self.readable(nested(512)) != nil)
        #expect(self.readable(nested(513)) == nil)
        #expect(self.readable(nested(100_000)) == nil)
        #expect(self.readable(String(repeating: "{\"a\":", count: 100_000)) == nil)
    }

    @Test(arguments: [
        (JSONLayout.compact, #"{"a, b: c":[1,2]}"#), (.compactLine, "{\"a, b: c\":[1,2]}\n"),
        (.spaced, #"{"a, b: c": [1, 2]}"#), (.spacedLine, "{\"a, b: c\": [1, 2]}\n"),
    ])
    func appliesToHandWrittenJSONWithAnyWhiteSpace(_ layout: JSONLayout, _ expected: String) {
        #expect(self.apply(layout, "\n{ \"a, b: c\"\t:\r\n [1 , 2 ]\n}  \n") == expected)
    }

    @Test func survivesEveryPrefixAndEveryByte() {
        let json = Array(#"{"a\"b":[1.5e3,"\\",{"c":null}],"d":"\u00e9"}"#.utf8)
        for end in 0...json.count {
            let readable = json[..<end].withUnsafeBytes { JSONLayout.readable($0) }
            #expect((readable != nil) == (end == json.count))
        }
        for index in json.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = json
                changed[index] = byte
                guard let found = changed.withUnsafeBytes({ JSONLayout.readable($0) }) else { continue }
                #expect(found.text.withUnsafeBytes { found.layout.apply(to: $0) } == changed)
            }
        }
    }
}
