import TapedeckCore
import TapedeckLocking

/// The handling of cassettes at the start of a session.
extension CassetteLibrary {
    /// Returns the cassette with files shared with other sessions, if they are equal.
    package func shared(_ location: CassetteLocation) -> CassetteLocation {
        self.loaded(location.path)?.location ?? location
    }

    /// Reads those cassettes again whose files have changed, for a caller that may have written them just now, before a
    /// watcher could notice.
    ///
    /// - Parameter mayBeMissing: a cassette to record, which need not exist.
    /// - Returns: the paths of changed cassettes.
    /// - Throws: ``CassetteError`` if one cannot be used in its new version. Sessions that play it continue with the
    ///   old one.
    package func renew(
        _ locations: [CassetteLocation],
        mayBeMissing: CassetteLocation? = nil
    ) throws(CassetteError) -> Set<String> {
        var changed: Set<String> = []
        for location in locations {
            guard let known = self.loaded(location.path), known.cassette != nil,
                known.problem != nil || known.files.isUncertain || known.files.areOutdated(hasProblem: false)
            else { continue }
            switch self.look(location) {
            case .same: continue
            case .changed: changed.insert(location.path)
            case .missing where location.path == mayBeMissing?.path: self.forget(location)
            case .missing, .unusable: _ = try self.store.load(location)
            }
        }
        return changed
    }

    /// Makes the next user of a cassette read it again.
    private func forget(_ location: CassetteLocation) {
        _ = self.state.withLock { state -> ([Tape], LoadedCassette?) in
            // Let go of without the lock.
            (state.tapes.drop(location.path), state.cassettes.removeValue(forKey: location.path))
        }
    }
}

extension CassetteLibrary {
    /// Reads every cassette that is loaded again, each by itself, whether its file looks changed or not; one that cannot
    /// be used now plays on as it was.
    ///
    /// - Returns: how many were read, and what is different; those that are as they were are not among that.
    package func reloadAll() -> (read: Int, changes: [CassetteChange]) {
        let locations = self.watched.filter { !$0.location.isInMemory && $0.cassette != nil }.map(\.location)
            .sorted { $0.path < $1.path }
        var reloaded: [String] = []
        var problems: [CassetteChange] = []
        for location in locations {
            switch self.look(location) {
            case .same: continue
            case .changed: reloaded.append(location.path)
            case .unusable(let problem): problems.append(.unusable(path: location.path, problem: problem))
            case .missing: problems.append(.missing(path: location.path))
            }
        }
        return (locations.count, (reloaded.isEmpty ? [] : [.reloaded(paths: reloaded)]) + problems)
    }
}
