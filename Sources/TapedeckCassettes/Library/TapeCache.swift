import TapedeckCore

/// The cassettes of a tape, and how they are played.
struct TapeKey: Hashable, Sendable {
    var paths: [String]
    /// The parts of requests that count, whatever the cassettes say; `nil` is as they say.
    var match: [MatchingRules.Part]?
}

/// The tapes of a library: those in use, and the last few requested ones.
///
/// They are held strongly, and unused ones are released when another one is made: a weak reference would make every
/// retain of a tape slower, and each request needs several.
struct TapeCache {
    /// The number of unused tapes that are kept: tests create a session per test case, and between two of them a tape
    /// is unused.
    static let spareLimit = 8

    private struct Kept {
        var tape: Tape
        /// Those of its cassettes when it was compiled.
        var versions: [Int]
        /// The number of the last use of any tape.
        var lastUse: Int
    }

    private var kept: [TapeKey: Kept] = [:]
    private var uses = 0

    /// The tape of these cassettes in these versions.
    mutating func tape(of key: TapeKey, _ versions: [Int]) -> Tape? {
        guard let kept = self.kept[key], kept.versions == versions else { return nil }
        self.uses += 1
        self.kept[key]?.lastUse = self.uses
        return kept.tape
    }

    /// Stores a tape. Returns dropped tapes, to be released outside of the lock.
    mutating func insert(_ tape: Tape, of key: TapeKey, _ versions: [Int]) -> [Tape] {
        self.uses += 1
        let old = self.kept.updateValue(Kept(tape: tape, versions: versions, lastUse: self.uses), forKey: key)
        return self.sweep() + [old?.tape].compactMap { $0 }
    }

    /// Drops the tapes with the cassette at `path`. Returns them, to be released outside of the lock.
    mutating func drop(_ path: String) -> [Tape] {
        let dropped = self.kept.filter { $0.key.paths.contains(path) }
        for key in dropped.keys { self.kept[key] = nil }
        return dropped.values.map(\.tape)
    }

    /// The paths of the cassettes of all tapes there are.
    var paths: Set<String> {
        Set(self.kept.keys.flatMap(\.paths))
    }

    /// Drops unused tapes, except the last few.
    private mutating func sweep() -> [Tape] {
        let spare = self.kept.values.map(\.lastUse).sorted().dropLast(Self.spareLimit)
        guard let newest = spare.last else { return [] }
        var unplayed: [TapeKey] = []
        var index = self.kept.startIndex
        while index < self.kept.endIndex {
            if self.kept.values[index].lastUse <= newest, isKnownUniquelyReferenced(&self.kept.values[index].tape) {
                unplayed.append(self.kept.keys[index])
            }
            index = self.kept.index(after: index)
        }
        return unplayed.compactMap { self.kept.removeValue(forKey: $0)?.tape }
    }
}
