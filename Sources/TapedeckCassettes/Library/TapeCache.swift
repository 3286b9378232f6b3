import TapedeckCore

/// The tapes of a library: those that somebody plays, and the last few that were asked for.
struct TapeCache {
    /// Tapes that are kept though nobody may be playing them: tests make a session for each test case, and between two
    /// of them nobody plays.
    static let spareLimit = 8

    private struct Kept {
        weak var tape: Tape?
        /// Those of its cassettes when it was compiled.
        var versions: [Int]
    }

    private var kept: [[String]: Kept] = [:]
    /// The last ones that were asked for; the latest is the last.
    private var recent: [Tape] = []

    /// The tape of these cassettes in these versions.
    ///
    /// - Returns: with the tape what is no longer kept for its sake, to be let go of without a lock.
    mutating func tape(of paths: [String], _ versions: [Int]) -> (tape: Tape, spare: Tape?)? {
        guard let kept = self.kept[paths], kept.versions == versions, let tape = kept.tape else { return nil }
        return (tape, self.use(tape))
    }

    /// Keeps a tape. Returns what is no longer kept for its sake, to be let go of without a lock.
    mutating func insert(_ tape: Tape, of paths: [String], _ versions: [Int]) -> Tape? {
        self.kept = self.kept.filter { $0.value.tape != nil }
        self.kept[paths] = Kept(tape: tape, versions: versions)
        return self.use(tape)
    }

    /// Forgets the tapes with the cassette at `path`. Returns them, to be let go of without a lock.
    mutating func drop(_ path: String) -> [Tape] {
        let dropped = self.kept.filter { $0.key.contains(path) }
        let tapes = dropped.values.compactMap(\.tape)
        for paths in dropped.keys { self.kept[paths] = nil }
        self.recent.removeAll { tape in tapes.contains { $0 === tape } }
        return tapes
    }

    /// The paths of the cassettes of all tapes there are.
    var paths: Set<String> {
        Set(self.kept.filter { $0.value.tape != nil }.keys.joined())
    }

    private mutating func use(_ tape: Tape) -> Tape? {
        guard self.recent.last !== tape else { return nil }
        self.recent.removeAll { $0 === tape }
        self.recent.append(tape)
        return self.recent.count > Self.spareLimit ? self.recent.removeFirst() : nil
    }
}
