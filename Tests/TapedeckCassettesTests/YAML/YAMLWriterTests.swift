import TapedeckCore
import TapedeckYAML
import TestShare
import Testing
import Yams

@Suite
struct YAMLWriterTests {
    /// Texts that lose their type or their bytes unless they are written with care.
    static let awkward: [String] = [
        "", " ", "  ", "~", "null", "Null", "NULL", "true", "False", "yes", "No", "on", "OFF", "y", "N", "1e3",
        "12:30:45", "0o7", "0x1F", "1_000", "1", "-1", "+1", ".5", "1.", ".inf", "-.INF", "+.inf", ".NaN",
        "2026-11-21", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "=", "<<", "...", "... x", "---",
        "--- x", "-", "- a", "-a", "?", "? a", "?a", ":", ": a", ":a", "a:", "a: b", "a:b", "a #b", "a#b", "#a",
        "[a]", "{a}", "a]", "a}", "a,b", "&a", "*a", "!a", "|", ">", "@a", "`a", "%a", "'a'", "\"a\"", "it's",
        "say \"x\"", "{{url.owner}}", "x{{y}}", "a:?b", " leading", "trailing ", "a\tb", "\ta", "a\t", "\n", "\n\n",
        "a\n", "a\n\n", "\na", "a\nb", "a \nb", " a\nb", "a\n b", "a\n  ", "\n  \n", "  \n", "\t\na", "a\r\nb",
        "a\rb", "\r", "a\n\n\nb\n\n", "---\na", "a\n---\nb\n...\n", "# a\nb", "a\u{0}b", "\u{1B}[0m", "\u{7F}",
        "\u{80}", "a\u{85}b", "a\u{A0}b", "\u{2028}", "\u{2029}", "\u{FEFF}a", "a\u{FEFF}", "\u{FFFE}", "\u{FFFF}",
        "\u{E000}", "\u{F0000}", "\u{10FFFF}", "\u{10FF80}x", "emoji 😀👩‍👩‍👧", "ü", "e\u{301}", "日本語", "\u{202E}rtl",
        "\\", "a\\nb", "C:\\Users", "https://api.example.com:8080/a?b=c&d#e",
        "https://api\\.github\\.com/(?<owner>[^/]+)", "application/json; charset=utf-8", "GET api.github.com/search",
        "W/\"abc\"", "max-age=60", "*/*", "10.0.0.1", "10.0.0.1:80", "a  b", "a: ", " #", "key: |", "!!str x", "0",
        "00", "1,2", "e", "E5", "abc", "null ", "nullable", "yesterday", "truely", "+", ".", "..", "....", "$x",
        "(x)", "a'b",
    ]

    private static let alphabet: [Character] = Array(
        "aZ09 \t\n\n  ''\"\"::--##??,,[]{}&*!|>@`%\\~=<.+_/\r\u{0}\u{7}\u{85}\u{A0}\u{2028}\u{FEFF}éλ日😀\u{10FF41}e1xXoyn"
    )

    private static func randomText(using generator: inout SeededRandom) -> String {
        String(
            (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                self.alphabet.randomElement(using: &generator) ?? " "
            }
        )
    }

    private func written(_ write: (inout YAMLWriter) -> Void) -> String {
        var writer = YAMLWriter(reservingCapacity: 64)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a text in every place for a scalar, and reads it back with both readers.
    private func expectScalarRoundTrip(_ text: String) throws {
        let document = self.written { writer in
            writer.raw("- ")
            writer.scalar(text)
            writer.newline()
            writer.raw("- k: ")
            writer.scalar(text)
            writer.raw("\n  m: [")
            writer.scalar(text)
            writer.raw(", ")
            writer.scalar(text)
            // The other key is one that no text has.
            writer.raw("]\n  n: { other key: ")
            writer.scalar(text)
            writer.raw(", ")
            writer.scalar(text)
            writer.raw(": b }\n-\n  ")
            writer.scalar(text)
            writer.raw(": ")
            writer.scalar(text)
            writer.newline()
        }
        let root = try #require(try YAMLDocument(parsing: Array(document.utf8)).root)
        let items = Array(root.items)
        try #require(items.count == 3)
        let flow = try #require(items[1]["n"])
        var read: [YAMLNode?] = [items[0], items[1]["k"], flow["other key"]]
        read += items[1]["m"].map { Array($0.items) } ?? []
        read.append(flow.pairs.map(\.key).last)
        for pair in items[2].pairs {
            read += [pair.key, pair.value]
        }
        #expect(read.count == 8)
        for node in read {
            #expect(try #require(node).bytes == Array(text.utf8), "\(document.debugDescription)")
            #expect(node?.isNull == false && node?.bool == nil && node?.int == nil && node?.double == nil)
        }
        // As the oracle resolves types by YAML 1.1, every text must also be a string to it.
        let oracle = try #require(try Yams.compose(yaml: document))
        if text.unicodeScalars.first != "\u{FEFF}" {
            // Yams drops a byte order mark at the start of any text.
            #expect(YAMLTree(oracle) == YAMLTree(root), "\(document.debugDescription)")
        }
        #expect(oracle[0]?.tag.rawValue == Tag.Name.str.rawValue, "\(document.debugDescription)")
    }

    private func expectLiteralRoundTrip(_ text: String) throws {
        var text = text
        guard text.withUTF8({ YAMLWriter.canBeLiteral(UnsafeRawBufferPointer($0)) }) else { return }
        let document = self.written { writer in
            writer.raw("a:\n  - b: ")
            text.withUTF8 { writer.literal(UnsafeRawBufferPointer($0), indent: 6) }
            writer.raw("    c: d\n  - ")
            text.withUTF8 { writer.literal(UnsafeRawBufferPointer($0), indent: 4) }
            writer.raw("e: ")
            text.withUTF8 { writer.literal(UnsafeRawBufferPointer($0), indent: 4, step: 4) }
        }
        let root = try #require(try YAMLDocument(parsing: Array(document.utf8)).root, "\(document.debugDescription)")
        let items = try Array(#require(root["a"]).items)
        for node in [items[0]["b"], items[1], root["e"]] {
            #expect(node?.style == .literal)
            #expect(node?.bytes == Array(text.utf8), "\(document.debugDescription)")
            #expect(node.map { Array($0.string.utf8) } == Array(text.utf8))
        }
        #expect(items[0]["c"]?.string == "d")
        #expect(try YAMLTree.oracle(document) == YAMLTree(root), "\(document.debugDescription)")
    }

    @Test(arguments: YAMLWriterTests.awkward)
    func awkwardTextsReadBack(_ text: String) throws {
        try self.expectScalarRoundTrip(text)
        try self.expectLiteralRoundTrip(text)
    }

    @Test(arguments: seeds(4))
    func randomTextsReadBack(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1_500 {
            let text = Self.randomText(using: &generator)
            try self.expectScalarRoundTrip(text)
            try self.expectLiteralRoundTrip(text)
        }
    }

    @Test(arguments: [
        ("found", "found"), ("search repositories", "search repositories"), ("", "''"), ("200", "'200'"),
        ("yes", "'yes'"),
        ("it's", "it's"), ("'", "''''"), ("a: b", "'a: b'"), ("a\tb", "'a\tb'"), ("a\nb", #""a\nb""#),
        ("\u{85}", #""\N""#),
        ("\u{10FF80}", #""\U0010FF80""#), ("\u{FEFF}\"\\", #""\uFEFF\"\\""#), ("\u{0}\u{7F}", #""\0\x7F""#),
        ("😀 é", "😀 é"),
        ("https://a.b:80/c?d=e#f", "https://a.b:80/c?d=e#f"), ("{{x}}", "'{{x}}'"), ("*", "'*'"), ("-x", "'-x'"),
    ])
    func choosesThePlainestStyle(_ text: String, expected: String) {
        #expect(self.written { $0.scalar(text) } == expected)
    }

    @Test(arguments: [
        ("a", "|-\n  a\n"), ("a\n", "|\n  a\n"), ("a\n\n", "|+\n  a\n\n"), ("\n", "|+\n\n"),
        (" a\n\nb", "|2-\n   a\n\n  b\n"),
        ("\n\ta\n", "|2\n\n  \ta\n"), ("a \n \n", "|\n  a \n   \n"),
    ])
    func writesLiteralBlocks(_ text: String, expected: String) {
        var text = text
        #expect(
            self.written { writer in
                text.withUTF8 { writer.literal(UnsafeRawBufferPointer($0), indent: 2) }
            } == expected
        )
    }

    @Test(arguments: ["", "a\rb", "\u{0}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{10FFFD}", "a\n\u{7F}"])
    func writesTextThatCannotBeLiteralAsAScalar(_ text: String) throws {
        var text = text
        #expect(!text.withUTF8 { YAMLWriter.canBeLiteral(UnsafeRawBufferPointer($0)) })
        let document = self.written { writer in
            text.withUTF8 { writer.literal(UnsafeRawBufferPointer($0), indent: 2) }
        }
        #expect(try YAMLDocument(parsing: Array(document.utf8)).root?.bytes == Array(text.utf8))
    }

    @Test func replacesBytesThatAreNotUTF8() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80]
        #expect(!bytes.withUnsafeBytes { YAMLWriter.canBeLiteral($0) })
        let document = self.written { $0.scalar(bytes) }
        #expect(document == #""a\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD""#)
    }

    @Test func writesSmallThings() {
        let text = self.written { writer in
            writer.indent(2)
            writer.raw("a: ")
            writer.int(-12)
            writer.newline()
            writer.raw(Array("b".utf8).reversed())
            writer.raw(String("c"))
            writer.indent(-1)
            writer.scalar(Array("x y".utf8).lazy.map { $0 })
        }
        #expect(text == "  a: -12\nbcx y")
    }
}
