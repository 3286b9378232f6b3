import TapedeckYAML
import Testing

@testable import TapedeckCassettes

@Suite
struct SourceEditorTests {
    private func edit(_ text: String, _ edits: (inout SourceEditor) -> Void) -> String {
        var editor = SourceEditor(Array(text.utf8))
        edits(&editor)
        return String(decoding: editor.result(), as: UTF8.self)
    }

    private func lines(_ text: String, item: Int) throws -> String? {
        let bytes = Array(text.utf8)
        let root = try #require(try YAMLDocument(parsing: bytes).root)
        let list = root.kind == .sequence ? root : try #require(root["a"])
        let range = SourceEditor.lines(of: Array(list.items)[item], in: bytes)
        return range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func editsAreCarriedOutInTheOrderOfTheText() {
        let text = self.edit("abcdef") { editor in
            editor.replace(4..<5, with: Array("E".utf8))
            editor.insert(Array("!".utf8), at: 6)
            editor.replace(0..<2, with: [])
            editor.insert(Array("1".utf8), at: 3)
            editor.insert(Array("2".utf8), at: 3)
        }
        #expect(text == "c12dEf!")
        #expect(self.edit("abc") { _ in } == "abc")
    }

    @Test func anInsertionGoesBeforeAReplacementAtTheSamePlace() {
        let text = self.edit("abc") { editor in
            editor.replace(1..<2, with: Array("B".utf8))
            editor.insert(Array("-".utf8), at: 1)
            editor.insert(Array("+".utf8), at: 2)
        }
        #expect(text == "a-B+c")
    }

    @Test(
        arguments: [
            ("a:\n  - x: 1\n    y: 2\n  - z\n", 0, "  - x: 1\n    y: 2\n"),
            ("a:\n- x\n- y # c\nb: 1\n", 1, "- y # c\n"),
            ("a:\n  - x\n  # about y\n  - y", 1, "  - y"),
            ("a:\n  - |\n    one\n\n    two\n  - y\n", 0, "  - |\n    one\n\n    two\n"),
            ("a:\n  -\n    x: 1\n  - y\n", 0, "  -\n    x: 1\n"), ("a:\n  -\n  - y\n", 0, "  -\n"),
            ("- x: [1,\n    2] # c\n- y\n", 0, "- x: [1,\n    2] # c\n"), ("a: [x, y]\n", 0, nil),
            ("a:\r\n  - x\r\n  - y\r\n", 0, "  - x\r\n"),
        ] as [(String, Int, String?)]
    )
    func anItemTakesUpWholeLinesFromItsDash(_ text: String, _ item: Int, _ lines: String?) throws {
        #expect(try self.lines(text, item: item) == lines)
    }

    @Test func anItemThatDoesNotBeginItsLineCannotBeCutOut() throws {
        let bytes = Array("- - x\n  - y\n".utf8)
        let outer = try #require(try YAMLDocument(parsing: bytes).root)
        let inner = Array(try #require(Array(outer.items).first).items)
        #expect(SourceEditor.lines(of: inner[0], in: bytes) == nil)
        #expect(SourceEditor.lines(of: inner[1], in: bytes) == 6..<12)
    }
}
