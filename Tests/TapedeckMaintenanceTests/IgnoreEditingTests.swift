import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct IgnoreEditingTests {
    private static let sets = """
        # the sets
        responseSets:
          - name: a
            request: { url: https://a.test/ }
            variants: [{ name: x, empty: true }]

        """

    private func adding(_ text: String) throws -> String {
        let whole = "tapedeck: 1\n" + text + Self.sets
        let result = CassetteReader.read(Array(whole.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        let rules = MatchingRules(ignoredQuery: ["ts"], ignoredJSON: [try JSONPath("$.list[*].id")])
        let edited = String(decoding: try IgnoreEditing.text(of: result, ignoring: rules), as: UTF8.self)
        try #require(edited.hasPrefix("tapedeck: 1\n"))
        return String(edited.dropFirst("tapedeck: 1\n".count))
    }

    @Test func `a cassette without rules gets them in front of its sets`() throws {
        let text = try self.adding("about: x # y\n")
        #expect(text.contains("ignore:\n  query: [ts]\n  json: ["))
        #expect(text.hasPrefix("about: x # y\n"))
        #expect(text.hasSuffix(Self.sets.dropFirst("# the sets\n".count)))
    }

    @Test(
        arguments: [
            "ignore:\n  # times\n  query: [a] # why\n",
            "ignore:\n  # times\n  query:\n    - a # why\n",
            "ignore:\n  # times\n  headers: [X-A] # why\n",
            "ignore:\n  # times\n  json: [$.a] # why\n  query: [\n    a, b\n  ]\n",
        ]
    )
    func `rules are added to those that are there, and comments stay`(text: String) throws {
        let edited = try self.adding(text)
        #expect(edited.contains("# times"))
        #expect(edited.contains("# why"))
        #expect(edited.hasSuffix(Self.sets))
    }

    @Test(arguments: ["ignore: { query: [a] } # why\n", "ignore:\n", "ignore: # why\n"])
    func `rules on one line, or missing, are extended as well`(text: String) throws {
        let edited = try self.adding(text)
        #expect(edited.contains("ts"))
        #expect(edited.contains("list"))
        #expect(edited.hasSuffix(Self.sets))
    }

    @Test func `the displayed value is the written one`() throws {
        let rules = MatchingRules(ignoredQuery: ["ts", "nonce"], ignoredHeaders: ["X-Nonce"])
        #expect(IgnoreEditing.yaml(rules) == ["ignore:", "  query: [ts, nonce]", "  headers: [X-Nonce]"])
        #expect(IgnoreEditing.yaml(MatchingRules()) == [])
    }
}
