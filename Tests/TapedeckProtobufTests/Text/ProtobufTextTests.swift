import Testing

@testable import TapedeckProtobuf

@Suite struct ProtobufTextTests {
    @Test func fieldsOfEveryKindAreReadable() throws {
        let text = """
            1: "Hello \\"ada\\" ü\\n"
            2: 42
            2: -1
            3: { 1: fixed32 7, 2: "x" }
            4: {
              1: "a text that is too long for one line, so that the braces stand on lines of their own"
              2: { 1: double 1.5, 2: float -0.25 }
            }
            5: fixed64 18446744073709551615
            6: hex "08ff00"
            7: group {
              1: group { 1: 1 }
            }
            8: ""

            """
        let bytes = try ProtobufText.bytes(of: text)
        #expect(ProtobufText.text(of: bytes) == text)
    }

    @Test func textWrittenByHandMayHaveAnyLayout() throws {
        let bytes: [UInt8] = [0x08, 0x01, 0x12, 0x01, 0x61, 0x1A, 0x02, 0x08, 0x02]
        let texts = [
            "1:1 2:\"a\" 3:{1:2}", "# all\n1: 1, 2: \"\\u0061\",\n\t3: { 1: 2, } # end",
            "1: 1\r\n2: \"a\"\r\n3: {\r\n1: 2\r\n}",
        ]
        for text in texts {
            #expect(try ProtobufText.bytes(of: text) == bytes, "\(text)")
        }
    }

    @Test func aMessageThatTextCannotRestoreHasNoText() {
        // A varint, a tag and a length that are longer than they must be.
        #expect(ProtobufText.text(of: [0x08, 0x81, 0x00]) == nil)
        #expect(ProtobufText.text(of: [0x88, 0x00, 0x01]) == nil)
        #expect(ProtobufText.text(of: [0x0A, 0x81, 0x00, 0x61]) == nil)
        #expect(ProtobufText.text(of: []) == "")
    }

    @Test func aNestedMessageThatTextCannotRestoreIsHex() {
        #expect(ProtobufText.text(of: [0x0A, 0x03, 0x08, 0x81, 0x00]) == "1: hex \"088100\"\n")
    }

    @Test func messagesAreNestedAHundredLevelsDeepAndThenHex() throws {
        var bytes: [UInt8] = [0x08, 0x01]
        for _ in 0..<120 { bytes = ProtobufMessage(fields: [.init(1, .bytes(bytes))]).bytes }
        let text = try #require(ProtobufText.text(of: bytes))
        #expect(text.contains("1: hex \""))
        #expect(try ProtobufText.bytes(of: text) == bytes)
    }

    @Test(arguments: [
        ("1 2", 1, 3, "expected a colon after the field number, as in 1: \"text\""),
        ("x: 2", 1, 1, "expected a field number from 1 to 536870911"),
        ("0: 2", 1, 1, "expected a field number from 1 to 536870911"),
        ("1: ", 1, 4, "expected a value, such as \"text\", 42 or { 1: 7 }"),
        ("1: 2\n2: \"ü", 2, 4, "unterminated string; write a line feed as \\n"),
        ("1: \"ü\\x\"", 1, 6, "JSON has no such escape; use the escapes of JSON, or hex \"…\" for bytes"),
        ("1: 18446744073709551616", 1, 4, "18446744073709551616 does not fit into 64 bits"),
        ("1: 1.5", 1, 4, "a fractional number needs a type: float 1.5 or double 1.5"),
        ("1: fixed33 5", 1, 4, "unknown value fixed33; did you mean fixed32?"),
        ("1: hello", 1, 4, "unknown value hello; put text in quotation marks, and messages in braces"),
        ("1: fixed32 4294967296", 1, 12, "expected a 32-bit integer after fixed32"),
        ("1: hex \"abc\"", 1, 8, "expected pairs of hex digits in quotation marks after hex"),
        ("1: group 5", 1, 10, "expected fields in braces after group"),
        ("1: {\n  2: 3\n", 1, 4, "unclosed brace"),
        ("1: 2 }", 1, 6, "unmatched closing brace; remove it"),
        ("1: \"a\"2: 3", 1, 7, "expected white space or a comma between fields"),
    ])
    func anErrorHasAPositionAndARemedy(_ text: String, _ line: Int, _ column: Int, _ message: String) {
        #expect(throws: ProtobufTextError(message: message, line: line, column: column)) {
            try ProtobufText.bytes(of: text)
        }
    }

    @Test func noNestingExhaustsTheStack() {
        let text = String(repeating: "1: {", count: 200_000)
        #expect(throws: ProtobufTextError.self) { try ProtobufText.bytes(of: text) }
    }
}
