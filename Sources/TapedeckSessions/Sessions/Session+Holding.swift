import Synchronization
package import TapedeckCore
import TapedeckLocking

/// Requests that wait until they are released.
extension Session {
    // MARK: The proxy's side

    /// Holds a request; returns `false`, and does not, if the session has ended.
    package func hold(_ request: ParkedRequest) -> Bool {
        guard self.held.add(request) else { return false }
        self.changes.notify()
        return true
    }

    /// Removes a request whose client has disconnected. Does nothing if it was already released.
    package func withdraw(_ request: ParkedRequest) {
        self.held.take(request.number)?.withdraw()
    }

    /// Decides about a held request; see ``SessionState/answer(held:)``. A miss is explained but not noted, because the
    /// request may get another answer yet.
    func answer(held matchRequest: MatchRequest) -> Decision {
        var matchRequest = matchRequest
        // A held request may need redaction now that other sets may answer it.
        if self.tapes.asksForSecrets { matchRequest.redacted = self.secrets.redacted(matchRequest, self.tapes) }
        let (answer, tapes, values, policy) = self.state.withLock { [matchRequest] state in
            (state.answer(held: matchRequest), state.tapes, state.state, state.policy)
        }
        let reason: MissReason
        switch answer {
        case .decided(let decision): return decision
        case .miss(let why): reason = why
        // Secrets were looked for when the request came.
        case .mayHideSecrets: reason = .noMatch
        }
        let report = self.explained(matchRequest, reason, tapes.withoutHolds, values)
        return .reject(report, instead: policy?.answer)
    }

    /// True if a set that was added to the session holds requests.
    package var holdsRequests: Bool {
        self.state.withLock { $0.tapes.added?.entries.contains { $0.set.mayHold } ?? false }
    }

    // MARK: The steering side

    /// Returns the request of that number; `nil` if it is not held.
    package func heldRequest(_ number: Int) -> ParkedRequest? {
        self.touch()
        return self.held.request(number)
    }

    /// Returns the tape's answer to the request of that number; `nil` if it is not held. The answer is determined once,
    /// and ``proceed(held:)`` sends it. Reads files, so it must not run on an event loop.
    ///
    /// - Throws: an error if the answer on tape cannot be played.
    package func tapeAnswer(held number: Int) throws -> TapeAnswer? {
        self.touch()
        return try self.held.request(number)?.tapeAnswer(by: self)
    }

    /// Releases the request with that number as if it had not been held. Returns `false` if it is not held.
    package func proceed(held number: Int) -> Bool {
        self.touch()
        guard let request = self.held.take(number) else { return false }
        let decision = request.decision(by: self)
        self.state.withLock { state in
            switch decision {
            case .play: state.notePlayed()
            case .reject(let report, _): state.note(report)
            // A forwarded request is noted when it is over.
            case .forward, .hold: break
            }
        }
        request.release(.decided(decision))
        return true
    }

    /// Answers the request of that number with a take, which counts as played by the set that held it. Returns `false`
    /// when it is not held.
    package func release(held number: Int, with take: Take, after delay: Pacing.Delay? = nil) -> Bool {
        self.touch()
        guard let request = self.held.take(number) else { return false }
        let hold = request.hold
        let names = PlayedAnswer.Names(take, by: hold)
        let streams = self.state.withLock { state in
            state.notePlayed()
            return state.streams
        }
        let play = hold.play(take, after: delay, seed: self.seed ^ UInt64(number), streams: streams)
        request.release(.answer(play, names))
        return true
    }

    /// Begins an answer to the request of that number, which counts as played by the set that held it. Its body comes part by
    /// part; see ``openAnswer(_:)``. Returns `false` when it is not held.
    ///
    /// - Parameter take: status and header fields.
    package func open(held number: Int, with take: Take) -> Bool {
        self.touch()
        guard let request = self.held.take(number) else { return false }
        let answer = OpenAnswer(number, take, on: request.eventLoop)
        guard self.openAnswers.add(answer) else {
            request.release(.sessionEnded)
            return true
        }
        self.state.withLock { $0.notePlayed() }
        request.release(.open(answer, PlayedAnswer.Names(take, by: request.hold)))
        return true
    }

    /// The answer to the request of that number that was begun and has not ended; `nil` where there is none.
    package func openAnswer(_ number: Int) -> OpenAnswer? {
        self.touch()
        return self.openAnswers[number]
    }

    /// An answer has ended, or its client is gone.
    package func closeOpenAnswer(_ number: Int) {
        self.openAnswers.remove(number)
    }
}

extension PlayedAnswer.Names {
    /// Those of an answer that somebody gave to a held request.
    fileprivate init(_ take: Take, by hold: Hold) {
        self.init(
            set: hold.set,
            cassette: TapeStack.addedName,
            variant: Hold.variant,
            number: 1,
            rule: hold.rule,
            take: take
        )
    }
}
