import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckSessions
import TapedeckTLS

/// Adds response sets that were made of stubs to a cassette, without their secrets.
struct StubIntake {
    /// The sets that are not in the cassette, by their numbers, with the reasons.
    private(set) var refused: [Int: String] = [:]
    /// The places that could not be searched for secrets.
    private(set) var left: [ScanFinding] = []

    private let location: CassetteLocation
    private let redaction: RedactionOptions
    private let state: [StateEntry]
    /// The cassette's file before; `nil` without one.
    private let before: [UInt8]?

    /// Adds the sets. A set that cannot be written, or whose secrets cannot be replaced, is refused; all others are added.
    ///
    /// - Throws: ``CassetteError`` when the cassette cannot be used, `FileError` when it cannot be written. Nothing is added
    ///   then.
    init(
        _ sets: [ResponseSet],
        state: [StateEntry],
        to location: CassetteLocation,
        _ redaction: RedactionOptions
    ) throws {
        self.location = location
        self.redaction = redaction
        self.state = state
        self.before = FileContents.exists(location.path) ? try FileContents.read(location.path) : nil
        guard !sets.isEmpty else { return }
        let all = Array(sets.enumerated())
        do {
            try self.add(all)
            try self.refuseRepeated(all)
        } catch  where sets.count > 1 && !(error is FileError) {
            // One of them spoils the file: each is tried alone.
            (self.refused, self.left) = ([:], [])
            var good: [(offset: Int, element: ResponseSet)] = []
            var bad: [Int: String] = [:]
            for set in all {
                if let reason = self.refuses(set) { bad[set.offset] = reason } else { good.append(set) }
            }
            (self.refused, self.left) = (bad, [])
            if !good.isEmpty {
                try self.add(good)
                try self.refuseRepeated(good)
            }
        } catch  where !(error is FileError) && (self.before == nil || (try? Deck.store.load(location)) != nil) {
            self.refused[0] = "\(error)"
        }
    }

    /// Returns the reason why a set alone cannot be added; leaves the cassette as it was.
    private mutating func refuses(_ set: (offset: Int, element: ResponseSet)) -> String? {
        do {
            try self.add([set])
            try self.restore()
            return self.refused[set.offset]
        } catch {
            return "\(error)"
        }
    }

    private mutating func add(_ sets: [(offset: Int, element: ResponseSet)]) throws {
        for refused in try Deck.store.add(sets.map(\.element), state: self.state, to: self.location) {
            self.refused[sets[refused.number].offset] = refused.reason
        }
        guard sets.contains(where: { self.refused[$0.offset] == nil }) else { return }
        do {
            // A condition of a stub is for one value, also where that is a secret.
            self.left += try SecretScrub.scrub(
                self.location,
                settings: [self.redaction.project],
                environment: self.redaction.environment,
                digest: { SHA256.hexDigest(of: $0) },
                isExact: true,
                writes: true
            ).left
        } catch {
            // The secrets of the stubs are still in it.
            try self.restore()
            throw error
        }
    }

    /// Adds the sets without those whose conditions a set has that was there before: that one would play instead. Both are
    /// compared without their secrets.
    private mutating func refuseRepeated(_ sets: [(offset: Int, element: ResponseSet)]) throws {
        guard let before else { return }
        let known = CassetteReader.read(before, name: self.location.name, path: self.location.path).cassette
            .responseSets
        let all = try Deck.store.load(self.location).responseSets
        var repeated: [Int: String] = [:]
        let added = sets.filter { self.refused[$0.offset] == nil }
        for (set, new) in zip(added, all.dropFirst(known.count)) {
            let old = known.first {
                $0.request == new.request && $0.requires == new.requires && $0.priority == new.priority
            }
            guard let old else { continue }
            repeated[set.offset] =
                old.variants == new.variants
                ? "the cassette has it already: '\(old.name)'"
                : "'\(old.name)' of the cassette has the same conditions, and would play: remove it first"
        }
        guard !repeated.isEmpty else { return }
        try self.restore()
        let refused = self.refused
        (self.refused, self.left) = ([:], [])
        let others = added.filter { repeated[$0.offset] == nil }
        if !others.isEmpty { try self.add(others) }
        self.refused.merge(refused.merging(repeated) { old, _ in old }) { old, _ in old }
    }

    private func restore() throws {
        if let before {
            try FileContents.replace(self.location.path, with: before)
        } else if FileContents.exists(self.location.path) {
            try FileContents.remove(self.location.path)
        }
    }
}
