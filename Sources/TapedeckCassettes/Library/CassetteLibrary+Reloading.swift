import TapedeckLocking

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
