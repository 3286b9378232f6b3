import TapedeckCassettes
import TapedeckCore
import TapedeckTestingCore
import Testing

@Suite("Texts that are hard to write as YAML")
struct HardTextTests {
    static let texts = [
        "yes", "1e3", "null", "~", "12:30:45", "2026-11-21", "0x1F", "a: b", " #x", "trailing ", " leading", "a\tb",
        "\ta",
        "a\rb", "a\r\nb\n", "line\nline", "line\n", "\n", "a\n\n", " \n x", "é 😀 日本語", "\u{85}", "\u{2028}", "\u{FEFF}",
        "\u{10FF80}", "{{x}}", "[a]", "*", "&a", "- a", "it's", "\"", "\\", "",
    ]

    @Test("survive in bodies, names, values and JSON", arguments: Self.texts)
    func survive(_ text: String) throws {
        let isName = !text.isEmpty
        let name = isName ? text : "empty"
        let built = Cassette(about: isName ? text : nil, state: [name: text]) {
            ResponseSet(
                name,
                .post("/x").query(name, .equals(text)).form(name, .contains(name)).text(.not(.equals(text)))
                    .json([name: Tapedeck.JSON(text)]),
                requires: [name: text],
                sets: [name: nil]
            ) {
                Variant(name, .text(text, contentType: nil).settingState(name, to: text))
                Variant("json \(name)", .json([name: Tapedeck.JSON(text)], contentType: nil))
            }
        }
        let read = try Reading.cassette(built.yaml)
        #expect(read.about.map { Array($0.utf8) } == (isName ? Array(text.utf8) : nil))
        let set = try #require(read.responseSets.first)
        #expect(Array(set.name.utf8) == Array(name.utf8))
        #expect(set.request.query == [.init(name, .equals(text))])
        #expect(set.request.body.contains(.text(.not(.equals(text)))))
        #expect(set.requires == [StateEntry(name, text)])
        #expect(set.sets == [StateEntry(name, nil)])
        #expect(set.variants[0].behaviour.sets == [StateEntry(name, text)])
        #expect(try self.body(set.variants[0]) == Array(text.utf8))
        let json = try JSONValue(parsing: try self.body(set.variants[1]))
        #expect(json == .object([JSONMember(name: name, value: .string(text))]))
    }

    private func body(_ variant: TapedeckCore.Variant) throws -> [UInt8] {
        switch try #require(variant.takes.first).body {
        case .none: return []
        case .inline(let body): return body.decoded
        case .file: return try #require(nil)
        }
    }
}
