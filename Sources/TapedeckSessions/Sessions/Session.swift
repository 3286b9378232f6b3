package import NIOCore
import Synchronization
package import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform

/// A live session: the one door through which the proxy and the control API reach a session's state.
///
/// The state is a value behind a lock that is held for the length of one decision and never across anything else.
package final class Session: Sendable {
    /// The settings of a new session.
    package struct Settings: Sendable {
        /// The id, the first part of a session key.
        package var id = "default"
        /// The secret behind it.
        package var token = ""
        /// The owner's name for it.
        package var name = "default"
        package var mode: Mode
        /// `nil` is what the mode does.
        package var policy: UnmatchedPolicy?
        /// Played together; what is recorded goes into the first.
        package var cassettes: [CassetteLocation] = []
        /// The paths by which proposed commands name the cassettes, by the names of these.
        package var paths: [String: String] = [:]
        /// The parts of requests that count, in place of what the cassettes say; `nil` is as they say.
        package var match: [MatchingRules.Part]?
        /// The seed of all random choices.
        package var seed: UInt64 = 0
        /// True if a variant may contact the live server in `replay`.
        package var allowsPassthrough = false
        /// How unmatched requests in `replay` may be answered.
        package var rules = ReplayRules()
        /// The times at which recorded pieces of bodies are sent; `nil` is as the cassettes say.
        package var streams: StreamPace?
        /// The hosts that are not recorded, which may cause a miss.
        package var hosts = HostRules()
        /// The values that play for secrets, and the redaction of texts.
        package var secrets = DeckSecrets()
        /// Counts its recordings.
        package var recordings = RecordingCounts()
        /// The recordings of the deck, which add up.
        package var runs = RecordingRuns()
        /// The deck's meter; `nil` for a deck of its own.
        package var meter: DeckMeter?
        /// The files that came with it.
        var files: SentFiles.Held?

        package init(mode: Mode) {
            self.mode = mode
        }
    }

    package let id: String
    package let token: String
    package let name: String
    package let seed: UInt64
    package let created = Instant.now
    /// The parts of requests that count, in place of what its cassettes say; `nil` is as they say.
    let match: [MatchingRules.Part]?
    /// The paths by which proposed commands name the cassettes, by the names of these. Those without a path are named as such.
    package let paths: [String: String]
    package let journal: SessionJournal
    /// The requests that wait until they are released.
    package let held = ParkedRequests()
    /// The answers to held requests whose bodies come part by part.
    let openAnswers = OpenAnswers()
    /// Tells of every change: of the journal, of what is selected, of the end.
    package var changes: ChangeSignal { self.journal.changes }
    let steered = Atomic<Int>(0)
    /// Its use.
    package let meter: SessionMeter
    private let files: SentFiles.Held?
    /// Those that were sent later, by name.
    let bodyFiles = Locked<[String: SentFile]>([:])
    private let refusedCount = Atomic<Int>(0)
    let state: Locked<SessionState>
    let secrets: SessionSecrets
    /// The counts of requests for ``report()``. Taken before the lock of ``state`` where both are, never after it.
    let tallies = Locked(SessionTallies())
    private let hosts: HostRules
    /// The cassettes: those it was made with, and one it recorded into.
    let locations: Locked<[CassetteLocation]>
    /// Counts its recordings.
    let recordings: RecordingCounts
    /// The recordings of the deck.
    let runs: RecordingRuns
    /// The recording that runs, if one does.
    let recording = Locked<SessionRecording?>(nil)
    private let allowsPassthrough: Bool
    package let rules: ReplayRules
    /// The index of the tape whose requests were compared last.
    let variations = Locked<VariationIndex?>(nil)
    /// True if the tape needs header fields; outside of the lock, so that most requests take it only once.
    let asksForFields: Atomic<Bool>
    private let ended = Atomic<Bool>(false)
    /// The number of ``countedMode``; outside the lock, because it is used to count each request.
    let modeNumber: Atomic<Int>
    private struct Belongings {
        /// The port of a listener of its own.
        var port: Int?
        /// The actions at its end; `nil` once that has begun.
        var atEnd: [@Sendable () async -> Void]? = []
    }

    private let belongings = Locked(Belongings())
    /// The time of the last request, in seconds of the system's uptime.
    private let lastUsed = Atomic<Int64>(NIODeadline.now().uptimeSeconds)

    package init(_ settings: Settings, tape: Tape, journal: SessionJournal = SessionJournal()) {
        self.id = settings.id
        self.token = settings.token
        self.name = settings.name
        self.seed = settings.seed
        self.allowsPassthrough = settings.allowsPassthrough
        self.rules = settings.rules
        self.match = settings.match
        self.paths = settings.paths
        self.hosts = settings.hosts
        self.journal = journal
        self.meter = SessionMeter(settings.meter ?? DeckMeter())
        self.files = settings.files
        self.secrets = SessionSecrets(settings.secrets)
        self.locations = Locked(settings.cassettes)
        self.asksForFields = Atomic(tape.asksForFields)
        self.modeNumber = Atomic(LoopMetrics.Mode(settings.mode).rawValue)
        self.recordings = settings.recordings
        self.runs = settings.runs
        self.state = Locked(
            SessionState(
                name: settings.id,
                mode: settings.mode,
                policy: settings.policy,
                tape: tape,
                seed: settings.seed,
                allowsPassthrough: settings.allowsPassthrough,
                streams: settings.streams,
                isFast: settings.rules.isFast
            )
        )
    }

    /// The current mode.
    package var mode: Mode { self.state.withLock { $0.mode } }
    /// True if anything but the origin may answer.
    package var answers: Bool { self.state.withLock { $0.answers } }

    /// True while every request goes to its origin, whatever the mode was.
    package var isPaused: Bool { self.state.withLock { $0.isPaused } }

    /// Its mode as its requests are counted by; no lock.
    package var countedMode: LoopMetrics.Mode {
        LoopMetrics.Mode(rawValue: self.modeNumber.load(ordering: .relaxed)) ?? .none
    }

    /// The policy for unmatched requests; `nil` is the mode's.
    package var policy: UnmatchedPolicy? { self.state.withLock { $0.policy } }

    /// The cassettes it plays and records.
    package var cassettes: [CassetteLocation] { self.locations.withLock { $0 } }

    /// The times at which recorded pieces of bodies are sent; `nil` is as the cassettes say.
    package var streams: StreamPace? { self.state.withLock { $0.streams } }

    /// The tapes that it plays.
    package var tapes: TapeStack { self.state.withLock { $0.tapes } }

    /// The tape of its cassettes.
    package var tape: Tape { self.tapes.cassettes }

    /// The selected variants and profiles.
    package var selection: Selection { self.state.withLock { $0.selection } }

    /// The session's state.
    package var values: [String: String] { self.state.withLock { $0.state } }

    /// Response sets that were added to it, the newest first.
    package var added: [ResponseSet] { self.state.withLock { $0.added } }

    /// True if origins may be contacted at all.
    package var mayDialOut: Bool { self.mode.dialsOut || self.allowsPassthrough }

    // MARK: Life

    /// True if it has ended. Requests in progress still finish.
    package var isEnded: Bool { self.ended.load(ordering: .relaxed) }

    /// Ends it; returns whether it had not ended before.
    func end() -> Bool {
        guard !self.ended.exchange(true, ordering: .relaxed) else { return false }
        self.changes.close()
        for request in self.held.end() { request.release(.sessionEnded) }
        for answer in self.openAnswers.end() { answer.abandon() }
        return true
    }

    /// The port of the session's listener; `nil` without one.
    package var port: Int? { self.belongings.withLock { $0.port } }

    /// Returns `false` when it has one already.
    package func takePort(_ port: Int) -> Bool {
        let isTaken = self.belongings.withLock { belongings in
            guard belongings.port == nil else { return false }
            belongings.port = port
            return true
        }
        if isTaken { self.changes.notify() }
        return isTaken
    }

    package func givePortBack() {
        self.belongings.withLock { $0.port = nil }
        self.changes.notify()
    }

    /// Has something done when the session ends, before its final report is kept. Returns `false`, and does not keep
    /// it, when the session has ended already.
    package func atEnd(_ work: @escaping @Sendable () async -> Void) -> Bool {
        self.belongings.withLock { belongings in
            guard belongings.atEnd != nil else { return false }
            belongings.atEnd?.append(work)
            return true
        }
    }

    /// Performs the actions that were registered for its end, in the order of registration.
    func settle() async {
        let work = self.belongings.withLock { belongings in
            defer { belongings.atEnd = nil }
            return belongings.atEnd ?? []
        }
        for item in work { await item() }
    }

    /// Increases with each change of the session.
    package var revision: Int { self.steered.load(ordering: .relaxed) }

    func noteSteered() {
        self.steered.wrappingAdd(1, ordering: .relaxed)
        self.changes.notify()
    }

    /// Notes that the session was used.
    package func touch() {
        self.touch(at: .now())
    }

    package func touch(at time: NIODeadline) {
        self.lastUsed.store(time.uptimeSeconds, ordering: .relaxed)
    }

    /// Seconds since the last request to the session; 0 while a request is held, or gets an open answer.
    package var idleSeconds: Int {
        self.held.isEmpty && self.openAnswers.isEmpty
            ? Int(NIODeadline.now().uptimeSeconds - self.lastUsed.load(ordering: .relaxed)) : 0
    }

    // MARK: Deciding

    /// Decides about a request; see ``SessionState/answer(_:)``. A miss is explained here.
    package func answer(_ matchRequest: MatchRequest) -> Decision {
        self.answer(
            matchRequest.key,
            body: matchRequest.body,
            selects: !SelectingFields(of: matchRequest.fields).isEmpty
        ) {
            matchRequest.fields
        }
    }

    /// Decides about a request whose header fields are parsed only if the tape needs them.
    ///
    /// - Parameters:
    ///   - body: `nil` when it is not known.
    ///   - selects: true if the request has conditions or a range.
    package func answer(
        _ key: RequestKey,
        body: ObservedBody?,
        selects: Bool,
        passing: Passing = .never,
        fields: () -> [HeaderField]
    ) -> Decision {
        let mayAsk = self.asksForFields.load(ordering: .relaxed)
        var hasFields = selects || mayAsk
        var matchRequest = MatchRequest(key, fields: hasFields ? fields() : [], body: body)
        matchRequest.passing = passing
        while true {
            let outcome = self.state.withLock { state -> Outcome in
                // The tape may have been replaced in this very moment.
                guard hasFields else {
                    return state.asksForFields ? .lacksFields : Self.ask(&state, matchRequest)
                }
                if mayAsk, !state.asksForFields { self.asksForFields.store(false, ordering: .relaxed) }
                return Self.askRedacted(&state, matchRequest)
            }
            switch outcome {
            case .lacksFields:
                hasFields = true
                matchRequest.fields = fields()
            case .lacksRedaction(let tapes): matchRequest.redacted = self.secrets.redacted(matchRequest, tapes)
            case .mayHideSecrets(let tapes, let known, let values):
                self.uncover(&matchRequest, tapes, known, values)
            case .miss:
                // A secret of the header may occur in texts about the URL, too.
                if !hasFields { matchRequest.fields = fields() }
                return self.decision(outcome, matchRequest)
            default: return self.decision(outcome, matchRequest)
            }
        }
    }

    /// Decides about a request before its body: `nil` if the answer depends on it, so that it must be read first. Both
    /// use one tape, because another might need the body that this one does not.
    package func answerBeforeBody(
        _ key: RequestKey,
        fields: [HeaderField],
        passing: Passing = .never
    ) -> Decision? {
        var matchRequest = MatchRequest(key, fields: fields, body: nil)
        matchRequest.passing = passing
        while true {
            let outcome = self.state.withLock { state -> Outcome? in
                if matchRequest.redacted == nil, state.asksForSecrets(key) { return .lacksRedaction(state.tapes) }
                return state.needsBody(matchRequest) ? nil : Self.ask(&state, matchRequest)
            }
            switch outcome {
            case .lacksRedaction(let tapes): matchRequest.redacted = self.secrets.redacted(matchRequest, tapes)
            case .mayHideSecrets(let tapes, let known, let values):
                if tapes.hiddenSecretsNeedBody(matchRequest) { return nil }
                self.uncover(&matchRequest, tapes, known, values)
            case let outcome? where outcome.mayVary && self.varyingNeedsBody(matchRequest): return nil
            default: return outcome.map { self.decision($0, matchRequest) }
            }
        }
    }

    /// Searches an unmatched request for secrets that no rule finds, and stores their names.
    private func uncover(
        _ matchRequest: inout MatchRequest,
        _ tapes: TapeStack,
        _ known: SecretBindings,
        _ values: [String: String]
    ) {
        if let found = self.secrets.hidden(matchRequest, tapes, known, state: values) {
            let (names, vault) = self.secrets.learn(found.secrets, tapes.cassettes)
            self.state.withLock { $0.bind(names, vault: vault) }
            matchRequest.redacted = self.secrets.redacted(found.matchRequest, tapes, isLive: false)
        }
        matchRequest.redacted?.isSearched = true
    }

    private static func askRedacted(_ state: inout SessionState, _ matchRequest: MatchRequest) -> Outcome {
        matchRequest.redacted == nil && state.asksForSecrets(matchRequest.key)
            ? .lacksRedaction(state.tapes) : self.ask(&state, matchRequest)
    }

    private static func ask(_ state: inout SessionState, _ matchRequest: MatchRequest) -> Outcome {
        switch state.answer(matchRequest) {
        case .decided(let decision): .decided(decision)
        case .miss(let reason): .miss(reason, state.tapes, state.state, state.policy)
        case .mayHideSecrets: .mayHideSecrets(state.tapes, state.secrets, state.state)
        }
    }

    private func decision(_ outcome: Outcome, _ matchRequest: MatchRequest) -> Decision {
        switch outcome {
        case .decided(.forward(record: true, let delay)):
            // In `append` a request that is on tape with other values is not recorded again.
            let play = self.mode == .append ? self.answerVarying(matchRequest) : nil
            return play.map { .play($0) } ?? .forward(record: true, delay: delay)
        case .decided(let decision): return decision
        // The event loop handles these in `answer`.
        case .lacksFields, .lacksRedaction, .mayHideSecrets: return .forward(record: false)
        case .miss(let reason, let tapes, let values, let policy):
            if reason == .noMatch, self.rules.answersPreflights, matchRequest.key.bytes.starts(with: "OPTIONS ".utf8),
                let play = self.state.withLock({ $0.answerPreflight(matchRequest) })
            {
                return .play(play)
            }
            if reason == .noMatch, let play = self.answerVarying(matchRequest) ?? self.answerLearning(matchRequest) {
                return .play(play)
            }
            return .reject(self.explain(matchRequest, reason, tapes, values), instead: policy?.answer)
        }
    }

    /// Notes a request as unmatched that was to pass on to this machine, where nothing listens, if the tape has sets
    /// for its origin: then the tape lacks it. Returns `nil` otherwise.
    package func refuseUnreachable(_ line: RequestLine) -> UnmatchedReport? {
        let (tapes, values) = self.state.withLock { ($0.tapes, $0.state) }
        guard tapes.mayAnswer(host: line.url.origin.host, port: line.url.origin.port) else { return nil }
        let matchRequest = MatchRequest(RequestKey(method: line.method, url: line.url), body: nil)
        var report = self.explained(matchRequest, .noMatch, tapes, values)
        report.isUnreachable = true
        self.state.withLock { [report] in $0.note(report) }
        return report
    }

    /// Notes a request that is refused without asking the tape.
    package func refuse(_ line: RequestLine) -> UnmatchedReport {
        self.noteMiss(MatchRequest(RequestKey(method: line.method, url: line.url), body: nil), .noMatch)
    }

    func noteMiss(_ matchRequest: MatchRequest, _ reason: MissReason) -> UnmatchedReport {
        let (tapes, values) = self.state.withLock { ($0.tapes, $0.state) }
        return self.explain(matchRequest, reason, tapes, values)
    }

    /// Has a miss explained, without holding the lock, then notes it.
    private func explain(
        _ matchRequest: MatchRequest,
        _ reason: MissReason,
        _ tapes: TapeStack,
        _ values: [String: String]
    ) -> UnmatchedReport {
        var report = self.explained(matchRequest, reason, tapes, values)
        report.explainUnrecorded(by: self.hosts)
        self.state.withLock { $0.note(report) }
        return report
    }

    /// Explains why nothing answers a request, without its secrets.
    func explained(
        _ matchRequest: MatchRequest,
        _ reason: MissReason,
        _ tapes: TapeStack,
        _ values: [String: String]
    ) -> UnmatchedReport {
        var matchRequest = matchRequest
        matchRequest.redacted = matchRequest.redacted ?? self.secrets.redacted(matchRequest, tapes)
        let (bindings, varying) = self.state.withLock { ($0.secrets, self.varyingParts($0)) }
        return tapes.explainMiss(
            matchRequest,
            bindings,
            state: values,
            reason: reason,
            session: self.id,
            mode: self.mode,
            varying: varying
        ).mapTexts(self.texts.text)
    }

    /// The latest values of the session's requests that must come back to it, by the names of the tape.
    package func ownValues(of tape: Tape) -> [String: String] {
        self.secrets.ownValues(of: tape, self.state.withLock { $0.secrets })
    }

    /// Returns the sets that match a request, with reasons and without its secrets. Examines many sets: not for an
    /// event loop.
    package func explanation(_ matchRequest: MatchRequest) -> Explanation {
        let (tapes, values, selection, bindings, varying) = self.state.withLock { state in
            (state.tapes, state.state, state.selection, state.secrets, self.varyingParts(state))
        }
        var matchRequest = matchRequest
        matchRequest.redacted = self.secrets.redacted(matchRequest, tapes)
        if tapes.asksForSecrets, !tapes.matches(matchRequest, bindings, state: values),
            let hidden = self.secrets.hidden(matchRequest, tapes, bindings, state: values)
        {
            matchRequest.redacted = self.secrets.redacted(hidden.matchRequest, tapes, isLive: false)
        }
        return tapes.explain(matchRequest, bindings, state: values, selection: selection, varying: varying)
            .mapTexts(self.texts.text)
    }

    /// Method and URL of a request for logs and other texts, without its secrets.
    package func shown(_ line: RequestLine) -> RequestLine {
        self.texts.line(line)
    }

    private enum Outcome: Sendable {
        case decided(Decision)
        /// Header fields must be known first.
        case lacksFields
        /// The request must be redacted first, for these tapes.
        case lacksRedaction(TapeStack)
        /// Secrets that no rule finds must be looked for first.
        indirect case mayHideSecrets(TapeStack, SecretBindings, [String: String])
        indirect case miss(MissReason, TapeStack, [String: String], UnmatchedPolicy?)

        /// True if nothing on tape matches: the tape may have the request with other values.
        var mayVary: Bool {
            switch self {
            case .miss(.noMatch, _, _, _), .decided(.forward(record: true, _)): true
            default: false
            }
        }
    }

    /// Counts a forwarded request, and keeps its outcome for the report if it is unusual.
    package func noteForwarded(_ outcome: ForwardedRequest) {
        self.tallies.withLock { $0.add(outcome) }
    }

    /// Counts a connection to an origin that was opened for the session.
    package func noteConnectionOpened() {
        self.tallies.withLock { $0.connectionsOpened += 1 }
    }

    /// A request or a connection went beyond a limit.
    package func noteRefused() {
        self.refusedCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// The number of requests and connections that were refused because of a limit.
    package var refused: Int { self.refusedCount.load(ordering: .relaxed) }

    /// Counts a fault that was played to a client.
    func noteFault(_ fault: Fault) {
        self.tallies.withLock { $0.faults[fault, default: 0] += 1 }
    }

    // MARK: Reports

    /// The response sets as the session sees them; see ``SessionState/overviews(containing:in:)``.
    package func overviews(containing text: String, in range: Range<Int>) -> (sets: [SetOverview], total: Int) {
        self.state.withLock { $0.overviews(containing: text, in: range) }
    }

    /// The numbers of requests that were answered from the tape, forwarded, and unmatched. Cheap, unlike ``report()``.
    package var counts: (played: Int, forwarded: Int, unmatched: Int) {
        self.tallies.withLock { tallies in
            let forwarded = tallies.forwarded
            return self.state.withLock { ($0.playedCount, forwarded, $0.unmatchedCount) }
        }
    }

    /// A snapshot of what the session did so far: nothing changes between two of its parts.
    package func report() -> SessionReport {
        self.tallies.withLock { tallies in
            let tallies = tallies
            return self.state.withLock { state in
                SessionReport(
                    id: self.id,
                    name: self.name,
                    mode: state.mode,
                    seed: state.usesRandom ? self.seed : nil,
                    played: state.playedCount,
                    forwarded: tallies.forwarded,
                    troubles: tallies.troubles,
                    leftOut: tallies.leftOut,
                    unrecorded: tallies.unrecorded,
                    unmatched: state.unmatched,
                    unmatchedCount: state.unmatchedCount,
                    unused: state.unusedSets,
                    cutOff: state.cutOff.sorted(),
                    varied: state.varied,
                    faults: tallies.faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) },
                    connectionsOpened: tallies.connectionsOpened
                )
            }
        }
    }
}

extension UnmatchedPolicy {
    /// The answer in place of a 501.
    var answer: Take? {
        if case .respond(let take) = self { take } else { nil }
    }
}

extension NIODeadline {
    fileprivate var uptimeSeconds: Int64 { Int64(self.uptimeNanoseconds / 1_000_000_000) }
}
