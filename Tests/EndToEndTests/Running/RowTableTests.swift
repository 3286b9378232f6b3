import Foundation
import Testing

/// The page for users of other tools: it has every row, and its claims are tested.
@Suite(.ownThreads) struct RowTableTests {
    private struct Row {
        var number: String
        /// The feature of the other tool.
        var there: String
        /// The equivalent here.
        var here: String
        /// Returns `nil` for a line that is not a row.
        init?(_ line: String) {
            guard line.hasPrefix("| "), line.hasSuffix(" |") else { return nil }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard cells.count == 3, cells[0].wholeMatch(of: #/[DKBFVX]\d+/#) != nil else { return nil }
            self.number = cells[0]
            self.there = cells[1]
            self.here = cells[2]
        }
    }

    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private let page: String
    private let rows: [Row]
    /// The names of tests, by row.
    private let tests: [String: [String]]

    init() throws {
        let file = Self.repository.appendingPathComponent("docs/coming-from-other-tools.md")
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        self.page = page
        self.rows = page.components(separatedBy: "\n").compactMap { Row($0) }
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("row_tests.txt")
        let lines = String(decoding: try Data(contentsOf: list), as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        self.tests = Dictionary(grouping: lines) { $0[0] }.mapValues { $0.map { $0[1] } }
    }

    private static let everything = [
        ("D", 32), ("K", 38), ("B", 33), ("F", 16), ("V", 27), ("X", 17),
    ].flatMap { letter, count in
        (1...count).map { "\(letter)\($0)" }
    }

    @Test func `every row of the other tools is mentioned once`() {
        let mentioned = self.page.matches(of: #/\b[DKBFVX]\d+\b/#).map { String($0.output) }
        #expect(mentioned.sorted() == Self.everything.sorted())
    }

    @Test func `every row has an equivalent here, and a test`() {
        #expect(self.rows.count > 80)
        for row in self.rows {
            #expect(!row.there.isEmpty && !row.here.isEmpty, "\(row.number)")
            #expect(self.tests[row.number] != nil, "\(row.number)")
        }
        #expect(Set(self.tests.keys).isSubset(of: Self.everything))
        // No line of a table was left out for its form.
        let lines = self.page.components(separatedBy: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| # |") }
        #expect(lines.count == self.rows.count)
    }

    @Test func `every test of a row exists`() throws {
        let folder = Self.repository.appendingPathComponent("Tests").path
        let result = try TestFolder().run(
            ["grep", "-rhoE", "--include=*.swift", "--include=*.py", "--exclude-dir=.build"]
                + ["(func|def) (`[^`]+`|[[:alnum:]_]+)\\(", folder]
        )
        let declarations = Set(result.outputText.split(separator: "\n").map(String.init))
        let named = Set(self.tests.values.joined())
        #expect(named.count > 30)
        for name in named {
            let spellings = ["func `\(name)`(", "func \(name)(", "def \(name)("]
            #expect(spellings.contains { declarations.contains($0) }, "\(name)")
        }
    }

    @Test func `the page begins with the number of rows`() throws {
        let count = try #require(self.page.firstMatch(of: #/All (\d+) rows have an equivalent here/#))
        #expect(Int(count.1) == self.rows.count)
    }
}
