import TapedeckCassettes
import TapedeckCore
import Testing

/// Edits keep the line ends of a file.
@Suite struct LineEndTests {
    private static let text = """
        tapedeck: 1
        responseSets:
          - name: one
            request: { url: https://a.test/1 }
            variants:
              - name: recorded
                takes:
                  - status: 200
                    body:
                      text: |
                        a
                        b

          - name: two
            request: { url: https://a.test/2 }
            variants:
              - name: recorded
                takes:
                  - status: 204
        profiles:
          good:
            one: recorded

        """

    private static let edits: [CassetteEdit] = [
        .copySet("one", as: "three"), .moveSet("two", to: .first), .renameSet("one", to: "first"),
        .copyVariant("recorded", of: "two", as: "again"), .makeDefault("again", of: "two"),
        .makeDefault("offline", of: "first"), .removeSets(["three"]),
        .changeTake(
            1,
            of: "first",
            variant: "recorded",
            to: Take(status: 201, body: .inline(InlineBody(form: .text, content: Array("x\ny\n".utf8))))
        ),
    ]

    private static func edited(_ text: String) throws -> [String] {
        var edited = EditedText(CassetteReader.read(Array(text.utf8), name: "a", path: "a.yaml"))
        var texts: [String] = []
        for edit in self.edits {
            try edited.make(edit)
            texts.append(String(decoding: edited.source, as: UTF8.self))
        }
        return texts
    }

    @Test func `CRLF stays CRLF, and LF stays LF`() throws {
        let unix = try Self.edited(Self.text)
        let windows = try Self.edited(Self.text.replacing("\n", with: "\r\n"))
        for (unix, windows) in zip(unix, windows) {
            #expect(!unix.utf8.contains(0x0D))
            #expect(windows == unix.replacing("\n", with: "\r\n"))
        }
    }

    /// Each ends a file without a line end, and is the same text with one behind it only in another form.
    @Test(arguments: ["x", "'x'", "x # end", "|\nx", "|-\nx", "|+\nx", ">\nx", ">+\nx", "|2\n  x", "|2+\n  x"])
    func `a body that ends the file stays what it is`(body: String) throws {
        let start = Self.text.prefix(upTo: try #require(Self.text.range(of: "text: |")).upperBound).dropLast()
        for lineEnd in ["\n", "\r\n"] {
            let text = (start + body.replacing("\n", with: "\n                ")).replacing("\n", with: lineEnd)
            let read = CassetteReader.read(Array(text.utf8), name: "a", path: "a.yaml")
            var edited = EditedText(read)
            try edited.make(.copySet("one", as: "two"))
            let takes = try #require(read.cassette.responseSets.first).variants.flatMap(\.takes)
            #expect(edited.cassette.responseSets.map { $0.variants.flatMap(\.takes) } == [takes, takes])
            #expect(String(decoding: edited.source, as: UTF8.self).hasSuffix(lineEnd))
        }
    }

    @Test(arguments: ["|+", ">+"])
    func `no empty line becomes a part of the text before it`(block: String) throws {
        let kept = Self.text.replacing("text: |\n", with: "text: \(block)\n")
        let read = CassetteReader.read(Array(kept.utf8), name: "a", path: "a.yaml")
        var edited = EditedText(read)
        for edit in [CassetteEdit.copySet("one", as: "three"), .copyVariant("recorded", of: "one", as: "again")] {
            try edited.make(edit)
        }
        let bodies = edited.cassette.responseSets.flatMap(\.variants).flatMap(\.takes).map(\.body)
        let body = try #require(read.cassette.responseSets.first?.variants.first?.takes.first?.body)
        #expect(bodies.filter { $0 == body }.count == 3)
    }

    @Test func `sets of a file with other line ends get those of the file that they go into`() throws {
        let folder = try TemporaryFolder()
        let store = CassetteStore(digest: TestDigest.digest)
        func location(_ name: String) -> CassetteLocation { CassetteLocation(name, folder: folder.path) }
        let other = Self.text.replacing("one", with: "eins").replacing("two", with: "zwei").replacing(
            "good",
            with: "gut"
        )
        try FileContents.replace(location("unix").path, with: Array(Self.text.utf8))
        try FileContents.replace(location("windows").path, with: Array(other.replacing("\n", with: "\r\n").utf8))
        try store.merge([location("windows")], into: location("unix"), removing: false).write(with: store)
        let merged = try FileContents.read(location("unix").path)
        #expect(!merged.contains(0x0D))
        #expect(try store.load(location("unix")).responseSets.count == 4)
        try store.merge([location("unix")], into: location("windows"), removing: false).write(with: store)
        let windows = String(decoding: try FileContents.read(location("windows").path), as: UTF8.self)
        #expect(!windows.replacing("\r\n", with: "").contains("\n"))
    }
}
