import TapedeckCassettes
import Testing

/// Cassettes in which git has left a merge conflict.
@Suite struct ConflictMarkerTests {
    @Test(arguments: ["\n", "\r\n"]) func `the markers are reported, with the commands that help`(lineEnd: String) {
        let text = """
            tapedeck: 1
            responseSets:
            <<<<<<< HEAD
              - name: one
            =======
              - name: two
            >>>>>>> topic

            """
        let source = Array(text.replacing("\n", with: lineEnd).utf8)
        let found = CassetteReader.read(source, name: "a", path: "cassettes/a.yaml").diagnostics
        #expect(found.count == 1)
        #expect(found.first?.line == 3)
        #expect(found.first?.severity == .error)
        let message = found.first?.message ?? ""
        #expect(message.hasPrefix("a merge conflict: "))
        #expect(message.contains("`git checkout --ours cassettes/a.yaml`"))
        #expect(message.contains("`git checkout --theirs cassettes/a.yaml`"))
    }

    @Test func `a body that shows markers is a body`() throws {
        let text = CassetteText.take("status: 200\nbody:\n  text: |\n    <<<<<<< HEAD\n    a\n    >>>>>>> b")
        #expect(CassetteReader.read(Array(text.utf8), name: "a", path: "a.yaml").diagnostics.isEmpty)
    }
}
