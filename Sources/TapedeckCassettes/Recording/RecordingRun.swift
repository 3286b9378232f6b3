package import TapedeckCore

/// What a recording knows of the others of its run: sessions of one deck, and other decks, that record the same cassette at
/// the same time or after each other. Their recordings add up: what one of them recorded, the next one does not replace.
package struct RecordingRun: Sendable {
    /// The name of the session, for the variant that its answers are saved as where another session got other answers;
    /// `nil` if it has no name of its own.
    package var session: ScenarioName?
    /// Tells the session from others of the run; equal for one that does the same again.
    package var identity: String
    /// The beginning of the run.
    package var begin: Instant
    /// The cassette's file as a recording of this deck last saw it; `nil` if there was none.
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

    private func hasNew(_ set: ResponseSet, isShared: Bool) -> Bool {
        guard isShared, let variant = set.ownRecordedVariant else { return false }
        return set.variants[variant].takes.contains {
            $0.recordedTime.map { $0.seconds >= self.begin.seconds } ?? false
        }
    }
}
