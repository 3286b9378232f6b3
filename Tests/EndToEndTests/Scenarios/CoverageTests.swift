import Foundation
import Testing

/// `tapedeck coverage`, by the reports of real runs.
@Suite(.ownThreads) struct CoverageTests {
    private static let cassette = """
        tapedeck: 1
        responseSets:
          - name: item
            request: { url: http://api.example.com/item }
            variants:
              - name: found
                takes: [{ status: 200, body: { text: '3' } }]
              - name: gone
                takes: [{ status: 404, body: { text: '0' } }]
          - name: order
            request: { method: POST, url: http://api.example.com/order, body: { text: tea } }
            variants:
              - name: accepted
                takes: [{ status: 201 }]
          - name: never
            request: { url: http://api.example.com/never }
            variants:
              - name: one
                takes: [{ status: 200 }]
        profiles:
          sold out: { item: gone }

        """

    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/shop.yaml")
        return folder
    }

    @discardableResult
    private func run(
        _ folder: TestFolder,
        _ report: String,
        _ options: [String],
        _ request: String...
    ) throws
        -> Program.Result
    {
        try folder.tapedeck(
            ["replay", "shop", "--report", report] + options + ["--", "curl", "-q", "-sS", "-o", "/dev/null"] + request
        )
    }

    @Test func `the reports of several runs add up, by variant`() throws {
        let folder = try self.folder()
        let item = "http://api.example.com/item"
        #expect(try self.run(folder, "out/1.json", [], item).exitCode == 0)
        #expect(try self.run(folder, "out/2.json", [], "-d", "tea", "http://api.example.com/order").exitCode == 0)
        let first = try folder.tapedeck("coverage", "--report", "out")
        #expect(first.exitCode == 0, "\(first.errorText)")
        let lines = first.outputText.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == ["RESPONSE SET PLAYED NOT PLAYED", "item found (1) gone", "order accepted (1) -", "never - one"]
        )
        #expect(first.errorText.contains("coverage: 2 of 3 response sets and 2 of 4 variants were played"))
        #expect(try folder.tapedeck("coverage", "shop", "--check", "--report", "out").exitCode == 1)

        try self.run(folder, "out/3.json", ["--profile", "sold out"], item)
        try self.run(folder, "out/4.json", ["--profile", "server-error"], "http://api.example.com/never")
        try self.run(folder, "out/5.json", [], "http://api.example.com/never")
        let all = try folder.tapedeck("coverage", "shop", "--check", "--json", "--report", "out")
        #expect(all.exitCode == 0, "\(all.errorText)")
        let json = try #require(try JSONSerialization.jsonObject(with: all.output) as? [String: Any])
        #expect(json["responseSets"] as? [String: Int] == ["total": 3, "played": 3])
        #expect(json["variants"] as? [String: Int] == ["total": 4, "played": 4])
        let cassette = try #require((json["cassettes"] as? [[String: Any]])?.first)
        #expect(cassette["path"] as? String == "cassettes/shop.yaml")
        let sets = try #require(cassette["responseSets"] as? [[String: Any]])
        #expect(sets.map { $0["asked"] as? Int } == [2, 1, 2])
        let variants = try #require(sets.last?["variants"] as? [[String: Any]])
        #expect(variants.map { $0["name"] as? String } == ["one", "server-error"])
        #expect(variants.map { $0["played"] as? Int } == [1, 1])
        #expect(variants.map { $0["isBuiltIn"] as? Bool } == [false, true])
    }

    @Test func `sessions of a deck that serves are counted by variant`() throws {
        let folder = try self.folder()
        let deck = try folder.serve("serve", "--report", "r.json")
        let control = try folder.control(deck)
        let session = try control.session(#"{"cassettes": ["shop"], "selections": {"item": "gone"}}"#)
        let answer = try folder.curl(
            deck,
            "-H",
            "X-Tapedeck-Session: \(session.id):\(session.token)",
            "http://api.example.com/item"
        )
        #expect(answer.outputText == "0")
        try control.get("DELETE", "/v1/sessions/\(session.id)")
        try deck.stop()
        let result = try folder.tapedeck("coverage", "--report", "r.json", "--markdown")
        #expect(
            result.outputText.contains("\n| item | gone (1) | found |\n"),
            "\(result.outputText)\(result.errorText)"
        )
    }

    @Test func `a failed run counts with a note, and an older report is an error`() throws {
        let folder = try self.folder()
        let item = "http://api.example.com/item"
        let run = try self.run(folder, "r.json", [], item, "http://api.example.com/nope")
        #expect(run.exitCode == 70)
        let failed = try folder.tapedeck("coverage", "--report", "r.json")
        #expect(failed.exitCode == 0)
        #expect(failed.errorText.contains("r.json may miss answers: its run ended with exit code 70"))
        #expect(failed.outputText.contains("found (1)"))

        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(try folder.read("r.json").utf8)) as? [String: Any]
        )
        var old = report
        let cassettes = try #require(report["cassettes"] as? [[String: Any]])
        old["cassettes"] = cassettes.map { cassette in
            var cassette = cassette
            cassette["sets"] = (cassette["sets"] as? [[String: Any]])?.map { $0.filter { $0.key != "variants" } }
            return cassette
        }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: old), as: UTF8.self)
        try folder.write(text, to: "old.json")
        let refused = try folder.tapedeck("coverage", "--report", "old.json")
        #expect(refused.exitCode == 64)
        #expect(refused.errorText.contains("old.json was written by an older Tapedeck"), "\(refused.errorText)")
        // Pruning needs no variants.
        #expect(try folder.tapedeck("prune", "--report", "old.json", "--check", "--force").exitCode == 0)

        let none = try folder.tapedeck("coverage", "shop")
        #expect(none.exitCode == 64)
        #expect(none.errorText.contains("--report"))
    }
}
