import TapedeckCassettes
import TapedeckCore
import Testing

@testable import TapedeckMaintenance

@Suite struct CoverageReportTests {
    private static let text = """
        tapedeck: 1
        responseSets:
          - name: item
            request: { method: GET, url: https://a.test/item }
            variants:
              - { name: found, empty: 200 }
              - { name: "a|b", empty: 404 }
          - name: me
            request: { method: GET, url: https://a.test/me }
            variants: [{ name: known, empty: 200 }]

        """

    private func cassette() throws -> Cassette {
        let result = CassetteReader.read(Array(Self.text.utf8), name: "x", path: "x.yaml")
        try #require(!result.hasErrors, "\(result.diagnostics)")
        return result.cassette
    }

    private func coverage(_ sets: [CassetteUsage.SetUsage], path: String = "x.yaml") throws -> CassetteCoverage {
        CassetteCoverage(try self.cassette(), path: path, usage: CassetteUsage(path: path, sets: sets))
    }

    private let item = "GET https://a.test/item"
    private let me = "GET https://a.test/me"

    @Test func `each set has a row with the variants that were played and those that were not`() throws {
        let report = CoverageReport([
            try self.coverage([
                .init(name: "item", request: self.item, asked: 4, variants: ["found": 3, "offline": 1]),
                .init(name: "me", request: self.me, asked: 0),
            ])
        ])
        #expect(
            report.rows == [
                ["RESPONSE SET", "PLAYED", "NOT PLAYED"],
                ["item", "found (3), offline (1)", "a|b"],
                ["me", "-", "known"],
            ]
        )
        #expect(report.summary == "1 of 2 response sets and 1 of 3 variants were played")
        #expect(!report.isComplete)
        #expect(report.markdown.hasPrefix("1 of 2 response sets and 1 of 3 variants were played\n\n| RESPONSE SET | "))
        #expect(report.markdown.contains("\n|---|---|---|\n| item | found (3), offline (1) | a\\|b |\n"))
    }

    @Test func `coverage is complete when every variant is played`() throws {
        let report = CoverageReport([
            try self.coverage([
                .init(name: "item", request: self.item, asked: 2, variants: ["found": 1, "a|b": 1]),
                .init(name: "me", request: self.me, asked: 1, variants: ["known": 1]),
            ])
        ])
        #expect(report.isComplete)
        #expect(report.summary == "2 of 2 response sets and 3 of 3 variants were played")
    }

    @Test func `a set that played only a built-in variant counts as played, and its own variants do not`() throws {
        let report = CoverageReport([
            try self.coverage([.init(name: "me", request: self.me, asked: 1, variants: ["server-error": 1])])
        ])
        #expect(report.responseSets.played == 1)
        #expect(report.variants == CoverageReport.Count([false, false, false]))
    }

    @Test func `a set that is in no report, or whose request has changed, is newer than the reports`() throws {
        let old = "GET https://a.test/old"
        let usage = CassetteUsage.SetUsage(name: "me", request: old, asked: 1, variants: ["known": 1])
        let report = CoverageReport([try self.coverage([usage]), try self.coverage([], path: "y.yaml")])
        #expect(report.rows.first == ["CASSETTE", "RESPONSE SET", "PLAYED", "NOT PLAYED"])
        #expect(report.rows[2] == ["x.yaml", "me (newer than the reports)", "-", "known"])
        #expect(report.responseSets == CoverageReport.Count([false, false, false, false]))
    }
}
