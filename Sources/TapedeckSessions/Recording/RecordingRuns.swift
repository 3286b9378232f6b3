import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking

/// The recordings of a deck by cassette, so that those of several sessions add up; see `RecordingRun`.
package final class RecordingRuns: Sendable {
    private let runs = Locked<[String: RecordingRun]>([:])
    /// The beginning of a run that has other decks before this one; `nil` if the run is of this deck.
    private let began: Instant?

    package init(began: Instant? = nil) {
        self.began = began
    }

    /// Notes that a recording of a cassette begins. The first one begins the run.
    ///
    /// - Returns: the beginning of the run.
    func begin(_ cassette: CassetteLocation) -> Instant {
        let seen = FileSignature(cassette.path)
        return self.runs.withLock { runs in
            if let known = runs[cassette.path] { return known.begin }
            var run = RecordingRun(begin: self.began ?? .now, seen: seen)
            run.hasEarlierDecks = self.began != nil
            runs[cassette.path] = run
            return run.begin
        }
    }

    /// Notes that another deck began the run.
    func note(begin: Instant?, of cassette: CassetteLocation) {
        guard let begin else { return }
        self.runs.withLock { $0[cassette.path]?.begin = begin }
    }

    /// Returns what a session's recording of a cassette knows of the others.
    func run(of cassette: CassetteLocation, session: ScenarioName?, identity: String) -> RecordingRun? {
        var run = self.runs.withLock { $0[cassette.path] }
        run?.session = session
        run?.identity = identity
        return run
    }

    /// Notes a recording that was saved.
    func note(_ saved: CassetteStore.Saved, to cassette: CassetteLocation, by identity: String) {
        self.runs.withLock { runs in
            if let signature = saved.signature { runs[cassette.path]?.seen = signature }
            for set in saved.effect.written { runs[cassette.path]?.writers[set] = identity }
        }
    }
}
