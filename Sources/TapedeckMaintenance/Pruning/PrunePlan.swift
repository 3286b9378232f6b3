package import TapedeckCassettes
import TapedeckCore

/// What `tapedeck prune` would remove: what none of some runs asked for.
package struct PrunePlan: Sendable {
    private let cassettes: [CassettePruning]

    /// Whether there is nothing to remove.
    package var isEmpty: Bool { self.cassettes.allSatisfy(\.isEmpty) }

    /// The sets that would be removed and those that stay, for programs.
    package var summaries: [CassettePruning.Summary] { self.cassettes.map(\.summary) }

    /// What would go and what stays, a line each.
    package var lines: [String] { self.cassettes.flatMap(\.lines) }

    /// - Parameters:
    ///   - given: the cassettes to prune; empty for all that the reports name.
    ///   - reports: files, and folders of them.
    ///   - force: take reports of runs that failed, too.
    ///   - takesHandWritten: whether sets go, too, that a person wrote or added to.
    /// - Throws: ``DeckError`` when a report or a cassette cannot be used.
    package init(
        _ given: [CassetteLocation],
        reports: [String],
        force: Bool,
        takesHandWritten: Bool
    ) throws(DeckError) {
        let usages = try Self.usages(reports, force: force)
        for location in given where usages[WorkingFolder.canonical(location.path)] == nil {
            guard FileContents.exists(location.path) else { continue }
            let known = usages.keys.sorted().map(WorkingFolder.shown).joined(separator: ", ")
            throw DeckError(
                "no report tells of \(location.path), so what was asked of it is not known; they tell of "
                    + (known.isEmpty ? "no cassette" : known),
                kind: .badOption
            )
        }
        let locations =
            given.isEmpty
            ? usages.keys.filter(FileContents.exists).sorted().map {
                CassetteLocation(WorkingFolder.shown($0), folder: ".")
            }
            : given
        guard !locations.isEmpty else {
            let missing = usages.keys.sorted().map(WorkingFolder.shown).joined(separator: ", ")
            throw DeckError(
                missing.isEmpty
                    ? "the reports tell of no cassette, so there is nothing to prune by them"
                    : "none of the cassettes that the reports tell of is here: \(missing); run this where the runs ran",
                kind: .badOption
            )
        }
        do {
            self.cassettes = try locations.map { location in
                let key = WorkingFolder.canonical(location.path)
                let usage = usages[key] ?? CassetteUsage(path: key, sets: [])
                return try CassettePruning(location, usage: usage, takesHandWritten: takesHandWritten)
            }
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
    }

    /// What all runs asked for, by the canonical paths of the cassettes.
    private static func usages(_ names: [String], force: Bool) throws(DeckError) -> [String: CassetteUsage] {
        var tally = UsageTally()
        for file in try self.files(names) {
            let report = try RunReport(file: file)
            if let doubt = report.doubt, !force {
                throw DeckError(
                    "\(file) cannot be pruned by: \(doubt), so it may not have asked for all; give the report of a full "
                        + "run, or --force",
                    kind: .badOption
                )
            }
            tally.add(
                report.cassettes.map { CassetteUsage(path: WorkingFolder.canonical($0.path), sets: $0.sets) }
            )
        }
        return Dictionary(tally.cassettes.map { ($0.path, $0) }) { first, _ in first }
    }

    /// Of a folder the JSON files in it.
    private static func files(_ names: [String]) throws(DeckError) -> [String] {
        var files: [String] = []
        for name in names {
            guard FileContents.exists(name), FileContents.size(name) == nil else {
                files.append(name)
                continue
            }
            let found = FileContents.names(in: name).filter { $0.hasSuffix(".json") }
            guard !found.isEmpty else { throw DeckError("there is no report in the folder \(name)", kind: .badOption) }
            files += found.map { FilePath.join(name, $0) }
        }
        return files
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
