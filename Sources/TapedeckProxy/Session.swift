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
    package let name: String
    package let seed: UInt64
    private let allowsPassthrough: Bool
    /// Whether the tape asks for header fields; beside the mutex, so that most requests need not take it twice.
    private let asksForFields: Atomic<Bool>

    /// How many forwarded requests are kept for the report word for word; the rest are counted.
    private static let forwardedLimit = 100

    /// - Parameters:
    ///   - seed: what every random choice follows from.
    ///   - allowsPassthrough: whether a variant may ask the live server in `replay`.
    package init(
        name: String = "default",
        mode: Mode,
        tape: Tape,
        seed: UInt64 = 0,
        allowsPassthrough: Bool = false
    ) {
        self.name = name
        self.mode = mode
        self.seed = seed
        self.allowsPassthrough = allowsPassthrough
        self.asksForFields = Atomic(tape.asksForFields)
        self.state = Mutex(
            SessionState(name: name, mode: mode, tape: tape, seed: seed, allowsPassthrough: allowsPassthrough)
        )
    }

    /// The tape that is in force.
    package var tape: Tape { self.state.withLock { $0.tape } }

    /// Which variants and profiles are selected.
    package var selection: Selection { self.state.withLock { $0.selection } }

    /// The session's state.
    package var values: [String: String] { self.state.withLock { $0.state } }

    /// Whether the origin may be asked at all.
    var mayDialOut: Bool { self.mode.dialsOut || self.allowsPassthrough }

    // MARK: Deciding

    /// What is to be done about a request; see ``SessionState/answer(_:)``. A miss is explained here.
    package func answer(_ inquiry: Inquiry) -> Decision {
        self.answer(inquiry.key, body: inquiry.body) { inquiry.fields }
    }

    /// The same for a request whose header fields are taken off its head only if the tape asks for any.
    ///
    /// - Parameter body: `nil` when it is not known.
    func answer(_ key: RequestKey, body: ObservedBody?, fields: () -> [HeaderField]) -> Decision {
        var hasFields = self.asksForFields.load(ordering: .relaxed)
        var inquiry = Inquiry(key, fields: hasFields ? fields() : [], body: body)
        while true {
            let outcome = self.state.withLock { state in
                // The tape may have been replaced in this very moment.
                !hasFields && state.tape.asksForFields ? nil : Self.ask(&state, inquiry)
            }
            if let outcome { return self.decision(outcome, inquiry) }
            hasFields = true
            inquiry.fields = fields()
        }
    }

    /// The same for a request whose body is still to come: `nil` when the answer depends on it, so that it must be read
    /// first. Both are asked of one tape, since another might want the body that this one does not.
    func answerBeforeBody(_ key: RequestKey, fields: [HeaderField]) -> Decision? {
        let inquiry = Inquiry(key, fields: fields, body: nil)
        let outcome = self.state.withLock { state in
            state.needsBody(inquiry) ? nil : Self.ask(&state, inquiry)
        }
        return outcome.map { self.decision($0, inquiry) }
    }

    private static func ask(_ state: inout SessionState, _ inquiry: Inquiry) -> Outcome {
        switch state.answer(inquiry) {
        case .decided(let decision): .decided(decision)
        case .miss(let reason): .miss(reason, state.tape, state.state)
        }
    }

    private func decision(_ outcome: Outcome, _ inquiry: Inquiry) -> Decision {
        switch outcome {
        case .decided(let decision): decision
        case .miss(let reason, let tape, let values): .reject(self.explain(inquiry, reason, tape, values))
        }
    }

    /// Notes a request that is refused without asking the tape.
    func refuse(_ line: RequestLine) -> UnmatchedReport {
        let (tape, values) = self.state.withLock { ($0.tape, $0.state) }
        let inquiry = Inquiry(RequestKey(method: line.method, url: line.url), body: nil)
        return self.explain(inquiry, .noMatch, tape, values)
    }

    /// Has a miss explained, without holding the mutex, then notes it.
    private func explain(
        _ inquiry: Inquiry,
        _ reason: MissReason,
        _ tape: Tape,
        _ values: [String: String]
    ) -> UnmatchedReport {
        let report = tape.explainMiss(inquiry, state: values, reason: reason, session: self.name, mode: self.mode)
        self.state.withLock { $0.note(report) }
        return report
    }

    private enum Outcome: Sendable {
        case decided(Decision)
        case miss(MissReason, Tape, [String: String])
    }

    /// Notes what became of a request that went to its origin.
    func noteForwarded(_ outcome: ForwardedRequest) {
        self.forwardedCount.wrappingAdd(1, ordering: .relaxed)
        guard outcome.isWorthTelling else { return }
        self.forwarded.withLock { list in
            if list.count < Self.forwardedLimit { list.append(outcome) }
        }
    }

    // MARK: Steering

    /// Selects a variant of every set of that name.
    ///
    /// - Throws: ``SelectionError`` when there is no such set or variant.
    package func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.select(variant, of: set) }
    }

    /// Applies a profile over those in force, for the sets and origins named, or for all.
    ///
    /// - Throws: ``SelectionError`` when there is no such profile, set or origin.
    package func apply(profile: String, limitedTo targets: [String] = []) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.apply(profile: profile, limitedTo: targets) }
    }

    /// Returns whether the profile was in force.
    @discardableResult
    package func revert(profile: String) -> Bool {
        self.state.withLock { $0.revert(profile: profile) }
    }

    /// Takes back the selection of a set, and begins its takes anew.
    ///
    /// - Throws: ``SelectionError`` when there is no such set.
    package func reset(_ set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.reset(set) }
    }

    /// Takes back every selection and profile, begins all takes anew, and makes the state what it was at first.
    package func resetAll() {
        self.state.withLock { $0.resetAll() }
    }

    /// Sets a key of the session's state; `nil` removes it.
    package func set(_ key: String, to value: String?) {
        self.state.withLock { $0.set(key, to: value) }
    }

    /// Goes on with a changed tape. Requests in flight finish on the old one.
    package func replaceTape(_ tape: Tape) {
        self.state.withLock { state in
            state.replaceTape(tape)
            self.asksForFields.store(tape.asksForFields, ordering: .relaxed)
        }
    }

    private func steer(_ change: (inout SessionState) throws(SelectionError) -> Void) throws(SelectionError) {
        let problem = self.state.withLock { state -> SelectionError? in
            do throws(SelectionError) {
                try change(&state)
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw problem }
    }

    // MARK: Reports

    /// What the session did so far.
    package func report() -> SessionReport {
        let forwarded = self.forwardedCount.load(ordering: .relaxed)
        let troubles = self.forwarded.withLock { $0 }
        return self.state.withLock { state in
            SessionReport(
                name: self.name,
                mode: self.mode,
                seed: state.usesRandom ? self.seed : nil,
                played: state.playedCount,
                forwarded: forwarded,
                troubles: troubles,
                unmatched: state.unmatched,
                unmatchedCount: state.unmatchedCount,
                unused: state.unusedSets,
                cutOff: state.cutOff.sorted()
            )
        }
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
    /// What random choices followed from; `nil` where nothing was random.
    package var seed: UInt64?
    /// Requests answered from the tape.
    package var played: Int
    /// Requests that went to their origin.
    package var forwarded: Int
    /// The forwarded requests that failed or were not recorded; at most 100.
    package var troubles: [ForwardedRequest]
    /// The requests that nothing answered; at most 100.
    package var unmatched: [UnmatchedReport]
    package var unmatchedCount: Int
    /// The sets that never answered, in the order of the tape.
    package var unused: [String]
    /// The sets whose pattern took too long for some request, and was cut off.
    package var cutOff: [String]
}
