package import TapedeckCore

/// The recordings of one run of tests: sessions of one deck, and of other decks, that record the same cassette at the same
/// time or after each other. Their recordings add up: none replaces the answers of another.
package struct RecordingRun: Sendable {
    /// The session's name. If another session got other answers, this one's are saved as a variant of that name. `nil` if the
    /// session has no name of its own.
    package var session: ScenarioName?
    /// Identifies the session within the run. A session that records again has the same one.
    package var identity: String
    /// The beginning of the run.
    package var begin: Instant
    /// The cassette's file when a recording of this deck last read it; `nil` if it did not exist.
    package var seen: FileSignature?
    /// True if other decks may have recorded the cassette since ``begin``, before this one started.
    package var hasEarlierDecks = false
    /// The ``identity`` of the session that recorded a response set in this run, by the name of the set.
    package var writers: [String: String] = [:]

    package init(session: ScenarioName? = nil, identity: String = "", begin: Instant, seen: FileSignature?) {
        self.session = session
        self.identity = identity
        self.begin = begin
        self.seen = seen
    }

    /// The run of an interrupted recording, of whose other recordings nothing is known but when they could begin.
    init(recovering begin: Instant) {
        self.init(begin: begin, seen: nil)
        self.hasEarlierDecks = true
    }

    /// Returns true if another recording of the run wrote the recorded variant of a set.
    ///
    /// - Parameter isShared: true if another process has written the cassette since.
    func isOthers(_ set: ResponseSet, isShared: Bool) -> Bool {
        if let writer = self.writers[set.name] { return writer != self.identity }
        return self.hasNew(set, isShared: isShared)
    }

    /// Returns true if a recording of the run wrote the recorded variant of a set.
    func hasWritten(_ set: ResponseSet, isShared: Bool) -> Bool {
        self.writers[set.name] != nil || self.hasNew(set, isShared: isShared)
    }

    /// The variant that kept the other answers of an earlier run, so that such variants do not pile up.
    func earlierConflict(in set: ResponseSet) -> Int? {
        let own = set.ownRecordedVariant
        return set.variants.indices.first { number in
            let takes = set.variants[number].takes
            return number != own && set.variants[number].name.hasPrefix("\(CassetteMerge.variantName) (")
                && !takes.isEmpty
                && takes.allSatisfy { take in take.recordedTime.map { $0.seconds < self.begin.seconds } ?? false }
        }
    }

    private func hasNew(_ set: ResponseSet, isShared: Bool) -> Bool {
        guard isShared, let variant = set.ownRecordedVariant else { return false }
        return set.variants[variant].takes.contains {
            $0.recordedTime.map { $0.seconds >= self.begin.seconds } ?? false
        }
    }
}
