import TapedeckYAML
import Testing

@Suite
struct YAMLDocumentTests {
    @Test(arguments: YAMLSamples.accepted)
    func readsTheSameAsYams(_ text: String) throws {
        let ours = try YAMLTree.ours(text)
        let oracle = try YAMLTree.oracle(text)
        // For an empty document, Yams returns an empty scalar or nothing, depending on its marker.
        if ours == nil {
            #expect(oracle == nil || oracle == .scalar("", style: "plain"))
        } else {
            #expect(ours == oracle)
        }
    }

    /// YAML 1.2 that Yams, which reads 1.1, rejects or reads differently.
    @Test(arguments: [
        (#""\ud83d\ude00""#, YAMLTree.scalar("😀", style: "doubleQuoted")),
        ("-\tx", .sequence([.scalar("x", style: "plain")])),
        (
            "{a:[1]}",
            .mapping([.init(key: .scalar("a", style: "plain"), value: .sequence([.scalar("1", style: "plain")]))])
        ),
        ("a\u{85}b", .scalar("a\u{85}b", style: "plain")),
        ("'a\u{2028}b'", .scalar("a\u{2028}b", style: "singleQuoted")),
        ("|\n  \tx\n", .scalar("\tx\n", style: "literal")),
    ])
    func readsSyntaxThatOnlyYAML12Allows(_ text: String, expected: YAMLTree) throws {
        #expect(try YAMLTree.ours(text) == expected)
    }

    @Test func readsAKeyOfAnyLength() throws {
        let key = String(repeating: "k", count: 5_000)
        let root = try #require(try YAMLDocument(parsing: Array("\(key): v\n".utf8)).root)
        #expect(root[key]?.string == "v")
    }

    @Test func keepsTheSource() throws {
        let source = Array("a: 1 # c\n".utf8)
        #expect(try YAMLDocument(parsing: source).source == source)
    }

    @Test func readsTheSameWithCRLF() throws {
        for text in YAMLSamples.accepted where !text.contains("\r\n") {
            var windows = ""
            for scalar in text.unicodeScalars {
                windows += scalar == "\n" ? "\r\n" : String(scalar)
            }
            #expect(try YAMLTree.ours(windows) == YAMLTree.ours(text), "\(text.debugDescription)")
        }
    }

    @Test func findsLinesAndColumns() throws {
        var text = ""
        for line in 1...3_000 {
            text += "é\(line): '\(String(repeating: "ü", count: line % 40))' # x\n"
        }
        let document = try YAMLDocument(parsing: Array(text.utf8))
        let root = try #require(document.root)
        for (line, pair) in root.pairs.enumerated() {
            #expect(pair.key.position == YAMLPosition(line: line + 1, column: 1))
            #expect(pair.value.position == YAMLPosition(line: line + 1, column: pair.key.string.count + 3))
        }
        #expect(document.position(ofByte: .max) == YAMLPosition(line: 3_001, column: 1))
        #expect(document.position(ofByte: -1) == YAMLPosition(line: 1, column: 1))
    }

    @Test func ignoresAByteOrderMarkInColumns() throws {
        let root = try #require(try YAMLDocument(parsing: Array("\u{FEFF}a: b\nc: d\n".utf8)).root)
        let value = try #require(root["a"])
        #expect(root.column == 0)
        #expect(value.position == YAMLPosition(line: 1, column: 4))
        #expect(value.column == 3)
        #expect(root.count == 2)
    }
}
