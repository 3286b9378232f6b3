import Testing
import Yams

@testable import TapedeckImport

/// The reader of other tools' YAML and JSON.
@Suite struct ForeignYAMLTests {
    private func node(_ text: String, limits: ForeignLimits = ForeignLimits()) throws -> ForeignNode {
        try #require(try ForeignNode.documents(of: Array(text.utf8), limits: limits).first)
    }

    /// All scalars and collections in one line.
    private static func outline(_ node: ForeignNode) -> String {
        switch node.content {
        case .scalar(let text, _): "<\(text)>"
        case .list(let items): "[" + items.map(self.outline).joined() + "]"
        case .map(let pairs): "{" + pairs.map { self.outline($0.key) + self.outline($0.value) }.joined() + "}"
        }
    }

    private static func outline(_ node: Yams.Node) -> String {
        switch node {
        case .scalar(let scalar): "<\(scalar.string)>"
        case .sequence(let items): "[" + items.map(self.outline).joined() + "]"
        case .mapping(let pairs): "{" + pairs.map { self.outline($0.key) + self.outline($0.value) }.joined() + "}"
        case .alias: "*"
        }
    }

    static let texts: [String] = [
        "a: 1\nb:\n- x\n- y: z\n  w: v\n-\n  - deep\n",
        "- &a [1, 2]\n- *a\n- {k: *a}\n",
        "? a\n: b\n? - c\n: - d\n",
        "a:\n  ? !!python/object/apply:x.istr\n  - k\n  : - v\n  ?\n  - m\n  - n\n  b: c\n",
        "a: |\n  one\n   two\n\n  three\n\nb: >\n  one\n  two\n\n  three\n   four\n  five\n\n",
        "a: |2-\n    x\n   y\nb: |+\n  x\n\n\nc: >+\n  x\n\nd: >-\n\n  x\n",
        "a: 'it''s\n  two\n\n  lines'\nb: \"x\\\n    \\ y\\n\n  z \\\n  w\"\n",
        "plain over\n  several\n\n  lines\n",
        "{a: [b, c: d, \"e\":f], g, h: , i: {}}\n",
        "!!binary aGk=\n",
        "!ruby/object:Foo\na: !ruby/struct:B\n  c: d\n",
        "a: ! '1'\nb: !!str 2\nc: !<tag:x,2000:y> z\n",
        "\"a\": \"\\x41\\u00e9\\U0001F600\\e\\0\\N\\_\\L\\P\\/\"\n",
        "# a comment\n---\na: 1 # another\n# a third\n...\n",
        "%YAML 1.1\n--- |\n text\n",
        "a:\n- b\nc:\n  - d\n",
        "a: http://x:80/y?z#w\nb: a#b\nc: -1\nd: - not\n".replacing("d: - not\n", with: ""),
        "a: \"x\u{2028}  y\u{85}  z\"\n",
        "a:\r\n- b\r\n- |\r\n  c\r\n  d\r\n",
        "- - - a\n  - b\n- c\n",
        "&x a: &y b\n*y : c\n".replacing("*y : c\n", with: ""),
        "[\n  # c\n  a, # d\n  b\n]\n",
        "{\"a\": {\"b\": [1, 2.5e3, true, null, \"\\ud83d\\ude00\"]}}".replacing("\\ud83d\\ude00", with: "x"),
    ]

    @Test("reads the same as libyaml", arguments: texts)
    func agreesWithYams(text: String) throws {
        let expected = try #require(try Yams.compose(yaml: text))
        #expect(Self.outline(try self.node(text)) == Self.outline(expected))
    }

    @Test("tags are text, and never more")
    func tags() throws {
        let text = """
            a: !!python/object/apply:os.system ['touch /nowhere/pwned']
            b: !ruby/object:Gem::Installer {i: x}
            c: !!python/name:os.system ''
            """
        let node = try self.node(text)
        #expect(node["a"]?.tag == "tag:yaml.org,2002:python/object/apply:os.system")
        #expect(node["a"]?.items.first?.text == "touch /nowhere/pwned")
        #expect(node["b"]?.tag == "!ruby/object:Gem::Installer")
        #expect(node["c"]?.text?.isEmpty == true)
    }

    @Test("a tag handle stands for its prefix")
    func handles() throws {
        #expect(try self.node("%TAG !e! tag:e.test,2000:\n---\n!e!x a\n").tag == "tag:e.test,2000:x")
    }

    @Test("merge keys add missing keys at any position")
    func merging() throws {
        let node = try self.node("- &a {x: 1, y: 2}\n- &b {y: 3, z: 4}\n- {y: own, <<: [*a, *b]}\n").items[2]
        #expect(node["x"]?.text == "1")
        #expect(node["y"]?.text == "own")
        #expect(node["z"]?.text == "4")
    }

    @Test("the last value of a duplicate key is used")
    func duplicates() throws {
        #expect(try self.node("a: 1\na: 2\n")["a"]?.text == "2")
    }

    @Test("several documents")
    func documents() throws {
        let documents = try ForeignNode.documents(of: Array("a\n---\nb\n...\n---\n- c\n".utf8))
        #expect(documents.map(Self.outline) == ["<a>", "<b>", "[<c>]"])
        #expect(try ForeignNode.documents(of: []).isEmpty)
        #expect(try ForeignNode.documents(of: Array("# nothing\n".utf8)).isEmpty)
    }

    @Test("nulls are nulls only without quotes and without a tag of texts")
    func nulls() throws {
        let node = try self.node("[~, null, '', \"~\", !!str null, ! ~, !binary '']")
        #expect(node.items.map(\.isNull) == [true, true, false, false, false, false, false])
    }

    @Test("lines are those of the file")
    func lines() throws {
        let node = try self.node("# x\na:\n  - |\n    t\n  - b: 1\n")
        #expect(node["a"]?.items.map(\.line) == [3, 5])
    }

    @Test("UTF-16 with a byte order mark")
    func utf16() throws {
        let little: [UInt8] = [0xFF, 0xFE] + "a: é".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        #expect(try ForeignNode.documents(of: little).first?["a"]?.text == "é")
    }

    // MARK: Hostile files

    @Test("aliases of aliases are refused before they grow")
    func bomb() throws {
        var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1...12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let error = #expect(throws: ForeignError.self) { try self.node(text) }
        #expect(error?.message.contains("aliases") == true)
        #expect((error?.line ?? 0) > 5)
    }

    @Test("aliases within limits share their memory")
    func aliases() throws {
        let text =
            "a: &a \"\(String(repeating: "x", count: 100_000))\"\nb: [\(Array(repeating: "*a", count: 500).joined(separator: ", "))]\n"
        #expect(try self.node(text)["b"]?.items.count == 500)
    }

    @Test("an alias within its own value is refused")
    func cycle() {
        #expect(throws: ForeignError.self) { try self.node("&a [1, *a]") }
    }

    @Test("deep nesting is refused", arguments: ["[", "{a: ", "- ", "? ", "a:\n"])
    func depth(opening: String) {
        var text = String(repeating: opening, count: 100_000)
        if opening == "a:\n" {
            text = (0..<200).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        }
        let error = #expect(throws: ForeignError.self) { try self.node(text) }
        #expect(error?.message.contains("deep") == true)
    }

    @Test(
        "invalid text is rejected with its line",
        arguments: [([0x61, 0x3A, 0x20, 0x62, 0x0A, 0xFF], 2), ([0x61, 0x0A, 0x0A, 0x00], 3)] as [([UInt8], Int)]
    )
    func bytes(bytes: [UInt8], line: Int) {
        let error = #expect(throws: ForeignError.self) { try ForeignNode.documents(of: bytes) }
        #expect(error?.line == line)
    }

    @Test(
        "invalid YAML is rejected without hanging",
        arguments: [
            "a: b: c\n", "[a", "{a: b", "\"x", "'x", "a: *none\n", "- a\nb\n", "a:\n  b: 1\n c: 2\n", "\"\\q\"",
            "\"\\u00\"",
            "]", "@x", "a: - b\n", "!<x", "[a b: c, ]]", "--- 'x\n---\n'",
        ]
    )
    func malformed(text: String) {
        #expect(throws: ForeignError.self) { try self.node(text) }
    }

    @Test("every beginning of a file ends in a value or an error")
    func truncation() {
        for text in Self.texts {
            let bytes = Array(text.utf8)
            for end in 0...bytes.count {
                _ = try? ForeignNode.documents(of: Array(bytes[..<end]))
            }
        }
    }
}
