import TapedeckCore

extension CassetteLibrary {
    /// The loaded and compiled cassettes.
    struct State {
        /// Cassettes that are kept though no tape has them.
        static let spareLimit = 64
        /// The maximum memory of unused cassettes that came with a session, with all their files, in bytes. 64 MiB.
        private static let spareMemory = 64 << 20

        var cassettes: [String: LoadedCassette] = [:]
        var tapes = TapeCache()
        /// The contents of files that nothing plays, by path; see ``CassetteLibrary/list()``.
        var peeks: [String: CassettePeek] = [:]
        private var lastVersion = 0

        /// Another number each time.
        mutating func nextVersion() -> Int {
            self.lastVersion += 1
            return self.lastVersion
        }

        /// Keeps cassettes for playing; returns `false` if one of them has been read again since. One that was removed
        /// meanwhile, to make room for others, comes back.
        mutating func keep(_ loaded: [LoadedCassette]) -> Bool {
            let areCurrent = loaded.allSatisfy { cassette in
                self.cassettes[cassette.location.path].map { $0.version == cassette.version } ?? true
            }
            guard areCurrent else { return false }
            for cassette in loaded where self.cassettes[cassette.location.path] == nil {
                self.cassettes[cassette.location.path] = cassette
            }
            return true
        }

        /// Removes the oldest cassettes without a tape, beyond the kept number. Returns them, to be released outside of
        /// the lock.
        mutating func sweep() -> [LoadedCassette] {
            let played = self.tapes.paths
            let unplayed = self.cassettes.values.filter { !played.contains($0.location.path) }
                .sorted { $0.version > $1.version }
            var kept = 0
            var memory = 0
            let spare = unplayed.filter { cassette in
                memory += cassette.location.files?.size ?? 0
                guard kept < Self.spareLimit / 2, memory <= Self.spareMemory else { return true }
                kept += 1
                return false
            }
            for cassette in spare { self.cassettes[cassette.location.path] = nil }
            return spare
        }
    }
}
