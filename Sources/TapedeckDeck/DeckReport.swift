package import TapedeckCassettes
package import TapedeckCore
package import TapedeckSessions

/// A deck's report.
package struct DeckReport: Sendable {
    /// The session of requests that name none; `nil` if every request must name one.
    package var session: SessionReport?
    /// The total of all other sessions.
    package var others: SessionTally
    /// Connections opened to origins.
    package var connectionsOpened: Int
    /// Connections to origins that could not be opened.
    package var connectionsFailed = 0
    /// True if any client sent a request, or requested a tunnel that was passed through or refused.
    package var hadRequests = true
    /// True if the command ran in a network of its own.
    package var isIsolated = false
    /// The hosts for which clients seem not to trust the certificate authority.
    package var untrustedHosts: [String] = []
    package var saved: CassetteStore.Saved?
    /// The reason why the recording ended early, if any.
    package var recordingFailure: String?
    /// The requests with bodies that were recorded unsearched, being too large: how many, and the first of them.
    package var unsearched: (count: Int, lines: [String]) = (0, [])
    /// The places that the session of requests that name none has noted in its cassettes.
    package var learned = SavedLessons()
    package var cassettes: [CassetteLocation]
    /// The number of requests for each response set; see ``DeckConfiguration/talliesUsage``.
    package var usage: [CassetteUsage] = []

    /// True if something that was recorded or learned is in no cassette.
    package var hasLostRecording: Bool {
        self.recordingFailure != nil || self.saved?.lost ?? 0 > 0 || self.others.unsavedCount > 0
            || self.others.stoppedCount > 0 || !self.learned.failures.isEmpty
    }

    /// True if the recording lacks answers because requests failed, and the tape has none for them.
    package var hasFailedRecording: Bool {
        self.saved.map { $0.effect.isAllFailed || !$0.effect.failures.isEmpty } ?? false
    }

    /// True if answers were left out of a recording that has others: a replay will miss them.
    package var hasLeftOut: Bool {
        self.session.map { $0.mode.records && $0.leftOut.count > 0 } ?? false
    }

    /// True if a run of a command had no effect: a replay without a request, or a recording without an exchange.
    package var isUnused: Bool {
        guard let session = self.session else { return false }
        switch session.mode {
        case .replay: return !self.hadRequests
        case .record: return self.saved?.hasNothing ?? false
        case .append, .passthrough: return false
        }
    }

    /// The connections to origins, in words.
    var connectionsText: String {
        let opened = "\(Plural.text(self.connectionsOpened, "connection", "connections")) opened upstream"
        return self.connectionsFailed == 0 ? opened : opened + ", \(self.connectionsFailed) failed"
    }

    /// The number in all sessions.
    package var unmatchedInAll: Int { self.unmatchedCount + self.others.unmatchedCount }

    /// The number in the session of requests that name none. The creators of other sessions check those.
    package var unmatchedCount: Int { self.session?.unmatchedCount ?? 0 }
}

extension CassetteStore.Saved {
    /// True if there was nothing to write. False for a scenario whose answers the cassette has already.
    var hasNothing: Bool { self.exchanges == 0 && self.effect.same.isEmpty && self.effect.handwritten.isEmpty }
}
