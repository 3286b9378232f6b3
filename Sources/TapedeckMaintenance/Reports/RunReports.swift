import TapedeckCassettes
import TapedeckCore

/// The reports of several runs, added up.
struct RunReports: Sendable {
    /// The total usage of each cassette by all runs, by its canonical path.
    private let usages: [String: CassetteUsage]
    /// The reports whose runs may not have requested everything, in the order given.
    let doubts: [(file: String, doubt: String)]
    /// The reports that do not count the answers of variants.
    let withoutVariants: [String]

    /// Reads the reports.
    ///
    /// - Parameter names: files, and folders of them.
    /// - Throws: ``DeckError`` when one cannot be used.
    init(_ names: [String]) throws(DeckError) {
        var tally = UsageTally()
        var doubts: [(file: String, doubt: String)] = []
        var withoutVariants: [String] = []
        for file in try Self.files(names) {
            let report = try RunReport(file: file)
            if let doubt = report.doubt { doubts.append((file, doubt)) }
            if !report.countsVariants { withoutVariants.append(file) }
            tally.add(report.cassettes.map { CassetteUsage(path: WorkingFolder.canonical($0.path), sets: $0.sets) })
        }
        self.usages = Dictionary(tally.cassettes.map { ($0.path, $0) }) { first, _ in first }
        self.doubts = doubts
        self.withoutVariants = withoutVariants
    }

    /// Returns the files among the names, and the JSON files of the folders among them.
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

    /// Returns the cassettes that a command handles: those given, or all in the reports.
    ///
    /// - Throws: ``DeckError`` if no report names a given cassette, or if there are no cassettes.
    func locations(_ given: [CassetteLocation]) throws(DeckError) -> [CassetteLocation] {
        let known = self.usages.keys.sorted()
        let shown = known.map(WorkingFolder.shown).joined(separator: ", ")
        for location in given where self.usages[WorkingFolder.canonical(location.path)] == nil {
            guard FileContents.exists(location.path) else { continue }
            throw DeckError(
                "no report tells of \(location.path), so what was asked of it is not known; they tell of "
                    + (known.isEmpty ? "no cassette" : shown),
                kind: .badOption
            )
        }
        guard given.isEmpty else { return given }
        let locations = known.filter(FileContents.exists).map {
            CassetteLocation(WorkingFolder.shown($0), folder: ".")
        }
        guard !locations.isEmpty else {
            throw DeckError(
                known.isEmpty
                    ? "the reports tell of no cassette"
                    : "none of the cassettes that the reports tell of is here: \(shown); run this where the runs ran",
                kind: .badOption
            )
        }
        return locations
    }

    /// Returns how often all runs together used a cassette.
    func usage(of location: CassetteLocation) -> CassetteUsage {
        let path = WorkingFolder.canonical(location.path)
        return self.usages[path] ?? CassetteUsage(path: path, sets: [])
    }
}
