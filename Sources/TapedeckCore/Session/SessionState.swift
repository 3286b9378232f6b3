/// Everything about a session that changes, and every decision it takes. A value: whoever holds it serialises access.
package struct SessionState {
    /// How many unmatched requests are kept word for word; the rest are counted.
    private static let unmatchedLimit = 100

    package let name: String
    package private(set) var mode: Mode
    /// What is done about a request that nothing on tape answers; `nil` is what the mode does.
    package private(set) var policy: UnmatchedPolicy?
    /// What every random choice follows from.
    package let seed: UInt64
    /// Whether a variant may ask the live server in a mode that dials out for nothing else.
    package let allowsPassthrough: Bool
    /// When the pieces of bodies go out that came piece by piece; `nil` is as the cassettes say.
    package let streams: StreamPace?
    /// Whether a body may go out piece by piece whatever the cassettes say.
    private let pacesStreams: Bool
    /// What there is to play.
    package private(set) var tapes: TapeStack
    /// Response sets that were added to this session, the newest first.
    package private(set) var added: [ResponseSet] = []
    package private(set) var selection = Selection()
    package private(set) var state: [String: String]
    /// Where behaviours that go on from request to request stand, by the identity of their node.
    var positions: [UInt64: Int] = [:]
    /// How often each set was asked, for each tape of ``tapes``.
    var hits = PerTape(HitCounts())
    /// Which variants of the cassettes' sets played.
    var variantCounts = VariantCounts()
    package private(set) var playedCount = 0
    /// The first of the requests that nothing answered.
    package private(set) var unmatched: [UnmatchedReport] = []
    package private(set) var unmatchedCount = 0
    /// The sets whose pattern took too long for some request, and was cut off.
    package private(set) var cutOff: Set<String> = []
    /// What is in force for sets that were asked for, while anything is selected.
    var effective = PerTape<[Int: EffectiveVariant]>([:])
    let scratch = PatternScratch()
    /// What the secrets of requests stand for.
    package private(set) var secrets = SecretBindings()

    package init(
        name: String,
        mode: Mode,
        policy: UnmatchedPolicy? = nil,
        tape: Tape,
        seed: UInt64 = 0,
        allowsPassthrough: Bool = false,
        streams: StreamPace? = nil
    ) {
        self.name = name
        self.mode = mode
        self.policy = policy
        self.tapes = TapeStack(tape)
        self.seed = seed
        self.allowsPassthrough = allowsPassthrough
        self.streams = streams
        self.pacesStreams = streams?.factor != nil
        self.state = tape.initialState
    }

    /// The tape of the session's cassettes.
    package var tape: Tape { self.tapes.cassettes }

    // MARK: Answering

    /// What comes of asking the tape.
    package enum Answer: Sendable {
        case decided(Decision)
        /// Nothing on tape answers, for this reason.
        case miss(MissReason)
        /// Nothing on tape matches, and the tape asks for secrets: the request may have some that no rule finds. They are
        /// to be looked for with ``TapeStack/hiddenSecrets(_:_:state:_:)``, and the request is to be asked again.
        case mayHideSecrets
    }

    /// What is to be done about a request, by mode and by what is on tape:
    ///
    /// | mode | on tape | not on tape |
    /// |---|---|---|
    /// | replay | play | miss |
    /// | append | play | by the policy: forward and record, unless it says otherwise |
    /// | record | forward and record | forward and record |
    /// | passthrough | forward | forward |
    ///
    /// A request with ``MatchRequest/passesUnlessOnTape`` that is not on tape is forwarded and not recorded, in every mode.
    ///
    /// A miss is explained by ``TapeStack/explainMiss(_:state:reason:session:mode:)``, which takes its time and changes
    /// nothing, and then noted with ``note(_:)``.
    package mutating func answer(_ matchRequest: MatchRequest) -> Answer {
        guard self.mode.plays else { return .decided(.forward(record: self.mode.records)) }
        if self.selection.isEmpty, self.tapes.added == nil, !self.pacesStreams,
            let answer = self.tape.plainMatch(matchRequest.key)
        {
            return .decided(.play(self.play(answer)))
        }
        return self.search(matchRequest, skipsHolds: false)
    }

    /// Whether a request must be redacted before it can be answered: unless its URL alone says what is played, or
    /// nothing is, a tape that asks for secrets wants that.
    package func asksForSecrets(_ key: RequestKey) -> Bool {
        guard self.tapes.asksForSecrets, self.mode.plays else { return false }
        return !self.selection.isEmpty || self.tapes.added != nil || self.tape.plainMatch(key) == nil
    }

    /// What is to be done about a request that is held, once it is let go: as ``answer(_:)``, without the sets that
    /// hold requests. Takes advance; nothing counts as played yet, as another answer may still be given.
    package mutating func answer(held matchRequest: MatchRequest) -> Answer {
        guard self.mode.plays else { return .decided(.forward(record: self.mode.records)) }
        let played = self.playedCount
        defer { self.playedCount = played }
        return self.search(matchRequest, skipsHolds: true)
    }

    private mutating func search(_ matchRequest: MatchRequest, skipsHolds: Bool) -> Answer {
        self.scratch.beginRequest()
        var candidates = self.candidates(matchRequest)
        if !skipsHolds, let redacted = matchRequest.redacted, !redacted.isSearched, candidates.first == nil {
            return .mayHideSecrets
        }
        let answer = self.ask(&candidates, matchRequest, skipsHolds: skipsHolds)
        let cutOff = candidates.cutOff
        guard !cutOff.isEmpty else { return answer }
        self.cutOff.formUnion(cutOff)
        if case .miss = answer { return .miss(.cutOff) }
        return answer
    }

    private mutating func candidates(_ matchRequest: MatchRequest) -> TapeStack.Candidates {
        guard let redacted = matchRequest.redacted,
            let assumed = self.tapes.assume(
                matchRequest,
                redacted,
                self.secrets,
                state: self.state,
                scratch: self.scratch
            )
        else { return self.tapes.candidates(matchRequest, secrets: nil, state: self.state, scratch: self.scratch) }
        self.secrets.bind(assumed.attempt, redacted, askedFor: assumed.askedFor)
        return assumed.candidates
    }

    /// Asks the sets that match, until one has an answer.
    private mutating func ask(
        _ candidates: inout TapeStack.Candidates,
        _ matchRequest: MatchRequest,
        skipsHolds: Bool
    ) -> Answer {
        var reason = MissReason.noMatch
        while let candidate = candidates.next() {
            if skipsHolds, candidate.tape.entries[candidate.entry].set.mayHold { continue }
            switch self.perform(candidate) {
            case .decided(let decision): return .decided(decision)
            // The next set may have an answer left.
            case .miss(let why): if reason == .noMatch { reason = why }
            // Only where nothing matches.
            case .mayHideSecrets: break
            }
        }
        // A set that matched and has no answer left is on tape all the same.
        if matchRequest.passesUnlessOnTape, reason == .noMatch { return .decided(.forward(record: false)) }
        return self.unanswered(reason)
    }

    private func unanswered(_ reason: MissReason) -> Answer {
        // Whatever the policy says, replay stays replay.
        guard self.mode.dialsOut else { return .miss(reason) }
        switch self.policy {
        case .none: return .decided(.forward(record: self.mode.records))
        case .record: return .decided(.forward(record: true))
        case .passthrough: return .decided(.forward(record: false))
        case .fail, .respond: return .miss(reason)
        }
    }

    /// Whether the answer depends on the body, so that it must be read first.
    package mutating func needsBody(_ matchRequest: MatchRequest) -> Bool {
        guard self.mode.plays, self.tapes.mayNeedBody else { return false }
        self.scratch.beginRequest()
        guard let redacted = matchRequest.redacted else {
            return self.tapes.needsBody(matchRequest, secrets: nil, state: self.state, scratch: self.scratch)
        }
        return self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: false).contains { attempt in
            self.tapes.needsBody(matchRequest, secrets: attempt, state: self.state, scratch: self.scratch)
        }
    }

    private mutating func play(_ answer: Tape.PlainAnswer) -> Play {
        self.hits.cassettes.add(Int(answer.entry))
        self.notePlayed()
        let entry = Int(answer.entry)
        guard answer.count > 1 else { return Play(tape: self.tape, entry: entry, take: Int(answer.first)) }
        let position = self.advance(self.tape.script.nodes[Int(answer.node)].identity)
        return Play(tape: self.tape, entry: entry, take: Int(answer.first) + min(position, Int(answer.count) - 1))
    }

    /// Keeps what secrets stand for, by their numbers in a vault.
    package mutating func bind(_ names: [Int: String], vault: Int) {
        self.secrets.bind(names, vault: vault)
    }

    /// Notes that a request was answered from the tape, or in its place.
    package mutating func notePlayed() {
        self.playedCount += 1
    }

    /// The position of a node, which moves on.
    mutating func advance(_ node: UInt64) -> Int {
        let position = self.positions[node, default: 0]
        self.positions[node] = position + 1
        return position
    }

    mutating func change(_ entries: [StateEntry]) {
        for entry in entries { self.state[entry.key] = entry.value }
    }

    // MARK: Reports

    /// Notes a request that nothing answered.
    package mutating func note(_ report: UnmatchedReport) {
        self.unmatchedCount += 1
        if self.unmatched.count < Self.unmatchedLimit {
            self.unmatched.append(report)
        }
    }

    /// The names of the sets that no request was for, those that were added first.
    package var unusedSets: [String] {
        self.tapes.layers.flatMap { layer, tape in
            tape.entries.indices.filter { self.hits[layer][$0] == 0 }.map { tape.entries[$0].set.name }
        }
    }

    /// Whether any answer depends on the seed.
    package var usesRandom: Bool { self.tapes.usesRandom || self.selection.usesRandom }

    // MARK: Steering

    /// - Throws: when there is no such set or variant.
    package mutating func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.tapes.check(variant: variant, of: set)
        self.selection.select(variant, of: set)
        self.effective = PerTape([:])
    }

    /// Applies a profile over those in force; `targets` are the sets and origins it is limited to, all if there are
    /// none.
    ///
    /// - Throws: when there is no such profile, set or origin.
    package mutating func apply(profile name: String, limitedTo targets: [String] = []) throws(SelectionError) {
        self.selection.apply(try self.tapes.profile(name, limitedTo: targets))
        self.effective = PerTape([:])
    }

    /// Returns whether the profile was in force.
    @discardableResult
    package mutating func revert(profile name: String) -> Bool {
        self.effective = PerTape([:])
        return self.selection.revert(name)
    }

    /// Takes back the selection of one set, and begins its takes anew.
    ///
    /// - Throws: when there is no such set, and nothing is selected for one of that name.
    package mutating func reset(_ set: String) throws(SelectionError) {
        // What is selected can be taken back also when its set has gone from the cassette.
        if self.selection.variants[set] == nil {
            try self.tapes.check(variant: BuiltInVariant.offline.rawValue, of: set)
        }
        self.selection.reset(set)
        self.effective = PerTape([:])
        for (_, tape) in self.tapes.layers { self.rewind(set, of: tape) }
    }

    private mutating func rewind(_ set: String, of tape: Tape) {
        for entry in tape.entries(named: set) {
            for node in tape.script.identities(of: entry) { self.positions[node] = nil }
        }
    }

    /// Takes back every selection and profile, begins all takes anew, and makes the state what it was at first; secrets
    /// of requests stand for nothing any more.
    package mutating func resetAll() {
        self.selection = Selection()
        self.effective = PerTape([:])
        self.positions = [:]
        self.secrets = SecretBindings()
        self.state = self.tape.initialState
    }

    package mutating func set(_ key: String, to value: String?) {
        self.state[key] = value
    }

    /// Goes on in another mode, or with another policy; what was played so far stays as it is.
    package mutating func change(mode: Mode, policy: UnmatchedPolicy?) {
        self.mode = mode
        self.policy = policy
    }

    // MARK: Tapes

    /// Goes on with a changed tape: selections, positions and state stay.
    ///
    /// - Returns: what is selected and no longer there.
    package mutating func replaceTape(_ tape: Tape) -> [SelectionError] {
        self.moveCounts(to: tape)
        let secrets = self.tape.cassettes.flatMap(\.secrets)
        self.tapes.cassettes = tape
        self.effective = PerTape([:])
        // Those that were added play the same values.
        if !self.added.isEmpty, tape.cassettes.flatMap(\.secrets) != secrets {
            self.change(added: self.added, anew: nil)
        }
        return self.selection.refresh(self.tapes)
    }

    /// Adds a response set. Of the added sets that match a request the newest answers, whatever it asks for; the cassettes
    /// come after. A set with a negative priority comes after the cassettes. A set of the same name that was added
    /// before is replaced, and begins anew.
    package mutating func add(_ set: ResponseSet) {
        self.change(added: [set] + self.added.filter { $0.name != set.name }, anew: set.name)
    }

    /// Takes away a response set that was added; returns whether there was one of that name.
    package mutating func removeAdded(_ name: String) -> Bool {
        let rest = self.added.filter { $0.name != name }
        guard rest.count < self.added.count else { return false }
        self.change(added: rest, anew: name)
        return true
    }

    /// Takes away all response sets that were added.
    package mutating func removeAllAdded() {
        self.change(added: [], anew: nil)
    }

    private mutating func change(added sets: [ResponseSet], anew name: String?) {
        let secrets = self.tape.cassettes.flatMap(\.secrets)
        let cassette = Cassette(name: TapeStack.addedName, secrets: secrets, responseSets: sets)
        let tape = sets.isEmpty ? nil : Tape([cassette], order: .asListed)
        if let old = self.tapes.added {
            if let name { self.rewind(name, of: old) }
            self.hits.added = tape.map { Self.moved(self.hits.added, from: old, to: $0, except: name) } ?? HitCounts()
        }
        self.added = sets
        self.tapes.added = tape
        self.effective = PerTape([:])
    }

    /// The counts of the sets that are on both tapes.
    private static func moved(
        _ hits: HitCounts,
        from old: Tape,
        to new: Tape,
        except name: String? = nil
    ) -> HitCounts {
        var moved = HitCounts()
        let before = Dictionary(old.entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        for (number, entry) in new.entries.enumerated() where entry.set.name != name {
            if let old = before[entry.identity] { moved.add(number, hits[old]) }
        }
        return moved
    }

    /// Keeps the counts of the sets that are on a changed tape, too.
    private mutating func moveCounts(to tape: Tape) {
        let hits = Self.moved(self.hits.cassettes, from: self.tape, to: tape)
        var variants = VariantCounts()
        let before = Dictionary(self.tape.entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        for (number, entry) in tape.entries.enumerated() where hits[number] > 0 {
            guard let old = before[entry.identity] else { continue }
            let asked = hits[number]
            let counts = self.variantCounts.counts(of: self.tape.entries[old].set, number: old, asked: asked)
            variants.take(over: counts, of: entry.set, number: number, asked: asked)
        }
        self.hits.cassettes = hits
        self.variantCounts = variants
    }
}
