import TapedeckCassettes
import TapedeckCore
import Testing

/// A watched folder with a cassette `api`. Waits for reports, one after the other.
final class WatchedFolder {
    /// Something that was reported, with what could be played in that moment.
    struct Report: Sendable {
        var change: CassetteChange
        /// The sets of each cassette, by path.
        var sets: [String: [ResponseSet]]
    }

    let folder: TemporaryFolder
    let library: CassetteLibrary
    let locations: [CassetteLocation]
    private var reports: AsyncStream<Report>.Iterator
    private let finish: () -> Void

    /// Starts to watch cassettes of these names; those that are not in `files` are still to be recorded.
    ///
    /// - Parameters:
    ///   - isTold: by the system. Else the files are looked at every ten milliseconds, or after `interval`.
    ///   - meanwhile: done after the cassettes were loaded and before they are watched.
    init(
        _ names: [String] = ["api"],
        files: [String: String],
        isTold: Bool = true,
        interval: Int? = nil,
        meanwhile: (TemporaryFolder) throws -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        self.folder = folder
        let library = CassetteLibrary(folder: folder.path, store: CassetteStore(digest: TestDigest.digest))
        self.library = library
        let locations = try names.map { try library.location(named: $0) }
        self.locations = locations
        var timing = CassetteWatcher.Timing()
        timing.quiet = 10
        timing.usesNotifications = isTold
        // A watcher with notifications must not succeed by polling.
        timing.interval = interval ?? (isTold ? 60_000 : 10)
        for location in locations { _ = try library.tape(of: [location], mayBeMissing: location) }
        let (stream, continuation) = AsyncStream<Report>.makeStream()
        self.reports = stream.makeAsyncIterator()
        try meanwhile(folder)
        let isWatching = library.watch(timing: timing) { change in
            var sets: [String: [ResponseSet]] = [:]
            for location in locations {
                sets[location.path] = try? library.tape(of: [location], mayBeMissing: location).entries.map(\.set)
            }
            continuation.yield(Report(change: change, sets: sets))
        }
        #expect(isWatching)
        self.finish = { continuation.finish() }
    }

    deinit {
        self.library.stopWatching()
    }

    /// Stops the watching; everything that is still reported has been reported then.
    func stop() {
        self.library.stopWatching()
        self.finish()
    }

    func path(_ name: String) -> String {
        self.folder.path("\(name).yaml")
    }

    /// The next thing that is reported; `nil` after ``stop()`` when there is nothing more.
    func next() async -> Report? {
        await self.reports.next()
    }

    /// The paths of the next report, which must be that they were read again.
    func reloaded() async throws -> [String] {
        let report = try #require(await self.next())
        guard case .reloaded(let paths) = report.change else {
            Issue.record("not read again: \(report.change)")
            return []
        }
        return paths
    }

    /// The sets of the first cassette, when it is next read again.
    func sets() async throws -> [ResponseSet] {
        let report = try #require(await self.next())
        #expect(report.change == .reloaded(paths: [self.locations[0].path]))
        return report.sets[self.locations[0].path] ?? []
    }

    /// The problem that is reported next.
    func problem() async throws -> String {
        let report = try #require(await self.next())
        guard case .unusable(_, let problem) = report.change else {
            Issue.record("no problem: \(report.change)")
            return ""
        }
        return problem
    }

    /// A cassette with one set of that name.
    static func cassette(_ set: String, body: String = "{ text: hello }") -> String {
        CassetteText.sets(
            """
            name: \(set)
            request: { url: https://a.test/ }
            variants: [ { name: b, takes: [ { status: 200, body: \(body) } ] } ]
            """
        )
    }
}
