package import TapedeckCore
import TapedeckLocking

/// The cassettes that sessions play: each is loaded once, and compiled once for each list of cassettes, for any number
/// of sessions.
///
/// A tape is kept while a session plays it, and after that until others have been made; see ``TapeCache``. Everything
/// here may read files, so none of it belongs on an event loop.
package final class CassetteLibrary: Sendable {
    /// The folder of cassettes with a bare name.
    package let folder: String
    package let store: CassetteStore
    /// True if a name may be the absolute path of any file.
    package let takesPaths: Bool
    private let prepare: @Sendable (Cassette) -> Cassette
    private let admit: @Sendable (Cassette) throws(CassetteError) -> Void
    let state = Locked(State())
    private let readings = Turns()
    private let compilations = Turns()
    private let watcher = Locked<CassetteWatcher?>(nil)

    /// - Parameters:
    ///   - takesPaths: true if a name may be the absolute path of a file: for a caller that owns the disk.
    ///   - prepare: changes every loaded cassette before it is played.
    ///   - admit: refuses a cassette that must not be played. Not called for a cassette to record into.
    package init(
        folder: String,
        store: CassetteStore,
        takesPaths: Bool = false,
        prepare: @escaping @Sendable (Cassette) -> Cassette = { $0 },
        admit: @escaping @Sendable (Cassette) throws(CassetteError) -> Void = { _ in }
    ) {
        self.folder = folder
        self.store = store
        self.takesPaths = takesPaths
        self.prepare = prepare
        self.admit = admit
    }

    // MARK: Tapes

    /// Returns the tape of cassettes that are played together. Equal lists share a tape, until a cassette changes.
    ///
    /// - Parameters:
    ///   - mayBeMissing: a cassette to record, which need not exist.
    ///   - match: the parts of requests that count, in place of what the cassettes say.
    /// - Throws: ``CassetteError`` if one cannot be used.
    package func tape(
        of locations: [CassetteLocation],
        mayBeMissing: CassetteLocation? = nil,
        match: [MatchingRules.Part]? = nil
    ) throws -> Tape {
        let key = TapeKey(paths: locations.map(\.path), match: match)
        while true {
            let loaded = try locations.map { location throws(CassetteError) in
                try self.load(location, mayBeMissing: location.path == mayBeMissing?.path)
            }
            if let tape = self.compile(loaded, key) { return tape }
            // A cassette was read again meanwhile.
        }
    }

    /// Returns `nil` if the cassettes have been replaced meanwhile.
    private func compile(_ loaded: [LoadedCassette], _ key: TapeKey) -> Tape? {
        let versions = loaded.map(\.version)
        if let tape = self.kept(key, versions) { return tape }
        return self.compilations.take(key.paths) {
            if let tape = self.kept(key, versions) { return tape }
            var cassettes = loaded.compactMap(\.cassette)
            if let match = key.match { for index in cassettes.indices { cassettes[index].matching.parts = match } }
            let tape = Tape(cassettes)
            let (isCurrent, _) = self.state.withLock { state -> (Bool, [Tape]) in
                guard state.keep(loaded) else { return (false, []) }
                return (true, state.tapes.insert(tape, of: key, versions))
            }
            return isCurrent ? tape : nil
        }
    }

    private func kept(_ key: TapeKey, _ versions: [Int]) -> Tape? {
        self.state.withLock { $0.tapes.tape(of: key, versions) }
    }

    // MARK: Cassettes

    /// Returns a cassette for playing. Reads its file if that was not done before.
    ///
    /// - Throws: ``CassetteError`` if it cannot be used.
    package func cassette(_ location: CassetteLocation) throws -> Cassette {
        guard let cassette = try self.load(location, mayBeMissing: false).cassette else {
            throw CassetteError(path: location.path, "there is no such cassette")
        }
        return cassette
    }

    /// The cassette as it may be used, which may be less than its file says; see ``init(folder:store:takesPaths:prepare:admit:)``.
    package func prepared(_ cassette: Cassette) -> Cassette { self.prepare(cassette) }

    private func load(_ location: CassetteLocation, mayBeMissing: Bool) throws(CassetteError) -> LoadedCassette {
        if let loaded = self.loaded(location.path), loaded.cassette != nil { return loaded }
        return try self.readings.take(location.path) { () throws(CassetteError) in
            let known = self.loaded(location.path)
            if let known, known.cassette != nil { return known }
            let before = location.isInMemory ? [:] : [location.path: FileSignature(location.path)]
            if mayBeMissing, !FileContents.exists(location.path) {
                return known ?? self.insert(nil, location, before)
            }
            let cassette = try self.store.load(location)
            if !mayBeMissing { try self.admit(cassette) }
            return self.insert(self.prepare(cassette), location, before)
        }
    }

    func loaded(_ path: String) -> LoadedCassette? {
        self.state.withLock { $0.cassettes[path] }
    }

    private func insert(
        _ cassette: Cassette?,
        _ location: CassetteLocation,
        _ before: [String: FileSignature?]
    ) -> LoadedCassette {
        let files = CassetteFiles(location, of: cassette, before: before)
        let (loaded, _) = self.state.withLock { state -> (LoadedCassette, [LoadedCassette]) in
            let version = state.nextVersion()
            let loaded = LoadedCassette(location: location, cassette: cassette, version: version, files: files)
            let isFull = location.isInMemory || state.cassettes.count >= State.spareLimit
            let spare = isFull ? state.sweep() : []
            state.cassettes[location.path] = loaded
            state.peeks[location.path] = nil
            // Let go of without the lock.
            return (loaded, spare)
        }
        if location.isInMemory { return loaded }
        self.watcher.withLock { $0?.wake() }
        return loaded
    }

    // MARK: Reading again

    /// Reloads cassettes; one that cannot be used now keeps playing unchanged. ``watch(timing:_:)`` does not report
    /// these changes.
    ///
    /// - Returns: the paths of those that are different.
    package func reload(_ locations: [CassetteLocation]) -> Set<String> {
        var changed: Set<String> = []
        for location in locations where self.look(location) == .changed { changed.insert(location.path) }
        return changed
    }

    /// The result of reloading a cassette.
    enum Look: Equatable {
        case same
        case changed
        /// It cannot be used as it is now; the old one stays.
        case unusable(String)
        /// It was there and is gone; the old one stays.
        case missing
    }

    /// Reads a cassette again, if it is loaded, and drops outdated tapes.
    func look(_ location: CassetteLocation) -> Look {
        self.readings.take(location.path) {
            guard !location.isInMemory, let known = self.loaded(location.path) else { return .same }
            let before = known.files.now()
            guard FileContents.exists(location.path) else {
                let isGone = known.cassette != nil
                self.noteProblem(isGone ? "the file is gone" : nil, of: known, before)
                return isGone ? .missing : .same
            }
            do throws(CassetteError) {
                return self.replace(known, by: self.prepare(try self.store.load(location)), before)
            } catch {
                self.noteProblem(error.description, of: known, before)
                return .unusable(error.description)
            }
        }
    }

    private func noteProblem(_ problem: String?, of known: LoadedCassette, _ before: [String: FileSignature?]) {
        self.state.withLock { state in
            state.cassettes[known.location.path]?.problem = problem
            state.cassettes[known.location.path]?.files.look(before)
        }
    }

    private func replace(
        _ known: LoadedCassette,
        by cassette: Cassette,
        _ before: [String: FileSignature?]
    ) -> Look {
        let files = CassetteFiles(known.location, of: cassette, before: before)
        let isSame = known.cassette == cassette && !known.files.differ(from: before, in: cassette.bodyFiles)
        _ = self.state.withLock { state -> [Tape] in
            state.cassettes[known.location.path]?.files = files
            state.cassettes[known.location.path]?.problem = nil
            guard !isSame else { return [] }
            let version = state.nextVersion()
            state.cassettes[known.location.path]?.version = version
            state.cassettes[known.location.path]?.cassette = cassette
            // Let go of without the lock.
            return state.tapes.drop(known.location.path)
        }
        return isSame ? .same : .changed
    }

    // MARK: Watching

    /// Watches the files of every loaded cassette, now or later, and reads changed ones again, each separately.
    ///
    /// - Parameter report: called on the watcher's thread, where it may take its time, but must not stop the watching.
    ///   When it is called for a reloaded cassette, ``tape(of:mayBeMissing:match:)`` returns the new tape already.
    /// - Returns: false if the system has no thread or file descriptor left for it.
    package func watch(
        timing: CassetteWatcher.Timing = CassetteWatcher.Timing(),
        _ report: @escaping @Sendable (CassetteChange) -> Void
    ) -> Bool {
        self.stopWatching()
        guard let watcher = CassetteWatcher(self, timing: timing, report: report) else { return false }
        self.watcher.withLock { $0 = watcher }
        // A cassette loaded between its first look and now could not wake it.
        watcher.wake()
        return true
    }

    /// Ends the watching; what is being reported is waited for. Nothing is reported afterwards.
    package func stopWatching() {
        self.watcher.withLock { $0.take() }?.stop()
    }

    /// The cassettes to watch.
    var watched: [LoadedCassette] {
        self.state.withLock { Array($0.cassettes.values) }
    }
}
