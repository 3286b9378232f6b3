package import TapedeckCassettes
import TapedeckCore

/// The response sets and variants that some runs played, and those that none played, for people and programs.
package struct CoverageReport: Encodable, Sendable {
    package var cassettes: [CassetteCoverage]
    /// The totals.
    package var responseSets: Count
    package var variants: Count
    /// Notes for the person who reads it, such as reports of runs that failed.
    package let notes: [String]

    /// A number of things, and how many of them were played.
    package struct Count: Encodable, Sendable, Equatable {
        package var total: Int
        package var played: Int

        init(_ played: some Sequence<Bool>) {
            (self.total, self.played) = played.reduce((0, 0)) { ($0.0 + 1, $0.1 + ($1 ? 1 : 0)) }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case cassettes, responseSets, variants
    }

    /// Compares cassettes with reports of runs.
    ///
    /// - Parameters:
    ///   - given: the cassettes; empty for all that the reports name.
    ///   - reports: files, and folders of them.
    /// - Throws: ``DeckError`` when a report or a cassette cannot be used.
    package init(_ given: [CassetteLocation], reports: [String]) throws(DeckError) {
        let runs = try RunReports(reports)
        if let file = runs.withoutVariants.first {
            throw DeckError(
                "\(file) was written by an older Tapedeck, which did not count the answers of variants; run the tests "
                    + "again with --report",
                kind: .badOption
            )
        }
        let locations = try runs.locations(given)
        do {
            self.init(
                try locations.map { location in
                    let cassette = try CassetteStore.onDisk.load(location)
                    return CassetteCoverage(cassette, path: location.path, usage: runs.usage(of: location))
                },
                notes: runs.doubts.map { "\($0.file) may miss answers: \($0.doubt)" }
            )
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
    }

    init(_ cassettes: [CassetteCoverage], notes: [String] = []) {
        self.cassettes = cassettes
        let sets = cassettes.flatMap(\.responseSets)
        self.responseSets = Count(sets.map(\.isPlayed))
        self.variants = Count(sets.flatMap(\.variants).filter { !$0.isBuiltIn }.map { $0.played > 0 })
        self.notes = notes
    }

    /// True if every variant of every response set was played.
    package var isComplete: Bool { self.variants.played == self.variants.total }

    // MARK: Forms

    /// The totals in a line.
    package var summary: String {
        "\(self.responseSets.played) of \(Plural.text(self.responseSets.total, "response set", "response sets")) and "
            + "\(self.variants.played) of \(Plural.text(self.variants.total, "variant", "variants")) were played"
    }

    /// The rows of a table, the head first: a row for each response set.
    package var rows: [[String]] {
        // A single cassette needs no column.
        let namesCassettes = self.cassettes.count > 1
        let head = ["RESPONSE SET", "PLAYED", "NOT PLAYED"]
        let rows = self.cassettes.flatMap { cassette in
            cassette.responseSets.map { (namesCassettes ? [cassette.path] : []) + Self.cells($0) }
        }
        return [(namesCassettes ? ["CASSETTE"] : []) + head] + rows
    }

    private static func cells(_ set: CassetteCoverage.ResponseSet) -> [String] {
        let played = set.variants.filter { $0.played > 0 }.map { "\($0.name) (\($0.played))" }
        let notPlayed = set.variants.filter { $0.played == 0 }.map(\.name)
        let name = set.isOnReport ? set.name : "\(set.name) (newer than the reports)"
        return [name] + [played, notPlayed].map { $0.isEmpty ? "-" : $0.joined(separator: ", ") }
    }

    /// The totals and a table in Markdown.
    package var markdown: String {
        let rows = self.rows
        let lines = rows.map(Markdown.row)
        let rule = "|" + String(repeating: "---|", count: rows[0].count)
        return ([self.summary, "", lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }
}
