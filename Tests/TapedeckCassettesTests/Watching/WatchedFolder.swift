import TapedeckCassettes
import TapedeckCore
import Testing

/// A folder with a cassette `api` that is being watched. What the watcher reports is waited for, one after the other.
final class WatchedFolder {
    let folder: TemporaryFolder
    let locations: [CassetteLocation]
    private let watcher: CassetteWatcher
    private var changes: AsyncStream<CassetteChange>.Iterator
    private let finish: () -> Void

    /// Starts to watch cassettes of these names, of which those have been loaded that are in `files`.
    ///
    /// - Parameter meanwhile: done after the cassettes were loaded and before they are watched.
    init(
        _ names: [String] = ["api"],
        files: [String: String],
        isTold: Bool = true,
        meanwhile: (TemporaryFolder) throws -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        self.folder = folder
        self.locations = names.map { CassetteLocation(folder.path("\($0).yaml"), folder: "") }
        let store = CassetteStore(digest: TestDigest.digest)
        var timing = CassetteWatcher.Timing()
        timing.quiet = 10
        timing.usesNotifications = isTold
        // One that is told must not get by with looking for itself.
        timing.interval = isTold ? 60_000 : 10
        self.watcher = CassetteWatcher(self.locations, store: store, timing: timing)
        let loaded = try self.locations.filter { FileContents.exists($0.path) }.map { try store.load($0) }
        let (stream, continuation) = AsyncStream<CassetteChange>.makeStream()
        self.changes = stream.makeAsyncIterator()
        try meanwhile(folder)
        let isWatching = self.watcher.start(with: loaded) { continuation.yield($0) }
        #expect(isWatching)
        self.finish = { continuation.finish() }
    }

    deinit {
        self.watcher.stop()
    }

    /// Stops the watcher; everything it still reports has been reported then.
    func stop() {
        self.watcher.stop()
        self.finish()
    }

    /// The next thing that is reported; `nil` after ``stop()`` when there is nothing more.
    func next() async -> CassetteChange? {
        await self.changes.next()
    }

    /// The cassettes of the next report, which must be that they were read again.
    func reloaded() async throws -> [Cassette] {
        let change = try #require(await self.next())
        guard case .reloaded(let cassettes, _) = change else {
            Issue.record("not read again: \(change)")
            return []
        }
        return cassettes
    }

    /// The names of the first cassette's sets, when it is next read again.
    func sets() async throws -> [String] {
        try await self.reloaded().first?.responseSets.map(\.name) ?? []
    }

    /// The problem that is reported next.
    func problem() async throws -> String {
        let change = try #require(await self.next())
        guard case .unusable(_, let problem) = change else {
            Issue.record("no problem: \(change)")
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
