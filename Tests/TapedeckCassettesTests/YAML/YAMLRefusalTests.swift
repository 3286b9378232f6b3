import TapedeckYAML
import Testing

@Suite
struct YAMLRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: String
        let description: String
        var testDescription: String { self.text.debugDescription }
    }

    /// A document on one line (⏎ is a line feed, ␍ a carriage return, ⇥ a tab), then line, column and message.
    private static let table = #"""
        key:value⏎other: 1⏎
            1:4 a space is missing after this ':': write 'key: value'
        a: 1⏎key:value⏎
            2:4 a space is missing after this ':': write 'key: value'
        a:⏎  key:value⏎  b: 1⏎
            2:6 a space is missing after this ':': write 'key: value'
        a: 1⏎b⏎
            2:1 expected ': ' after 'b': write 'key: value', or indent this line if it belongs to the text above
        a: 1⏎'b'⏎
            2:1 expected ': ' after ''b'': write 'key: value', or indent this line if it belongs to the text above
        'a':b⏎
            1:4 a space is missing after this ':'
        a: "open⏎b: 1⏎
            1:4 this quote is not closed: end the text with ", and indent its further lines
        a: 'open⏎
            1:4 this quote is not closed: end the text with ', and indent its further lines
        a: 'it's'⏎
            1:8 this text after the closing single quote is not part of it: write '' for a ' inside single quotes, or put the whole text in quotes
        a: "x" y⏎
            1:8 this text after the closing double quote is not part of it: write \" for a " inside double quotes, or put the whole text in quotes
        a: [1, 2⏎b: 3⏎
            2:1 the '[' on line 1 is not closed: add the missing ']', or indent this line by at least 1
        a: {b: 1⏎
            1:4 this '{' is not closed: add the missing '}'
        a: [1, 2}⏎
            1:9 expected ']' to close the '[' on line 1, found '}'
        a: ]⏎
            1:4 nothing is open that this ']' could close: remove it, or put the text in quotes
        a: [1,, 2]⏎
            1:7 a value is missing before this ','
        a: [1] b⏎
            1:8 this text after the closing ']' is not part of it: put the whole text in quotes, or remove the rest of the line
        a: {b:1}⏎
            1:6 a space is missing after this ':': write 'key: value'
        a: {"b" 1}⏎
            1:9 expected ',' or '}' here: separate the entries with ',', or put the text in quotes
        a: {{url.owner}}⏎
            1:4 a text cannot start with '{{' unless it is quoted: put it in quotes
        a: [{{x}}]⏎
            1:5 a text cannot start with '{{' unless it is quoted: put it in quotes
        a: [- b]⏎
            1:5 a '- ' list cannot stand inside [] or {}: remove the '-', or put the text in quotes
        a: [|⏎  b]⏎
            1:5 block text cannot stand inside [] or {}: put the text in quotes
        a: [b#, #c]⏎
            1:4 this '[' is not closed: add the missing ']'
        a: [b,#c]⏎
            1:7 a text cannot start with '#' here: put it in quotes
        a: b: c⏎
            1:5 mapping values are not allowed here: quote the text, or begin the mapping on a line of its own
        a: one⏎  two: 2⏎
            2:6 mapping values are not allowed here, inside the text that began on line 1: quote that text, or indent this line like the keys of its mapping
        about: text with: colon⏎
            1:17 mapping values are not allowed here: quote the text, or begin the mapping on a line of its own
        a: - b⏎
            1:4 a list cannot begin on the line of its key: begin it on the next line
        {a: b: c}⏎
            1:6 mapping values are not allowed here: quote the text, or begin the mapping on a line of its own
        a⏎b: 1⏎
            2:2 mapping values are not allowed here, inside the text that began on line 1: quote that text, or indent this line like the keys of its mapping
        http:⏎  http://x⏎  a: 1⏎
            3:4 mapping values are not allowed here, inside the text that began on line 2: quote that text, or indent this line like the keys of its mapping
        ⇥a: 1⏎
            1:1 a tab cannot indent a line: use spaces
        a:⏎⇥b: 1⏎
            2:1 a tab cannot indent a line: use spaces
        a:⏎  ⇥b: 1⏎
            2:3 a tab cannot indent a line: use spaces
        -⇥a: 1⏎
            1:2 a tab cannot indent a list or a mapping: use spaces
        a: 1⏎  b: 2⏎
            2:4 mapping values are not allowed here, inside the text that began on line 1: quote that text, or indent this line like the keys of its mapping
        a:⏎    b: 1⏎  c: 2⏎
            3:3 bad indentation: expected 0 or 4 spaces, found 2
        a: 'x'⏎ b: 1⏎
            2:2 bad indentation: expected 0 spaces, found 1
          a: 1⏎b: 2⏎
            2:1 bad indentation: expected 2 spaces, found 0
        - a⏎  - b: 1⏎
            2:6 mapping values are not allowed here, inside the text that began on line 1: quote that text, or indent this line like the keys of its mapping
        - a⏎b: 1⏎
            2:1 expected '- ' here, as in the items above: add it, or change the indentation of this line
        a: 1⏎- b⏎
            2:1 a list item cannot stand among the keys of a mapping: indent it under its key, or remove the '-'
        a: |⏎    x⏎  y⏎
            3:3 bad indentation: expected 0 or 4 spaces, found 2
        a: @b⏎
            1:4 a text cannot start with '@': put it in quotes
        a: `b`⏎
            1:4 a text cannot start with '`': put it in quotes
        a: %b⏎
            1:4 a text cannot start with '%': put it in quotes
        %TAG ! x⏎---⏎a⏎
            1:1 only a %YAML directive is allowed here: remove this line, or quote a text that starts with '%'
        %YAML 1.2⏎a: 1⏎
            1:1 a %YAML directive needs a line '---' after it
        a: *b⏎
            1:4 aliases are not supported in a cassette: write the value out, or quote a text that starts with '*'
        a: &b c⏎
            1:4 anchors are not supported in a cassette: write the value out, or quote a text that starts with '&'
        a: !b c⏎
            1:4 tags are not supported in a cassette: remove it, or quote a text that starts with '!'
        !!map {}⏎
            1:1 tags are not supported in a cassette: remove it, or quote a text that starts with '!'
        *a : b⏎
            1:1 aliases are not supported in a cassette: write the value out, or quote a text that starts with '*'
        <<: x⏎
            1:1 merge keys are not supported in a cassette: write the keys out
        {<<: x}⏎
            1:2 merge keys are not supported in a cassette: write the keys out
        ? a⏎: b⏎
            1:1 keys written with '? ' are not supported in a cassette: write 'key: value'
        : b⏎
            1:1 a key is missing before this ':': write 'key: value', or put the text in quotes
        {? a: b}⏎
            1:2 keys written with '? ' are not supported in a cassette: write 'key: value'
        [: b]⏎
            1:2 a key is missing before this ':': write 'key: value', or put the text in quotes
        [a]: b⏎
            1:1 a key must be a plain or quoted text, not a list or a mapping
        a: 1⏎{b: c}: d⏎
            2:1 a key must be a plain or quoted text, not a list or a mapping
        {[a]: b}⏎
            1:2 a key must be a plain or quoted text, not a list or a mapping
        a: ,b⏎
            1:4 a text cannot start with ',' here: put it in quotes
        a: 1⏎b: 2⏎"a": 3⏎
            3:1 the key 'a' is on line 1 of this mapping already: remove or rename one of them
        {a: 1, a: 2}⏎
            1:8 the key 'a' is on line 1 of this mapping already: remove or rename one of them
        a: 1⏎---⏎b: 2⏎
            2:1 a second document is not supported: keep one document in a file
        a⏎...⏎b⏎
            3:1 a second document is not supported: keep one document in a file
        --- a⏎--- b⏎
            2:1 a second document is not supported: keep one document in a file
        --- a: b⏎
            1:5 a mapping cannot begin on the line of '---': begin it on the next line
        --- - b⏎
            1:5 a list cannot begin on the line of '---': begin it on the next line
        a: |x⏎  b⏎
            1:5 after '|' only '-', '+' and one digit from 1 to 9 may stand on the line: begin the text on the next line, or quote a text that starts with '|'
        a: >0⏎  b⏎
            1:5 after '>' only '-', '+' and one digit from 1 to 9 may stand on the line: begin the text on the next line, or quote a text that starts with '>'
        a: |⏎     ⏎  b⏎
            2:1 this blank line has more spaces than the first line of its text: remove the spaces
        a: "\q"⏎
            1:5 unknown escape after '\': write \\ for a backslash, or use single quotes
        a: "\x4"⏎
            1:5 '\x' needs 2 hexadecimal digits of a character: correct them, or write \\ for a backslash
        a: "\ud800"⏎
            1:5 '\u' needs 4 hexadecimal digits of a character: correct them, or write \\ for a backslash
        a: "\U00110000"⏎
            1:5 '\U' needs 8 hexadecimal digits of a character: correct them, or write \\ for a backslash
        é: ü\#u{7}⏎
            1:5 the character U+0007 cannot be written as it is: write it as "\u0007" in double quotes
        a: b␍c: d⏎
            1:5 a carriage return alone does not end a line: end lines with LF or CRLF, or write "\r"
        a: \#u{FEFF}b⏎
            1:4 the character U+FEFF cannot be written as it is: write it as "\uFEFF" in double quotes
        a: \#u{80}⏎
            1:4 the character U+0080 cannot be written as it is: write it as "\u0080" in double quotes
        a: 'x'#c⏎
            1:7 a comment needs a space before its '#'
        "a⏎  b": c⏎
            1:1 a key must be on one line
        ["a⏎  b": c]⏎
            1:2 a key must be on one line
        [a⏎  b: c]⏎
            1:2 a key must be on one line
        a: 1⏎b: 2⏎   ⏎ c: 3⏎
            4:3 mapping values are not allowed here, inside the text that began on line 2: quote that text, or indent this line like the keys of its mapping
        'a' b⏎
            1:5 this text after the closing single quote is not part of it: write '' for a ' inside single quotes, or put the whole text in quotes
        ---⏎'a'⏎b⏎
            3:1 this line does not belong to the value above: remove it, or quote the text
        """#

    static let refusals: [Refusal] = {
        let lines = Self.table.split(separator: "\n")
        return stride(from: 0, to: lines.count, by: 2).map { index in
            var text = ""
            for character in lines[index].unicodeScalars {
                switch character {
                case "⏎": text += "\n"
                case "␍": text += "\r"
                case "⇥": text += "\t"
                default: text.unicodeScalars.append(character)
                }
            }
            return Refusal(text: text, description: String(lines[index + 1].drop { $0 == " " }))
        }
    }()

    private func error(_ bytes: [UInt8], limits: YAMLLimits = .init()) -> YAMLError? {
        do throws(YAMLError) {
            _ = try YAMLDocument(parsing: bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: YAMLRefusalTests.refusals)
    func reportsTheProblemAndItsPlace(_ refusal: Refusal) {
        let error = self.error(Array(refusal.text.utf8))
        #expect(error.map { "\($0.line):\($0.column) \($0.message)" } == refusal.description)
    }

    @Test func describesItselfOnOneLine() {
        let error = YAMLError(message: "what is wrong", line: 3, column: 7)
        #expect("\(error)" == "line 3, column 7: what is wrong")
    }

    @Test(
        arguments: [
            [0x61, 0x80], [0xC0, 0x80], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE, 0xFF, 0x00, 0x61], [0xE2, 0x82],
        ] as [[UInt8]]
    )
    func rejectsInvalidUTF8(_ bytes: [UInt8]) {
        let error = self.error(Array("a: é\nbé: ".utf8) + bytes)
        let column = bytes.first == 0x61 ? 6 : 5
        #expect(
            error
                == YAMLError(message: "this is not valid UTF-8: save the file as UTF-8", line: 2, column: column)
        )
    }

    @Test func rejectsInvalidBytesAtAnyOffset() throws {
        // Positions around the eight-byte words and the stretches of the line index.
        for offset in [0, 1, 7, 8, 9, 15, 16, 16_380, 16_383, 16_384, 16_385, 32_767, 32_768, 40_000] {
            var bytes = [UInt8](repeating: 0x0A, count: 40_001)
            bytes[offset] = 0x00
            #expect(self.error(bytes)?.line == offset + 1)
            bytes.replaceSubrange(offset..<min(offset + 4, bytes.count), with: Array("#😀".utf8))
            #expect(self.error(bytes) == nil)
        }
    }

    @Test func limitsTheSize() {
        let error = self.error(Array("a: bc\n".utf8), limits: YAMLLimits(maximumBytes: 5))
        #expect(error?.message == "the text has 6 bytes, and at most 5 are read: split it up")
        #expect(self.error(Array("a: b\n".utf8), limits: YAMLLimits(maximumBytes: 5)) == nil)
    }

    @Test(arguments: [("[", "]"), ("{a: ", "}"), ("- ", "\n"), ("[a: ", "]")])
    func limitsTheDepth(_ open: String, _ close: String) {
        let levels = open == "[a: " ? 32 : 64
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: open, count: count) + "x" + String(repeating: close, count: count)).utf8)
        }
        #expect(self.error(nested(levels)) == nil)
        #expect(
            self.error(nested(levels + 1))?.message
                == "nested more than 64 levels deep: make the document flatter"
        )
        #expect(self.error(nested(100_000)) != nil)
    }

    @Test func findsDuplicatesInLargeMappings() {
        var text = ""
        for key in 0..<1_000 {
            text += "key\(key): {x: y}\n"
        }
        #expect(self.error(Array(text.utf8)) == nil)
        text += "'key500': 1\n"
        #expect(self.error(Array(text.utf8))?.line == 1_001)
    }

    @Test func keysThatOnlyLookAlikeAreNotDuplicates() {
        #expect(self.error(Array("é: 1\ne\u{301}: 2\nÉ: 3\n".utf8)) == nil)
    }
}
