package import TapedeckCassettes
import TapedeckCore

/// The removals of `tapedeck prune`: sets that no run requested.
package struct PrunePlan: Sendable {
    private let cassettes: [CassettePruning]

    /// True if there is nothing to remove.
    package var isEmpty: Bool { self.cassettes.allSatisfy(\.isEmpty) }

    /// The sets that would be removed and those that stay, for programs.
    package var summaries: [CassettePruning.Summary] { self.cassettes.map(\.summary) }

    /// The removed and kept sets, a line each.
    package var lines: [String] { self.cassettes.flatMap(\.lines) }

    /// - Parameters:
    ///   - given: the cassettes to prune; empty for all in the reports.
    ///   - reports: files, and folders of them.
    ///   - force: true to accept reports of failed runs.
    ///   - takesHandWritten: true to remove sets that a person wrote or extended, too.
    ///   - progress: counts the cassettes.
    /// - Throws: ``DeckError`` if a report or a cassette cannot be used.
    package init(
        _ given: [CassetteLocation],
        reports: [String],
        force: Bool,
        takesHandWritten: Bool,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        let runs = try RunReports(reports)
        if let (file, doubt) = runs.doubts.first, !force {
            throw DeckError(
                "\(file) cannot be pruned by: \(doubt), so it may not have requested all; give the report of a full run, "
                    + "or --force",
                kind: .badOption
            )
        }
        let locations = try runs.locations(given)
        do {
            progress?.begin(locations.count)
            self.cassettes = try locations.map { location in
                defer { progress?.step() }
                return try CassettePruning(
                    location,
                    usage: runs.usage(of: location),
                    takesHandWritten: takesHandWritten
                )
            }
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
    }

    /// Removes it.
    ///
    /// - Throws: ``DeckError`` when a file cannot be written.
    package func carryOut() throws(DeckError) {
        do {
            for cassette in self.cassettes where !cassette.isEmpty { try cassette.carryOut() }
        } catch {
            throw DeckError(error, kind: .notSaved)
        }
    }
}
