import TapedeckCassettes
import TapedeckCore
import Testing

@Suite struct SetRemovalTests {
    private static func set(_ name: String) -> String {
        "  - name: \(name)\n    request: { url: https://a.test/\(name) }\n    variants: [{ name: x, empty: true }]\n"
    }

    private func without(_ names: Set<String>, _ text: String) throws -> String {
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return String(decoding: try SetRemoval.text(of: result, without: names), as: UTF8.self)
    }

    @Test func `a set is removed with the comment right above it, and everything else stays`() throws {
        let head = "tapedeck: 1\n# all of them\nresponseSets:\n  # the first part\n\n"
        let rest = "  # b is not\n" + Self.set("b") + "state: { k: v } # here\n"
        #expect(try self.without(["a"], head + "  # a is\n  # old\n" + Self.set("a") + "\n" + rest) == head + rest)
    }

    @Test func `removing several sets in a row leaves no empty line`() throws {
        let head = "tapedeck: 1\nresponseSets:\n"
        let text = head + Self.set("a") + "\n" + Self.set("b") + Self.set("c")
        #expect(try self.without(["b", "c"], text) == head + Self.set("a"))
        #expect(try self.without(["a"], text) == head + "\n" + Self.set("b") + Self.set("c"))
    }

    @Test func `a cassette is valid after all its sets are removed`() throws {
        let text = "tapedeck: 1\nresponseSets: # these\n" + Self.set("a") + Self.set("b") + "delay: 1s\n"
        #expect(try self.without(["a", "b"], text) == "tapedeck: 1\nresponseSets: [] # these\ndelay: 1s\n")
    }

    @Test func `a list that is not written in lines is not edited`() throws {
        let set = "{ name: a, request: { url: https://a.test/ }, variants: [{ name: x, empty: true }] }"
        let text = "tapedeck: 1\nresponseSets: [\(set)]\n"
        #expect(throws: CassetteError.self) { try self.without(["a"], text) }
    }
}
