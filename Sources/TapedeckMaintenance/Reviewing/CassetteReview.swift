package import TapedeckCassettes
package import TapedeckCore
import TapedeckTLS
import TapedeckYAML

/// The changes to a folder of cassettes since an earlier state of it, for `tapedeck diff REVISION`.
package struct CassetteReview: Sendable {
    /// A cassette that was added, removed or changed.
    struct Change: Sendable {
        /// Relative to the folder.
        var path: String
        /// ``DifferenceKind/onlyInFirst`` if it was removed, ``DifferenceKind/onlyInSecond`` if it was added.
        var kind: DifferenceKind
        /// For an added or removed cassette: all of it.
        var difference: CassetteDifference
        /// When its oldest take was recorded; `nil` for a removed cassette, and for one that was written by hand.
        var oldest: Instant?
        /// The take that is older than the cassette allows.
        var overage: Cassette.Overage?
        /// The reason why its earlier state cannot be read, in which case it counts as added.
        var problem: String?

        /// The number of differences of one kind in its takes.
        func count(_ kind: TakeDifference.Kind) -> Int {
            self.difference.sets.flatMap(\.variants).flatMap(\.takes).flatMap(\.differences).count { $0.kind == kind }
        }
    }

    /// The user's name for the earlier state.
    let base: String
    /// By path.
    let changes: [Change]
    /// The number of cassettes that play the same.
    let unchanged: Int
    /// Secrets that the earlier state does not have. Their paths are relative to the folder.
    let secrets: [ScanFinding]
    let now: Instant

    /// True if all cassettes play the same, and no secret was added.
    package var isEmpty: Bool { self.changes.isEmpty && self.secrets.isEmpty }

    /// - Parameters:
    ///   - old: the folder as it was; it need not exist.
    ///   - new: the folder as it is.
    ///   - base: the user's name for the earlier state.
    ///   - scan: finds secrets in both.
    ///   - now: the time by which takes have an age.
    ///   - progress: counts the cassettes.
    /// - Throws: ``DeckError`` if a present cassette cannot be read.
    package init(
        from old: String,
        to new: String,
        since base: String,
        scan: SecretScan,
        now: Instant,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        (self.base, self.now) = (base, now)
        var changes: [Change] = []
        var unchanged = 0
        let comparison = CassetteComparison { SHA256.hexDigest(of: $0) }
        do {
            let (oldPaths, newPaths) = (Self.cassettes(in: old), Self.cassettes(in: new))
            let paths = Set(oldPaths + newPaths).sorted()
            progress?.begin(paths.count)
            for path in paths {
                defer { progress?.step() }
                let there = newPaths.contains(path) ? try Self.cassette(path, in: new) : nil
                var before: Cassette?
                var problem: String?
                do {
                    before = oldPaths.contains(path) ? try Self.cassette(path, in: old) : nil
                } catch {
                    problem = "\(error)".replacing("\(old)/", with: "\(base):")
                }
                let empty = Cassette(name: there?.name ?? before?.name ?? path, responseSets: [])
                let difference = try comparison.difference(from: before ?? empty, to: there ?? empty)
                if before != nil, there != nil, difference.isEmpty {
                    unchanged += 1
                    continue
                }
                guard there != nil || before != nil else { continue }
                changes.append(
                    Change(
                        path: path,
                        kind: before == nil ? .onlyInSecond : there == nil ? .onlyInFirst : .changed,
                        difference: difference,
                        oldest: there?.oldestRecording,
                        overage: there?.overage(at: now),
                        problem: problem
                    )
                )
            }
            self.secrets = try Self.added(
                from: Self.findings(of: scan, in: old, oldPaths),
                to: Self.findings(of: scan, in: new, newPaths)
            )
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
        (self.changes, self.unchanged) = (changes, unchanged)
    }

    private static func cassette(_ path: String, in folder: String) throws(CassetteError) -> Cassette {
        try CassetteStore.onDisk.load(CassetteLocation(FilePath.join(folder, path), folder: folder))
    }

    /// The paths of the cassettes of a folder and of those in it, relative to it. Other YAML files are left out.
    private static func cassettes(in folder: String) -> [String] {
        FileContents.cassettes(below: folder).filter { path in
            guard let source = try? FileContents.read(path), let document = try? YAMLDocument(parsing: source) else {
                // Its error is reported when it is read.
                return true
            }
            return document.root?["tapedeck"] != nil
        }
        .map { Self.relative($0, to: folder) }
    }

    private static func relative(_ path: String, to folder: String) -> String {
        path.hasPrefix(folder) ? String(path.dropFirst(folder.count).drop { $0 == "/" }) : path
    }

    // MARK: Secrets

    /// Returns the findings in the cassettes of a folder. Leaves out those that cannot be searched.
    private static func findings(of scan: SecretScan, in folder: String, _ paths: [String]) throws -> [ScanFinding] {
        try paths.flatMap { path in
            try scan.findings(in: FilePath.join(folder, path)).map { finding in
                var finding = finding
                finding.path = Self.relative(finding.path, to: folder)
                return finding
            }
        }
    }

    /// The findings of the second list without those that the first one has for the same file. Lines move, so a place does
    /// not count.
    private static func added(from old: [ScanFinding], to new: [ScanFinding]) -> [ScanFinding] {
        struct Key: Hashable {
            var path: String
            var kind: ScanFinding.Kind
        }
        var known = Dictionary(grouping: old) { Key(path: $0.path, kind: $0.kind) }.mapValues(\.count)
        return new.filter { finding in
            guard let count = known[Key(path: finding.path, kind: finding.kind)], count > 0 else { return true }
            known[Key(path: finding.path, kind: finding.kind)] = count - 1
            return false
        }
    }
}

extension Cassette {
    /// When its oldest take was recorded; `nil` if none was.
    fileprivate var oldestRecording: Instant? {
        self.responseSets.flatMap(\.variants).flatMap(\.behaviour.allTakes).compactMap(\.recordedTime)
            .min { $0.seconds < $1.seconds }
    }
}
