import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct CassetteComparisonTests {
    private func read(_ text: String, _ path: String = "x.yaml") throws -> Cassette {
        let result = CassetteReader.read(Array(text.utf8), name: "x", path: path)
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return result.cassette
    }

    private func difference(_ old: String, _ new: String) throws -> CassetteDifference {
        try CassetteComparison { "\($0.count)" }.difference(from: try self.read(old), to: try self.read(new))
    }

    private func set(_ name: String, _ url: String, _ takes: String = "[{ status: 200 }]") -> String {
        "name: \(name)\nrequest: { method: GET, url: \(url) }\nvariants:\n  - name: recorded\n    takes: \(takes)"
    }

    @Test func `a cassette plays the same for any order of its sets and any time of recording`() throws {
        let one = self.set("one", "https://a.test/1", "[{ status: 200, recorded: 2026-01-01T00:00:00Z }]")
        let again = self.set("one", "https://a.test/1", "[{ status: 200, recorded: 2026-02-02T00:00:00Z }]")
        let two = self.set("two", "https://a.test/2")
        let difference = try self.difference(CassetteText.sets(one, two), CassetteText.sets(two, again))
        #expect(difference.isEmpty)
        #expect(difference.sameSets == 2)
    }

    @Test func `a set is paired by its request, regardless of its name`() throws {
        let difference = try self.difference(
            CassetteText.sets(self.set("old name", "https://a.test/1")),
            CassetteText.sets(self.set("new name", "https://a.test/1"))
        )
        #expect(difference.sets.map(\.name) == ["old name"])
        #expect(difference.sets.map(\.newName) == ["new name"])
        #expect(difference.sets.first?.requestLines == [])
    }

    @Test func `a set with the same name and another request has changed its request`() throws {
        let difference = try self.difference(
            CassetteText.sets(self.set("one", "https://a.test/1")),
            CassetteText.sets(self.set("one", "https://a.test/2"))
        )
        #expect(difference.sets.map(\.kind) == [.changed])
        #expect(difference.sets.first?.requestLines == ["- url: https://a.test/1", "+ url: https://a.test/2"])
    }

    @Test func `sets in only one cassette are reported, with similar ones of the other`() throws {
        let difference = try self.difference(
            CassetteText.sets(self.set("same", "https://a.test/"), self.set("one", "https://a.test/1?a=1")),
            CassetteText.sets(self.set("same", "https://a.test/"), self.set("other", "https://a.test/1?a=2"))
        )
        #expect(difference.sets.map(\.kind) == [.onlyInFirst, .onlyInSecond])
        #expect(difference.sets.map(\.resembles) == ["other", "one"])
        #expect(difference.sameSets == 1)
    }

    @Test func `takes are compared one by one, except for inserted ones`() throws {
        func text(_ takes: String) -> String { CassetteText.sets(self.set("one", "https://a.test/1", takes)) }
        let one = "{ status: 200, body: { text: one } }"
        let two = "{ status: 200, body: { text: two } }"
        let added = try self.difference(text("[\(one), \(two)]"), text("[\(one), { status: 404 }, \(two)]"))
        #expect(added.sets.first?.variants.first?.takes == [TakeChange(kind: .onlyInSecond, number: 2)])
        let changed = try self.difference(text("[\(one), \(two)]"), text("[\(one), { status: 404 }]"))
        let take = try #require(changed.sets.first?.variants.first?.takes.first)
        #expect(take.number == 2)
        #expect(take.differences.contains { $0.place == "status" && $0.old == "200" && $0.new == "404" })
    }

    @Test func `JSON is compared by its places, text by its lines`() throws {
        func text(_ body: String) -> String {
            CassetteText.sets(self.set("one", "https://a.test/1", "[{ status: 200, body: \(body) }]"))
        }
        let json = try self.difference(
            text(#"{ json: '{"a": {"b": 1, "c": true}}' }"#),
            text(#"{ json: '{"a": {"c": true, "b": "1"}}' }"#)
        )
        let differences = json.sets.first?.variants.first?.takes.first?.differences
        #expect(differences?.map(\.place) == ["$.a.b"])
        #expect(differences?.map(\.kind) == [.shape])
        let lines = try self.difference(text(#"{ text: "a\nb\nc\n" }"#), text(#"{ text: "a\nB\nc\n" }"#))
        #expect(lines.sets.first?.variants.first?.takes.first?.lines == ["- b", "+ B"])
    }

    @Test func `a body in a file is the same as one of that content with another name`() throws {
        let folder = try TemporaryFolder()
        try folder.write("same", to: "x/a.txt")
        try folder.write("same", to: "x/b.txt")
        try folder.write([1, 0, 2], to: "x/c.bin")
        func cassette(_ file: String) throws -> Cassette {
            let take = "[{ status: 200, body: { file: x/\(file) } }]"
            return try self.read(CassetteText.sets(self.set("one", "https://a.test/1", take)), folder.path("x.yaml"))
        }
        let comparison = CassetteComparison { "digest of \($0.count)" }
        #expect(try comparison.difference(from: try cassette("a.txt"), to: try cassette("b.txt")).isEmpty)
        let other = try comparison.difference(from: try cassette("a.txt"), to: try cassette("c.bin"))
        let body = try #require(other.sets.first?.variants.first?.takes.first?.differences.first { $0.place == "body" })
        #expect(body.new == "3 bytes, SHA-256 digest of 3")
    }

    @Test func `changed variants and settings are reported`() throws {
        let old = CassetteText.sets(self.set("one", "https://a.test/1")) + "delay: 1s\n"
        let new =
            CassetteText.sets(
                self.set("one", "https://a.test/1")
                    + "\n    after: unmatched\n  - name: gone\n    takes: [{ status: 404 }]"
            ) + "delay: 2s\n"
        let difference = try self.difference(old, new)
        #expect(difference.settings == ["- delay: 1s", "+ delay: 2s"])
        let variants = try #require(difference.sets.first?.variants)
        #expect(variants.map(\.kind) == [.changed, .onlyInSecond])
        #expect(variants.first?.lines.contains { $0.hasPrefix("+ ") && $0.contains("unmatched") } == true)
        #expect(variants.last?.summary == "404")
    }
}
