import Synchronization
package import TapedeckCore

/// A live session: the one door through which the proxy (and later the control API) reaches a session's state.
///
/// The state is a value behind a mutex that is held for the length of one decision and never across anything else.
package final class Session: Sendable {
    private let state: Mutex<SessionState>
    private let forwarded = Mutex<[ForwardedRequest]>([])
    private let forwardedCount = Atomic<Int>(0)
    package let mode: Mode
    package let tape: Tape
    package let name: String

    /// How many forwarded requests are kept for the report word for word; the rest are counted.
    private static let forwardedLimit = 100

    package init(name: String = "default", mode: Mode, tape: Tape) {
        self.name = name
        self.mode = mode
        self.tape = tape
        self.state = Mutex(SessionState(name: name, mode: mode, tape: tape))
    }

    /// Whether the body must be read before ``answer(_:body:request:)`` can be asked.
    func needsBody(_ key: RequestKey) -> Bool {
        self.mode.plays && self.tape.needsBody(key)
    }

    /// What is to be done about a request; see ``SessionState/answer(key:body:)``.
    ///
    /// - Parameter request: asked for only when a report is to be written.
    func answer(_ key: RequestKey, body: ObservedBody? = nil, request: () -> RequestLine) -> Decision {
        guard let decision = self.state.withLock({ $0.answer(key: key, body: body) }) else {
            return .reject(self.miss(request()))
        }
        return decision
    }

    /// Notes a request that nothing answers.
    func miss(_ request: RequestLine) -> UnmatchedReport {
        let report = self.tape.explainMiss(request, session: self.name, mode: self.mode)
        self.state.withLock { $0.note(report) }
        return report
    }

    /// Notes what became of a request that went to its origin.
    func noteForwarded(_ outcome: ForwardedRequest) {
        self.forwardedCount.wrappingAdd(1, ordering: .relaxed)
        guard outcome.isWorthTelling else { return }
        self.forwarded.withLock { list in
            if list.count < Self.forwardedLimit { list.append(outcome) }
        }
    }

    /// What the session did so far.
    package func report() -> SessionReport {
        let state = self.state.withLock { $0 }
        return SessionReport(
            name: self.name,
            mode: self.mode,
            played: state.played.reduce(0, +),
            forwarded: self.forwardedCount.load(ordering: .relaxed),
            troubles: self.forwarded.withLock { $0 },
            unmatched: state.unmatched,
            unmatchedCount: state.unmatchedCount
        )
    }
}

/// What became of a request that went to its origin.
package struct ForwardedRequest: Sendable, Equatable {
    package var request: RequestLine
    /// How the exchange failed, if it did.
    package var failure: UpstreamFailure?
    /// Why it is not in the cassette although the session records, if so.
    package var notRecorded: String?

    var isWorthTelling: Bool { self.failure != nil || self.notRecorded != nil }
}

/// What a session did, for the summary at the end.
package struct SessionReport: Sendable {
    package var name: String
    package var mode: Mode
    /// Requests answered from the tape.
    package var played: Int
    /// Requests that went to their origin.
    package var forwarded: Int
    /// The forwarded requests that failed or were not recorded; at most 100.
    package var troubles: [ForwardedRequest]
    /// The requests that nothing answered; at most 100.
    package var unmatched: [UnmatchedReport]
    package var unmatchedCount: Int
}
