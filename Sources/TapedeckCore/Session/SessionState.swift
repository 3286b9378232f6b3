/// The mutable state of a session, and all its decisions. A value: its owner serialises access.
package struct SessionState {
    /// The number of unmatched requests that are kept in full; the rest are counted.
    private static let unmatchedLimit = 100

    package let name: String
    package private(set) var mode: Mode
    /// The mode that it goes on in when it is resumed; `nil` where it is not paused.
    private var pausedMode: Mode?
    /// The treatment of a request that nothing on tape answers; `nil` is that of the mode.
    package private(set) var policy: UnmatchedPolicy?
    /// The seed of all random choices.
    package let seed: UInt64
    /// True if a variant may contact the live server in a mode that otherwise does not connect.
    package let allowsPassthrough: Bool
    /// The times at which recorded pieces of bodies are sent; `nil` is as the cassettes say.
    package let streams: StreamPace?
    /// True if polls are shortened: a client that asks until something is done gets that with its second request.
    let isFast: Bool
    /// True if a body may be sent piece by piece whatever the cassettes say.
    private let pacesStreams: Bool
    /// The tapes. That of the added sets may be of an earlier time: see ``settle()``.
    private var stack: TapeStack
    /// The names of the added sets that changed since the tape of added sets was compiled, and begin anew; `nil` if none did.
    private var changedAdded: Set<String>?
    /// Response sets that were added to this session, the newest first.
    package private(set) var added: [ResponseSet] = []
    package private(set) var selection = Selection()
    package private(set) var state: [String: String]
    /// The positions of behaviours that continue from request to request, by the identity of their node.
    var positions: [UInt64: Int] = [:]
    /// The number of requests for each set, for each tape of ``tapes``.
    var hits = PerTape(HitCounts())
    /// The variants of the cassettes' sets that played.
    var variantCounts = VariantCounts()
    package private(set) var playedCount = 0
    /// The first of the requests that nothing answered.
    package private(set) var unmatched: [UnmatchedReport] = []
    package private(set) var unmatchedCount = 0
    /// The sets whose pattern took too long for some request, and was cut off.
    package private(set) var cutOff: Set<String> = []
    /// The effective variants of requested sets, while anything is selected.
    var effective = PerTape<[Int: EffectiveVariant]>([:])
    let scratch = PatternScratch()
    /// The live values of the session's requests for recorded ones.
    package internal(set) var bindings = ValueBindings()
    /// The places whose values differed from the recorded ones, each with its set; at most 100.
    package private(set) var varied: [String] = []
    /// The values of the request that is being answered, which come before those of earlier ones in its answer.
    var ownPairs: [ValueBindings.Pair] = []
    /// The places that were learned of the sets of the cassettes, by the numbers of the sets on the tape.
    var learned: [Int: LearnedPlaces] = [:]
    /// The clock of the dates of its requests, if they have told it.
    var dateClock: VaryingComparison.DateClock?
    /// The names of the secrets of requests.
    package private(set) var secrets = SecretBindings()

    package init(
        name: String,
        mode: Mode,
        policy: UnmatchedPolicy? = nil,
        tape: Tape,
        seed: UInt64 = 0,
        allowsPassthrough: Bool = false,
        streams: StreamPace? = nil,
        isFast: Bool = false
    ) {
        self.name = name
        self.mode = mode
        self.policy = policy
        self.stack = TapeStack(tape)
        self.seed = seed
        self.allowsPassthrough = allowsPassthrough
        self.streams = streams
        self.isFast = isFast
        self.pacesStreams = streams?.factor != nil
        self.state = tape.initialState
    }

    /// The tape of the session's cassettes.
    package var tape: Tape { self.stack.cassettes }
    /// True if anything but the origin may answer. What a test adds to a session that records answers there, too: it may stand
    /// in for an origin that must not be asked.
    package var answers: Bool { self.mode.plays || self.mode.records && !self.added.isEmpty }
    /// The tapes whose sets may answer.
    private var asked: TapeStack {
        mutating get { self.mode.plays ? self.tapes : TapeStack(Self.noCassettes, added: self.tapes.added) }
    }
    private static let noCassettes = Tape([])
    /// False if no set asks for header fields, as far as that is known before the added ones are compiled.
    package var mayAskForFields: Bool { self.changedAdded != nil && !self.added.isEmpty || self.stack.asksForFields }
    /// The tapes. A test may add hundreds of sets before its first request: their tape is compiled when it is asked.
    package var tapes: TapeStack {
        mutating get {
            self.settle()
            return self.stack
        }
    }
    /// True if a part of an answer on tape comes before the whole request.
    package var answersEarly: Bool {
        mutating get {
            self.settle()
            return self.mode.plays && self.stack.answersEarly
        }
    }
    /// True if a set asks for header fields.
    package var asksForFields: Bool {
        mutating get {
            self.settle()
            return self.stack.asksForFields
        }
    }

    // MARK: Answering

    /// The result of asking the tape.
    package enum Answer: Sendable {
        case decided(Decision)
        /// Nothing on tape answers, for this reason.
        case miss(MissReason)
        /// Nothing on tape matches, and the tape has conditions on secrets: the request may have secrets that no rule
        /// finds. Search for them with ``TapeStack/hiddenSecrets(_:_:state:_:)``, and ask again.
        case mayHideSecrets
    }

    /// Decides about a request, by mode and tape:
    ///
    /// | mode | on tape | not on tape |
    /// |---|---|---|
    /// | replay | play | miss |
    /// | append | play | by the policy: forward and record by default |
    /// | record | forward and record | forward and record |
    /// | passthrough | forward | forward |
    ///
    /// A request that passes by its ``MatchRequest/passing`` is forwarded and not recorded, in every mode.
    ///
    /// A miss is explained by ``TapeStack/explainMiss(_:_:state:reason:session:mode:)``, which takes time and changes
    /// nothing, and then noted with ``note(_:)``.
    package mutating func answer(_ matchRequest: MatchRequest) -> Answer {
        guard self.answers else { return .decided(.forward(record: self.mode.records)) }
        if self.selection.isEmpty, self.added.isEmpty, !self.pacesStreams, self.bindings.isEmpty,
            matchRequest.fields.isEmpty || SelectingFields(of: matchRequest.fields).isEmpty,
            let answer = self.tape.plainMatch(matchRequest.key)
        {
            return .decided(.play(self.play(answer)))
        }
        return self.search(matchRequest, skipsHolds: false)
    }

    /// True if a request must be redacted before it can be answered: the tape has conditions on secrets, and the URL
    /// alone does not decide.
    package mutating func asksForSecrets(_ key: RequestKey) -> Bool {
        self.settle()
        guard self.stack.asksForSecrets, self.answers else { return false }
        return !self.selection.isEmpty || !self.added.isEmpty || self.tape.plainMatch(key) == nil
    }

    /// Decides about a held request that is released: like ``answer(_:)``, without the sets that hold requests. Takes
    /// advance, but nothing counts as played yet, because another answer may still be given.
    package mutating func answer(held matchRequest: MatchRequest) -> Answer {
        guard self.answers else { return .decided(.forward(record: self.mode.records)) }
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
        let answer: Answer
        if matchRequest.body?.isPart ?? false {
            var ordered = self.unplayedFirst(&candidates).makeIterator()
            answer = self.ask(&ordered, matchRequest, skipsHolds: skipsHolds)
        } else {
            answer = self.ask(&candidates, matchRequest, skipsHolds: skipsHolds)
        }
        let cutOff = candidates.cutOff
        guard !cutOff.isEmpty else { return answer }
        self.cutOff.formUnion(cutOff)
        if case .miss = answer { return .miss(.cutOff) }
        return answer
    }

    mutating func candidates(_ matchRequest: MatchRequest) -> TapeStack.Candidates {
        let tapes = self.asked
        guard let redacted = matchRequest.redacted,
            let assumed = tapes.assume(
                matchRequest,
                redacted,
                self.secrets,
                state: self.state,
                scratch: self.scratch
            )
        else { return tapes.candidates(matchRequest, secrets: nil, state: self.state, scratch: self.scratch) }
        self.secrets.use(redacted.known.intersection(tapes.secretNames.credentials))
        self.secrets.bind(assumed.attempt, redacted, askedFor: assumed.askedFor)
        return assumed.candidates
    }

    /// Asks the sets that match, until one has an answer.
    private mutating func ask(
        _ candidates: inout some IteratorProtocol<TapeStack.Candidate>,
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
        guard self.mode.plays else {
            // A host that is not recorded is not recorded here, either.
            return .decided(.forward(record: self.mode.records && matchRequest.passing == .never))
        }
        // A set that matched and has no answer left is on tape all the same.
        if reason == .noMatch, self.passes(matchRequest) { return .decided(.forward(record: false)) }
        return self.unanswered(reason)
    }

    /// True if a request that nothing on tape is for is forwarded by its rule.
    private mutating func passes(_ matchRequest: MatchRequest) -> Bool {
        switch matchRequest.passing {
        case .never: false
        case .unlessOnTape: true
        case .unlessOriginIsOnTape: !(matchRequest.key.origin.map(self.tapes.hasSets) ?? false)
        }
    }

    private func unanswered(_ reason: MissReason) -> Answer {
        // No policy makes replay connect.
        guard self.mode.dialsOut else { return .miss(reason) }
        switch self.policy {
        case .none: return .decided(.forward(record: self.mode.records))
        case .record: return .decided(.forward(record: true))
        case .passthrough: return .decided(.forward(record: false))
        case .fail, .respond: return .miss(reason)
        }
    }

    /// True if the answer depends on the body, so that it must be read first.
    package mutating func needsBody(_ matchRequest: MatchRequest) -> Bool {
        guard self.answers, self.asked.mayNeedBody else { return false }
        self.scratch.beginRequest()
        guard let redacted = matchRequest.redacted else {
            return self.asked.needsBody(matchRequest, secrets: nil, state: self.state, scratch: self.scratch)
        }
        return self.secrets.attempts(redacted, names: self.tapes.secretNames, onlyOwnKind: false).contains { attempt in
            self.asked.needsBody(matchRequest, secrets: attempt, state: self.state, scratch: self.scratch)
        }
    }

    private mutating func play(_ answer: Tape.PlainAnswer) -> Play {
        self.hits.cassettes.add(Int(answer.entry))
        self.notePlayed()
        let entry = Int(answer.entry)
        var take = Int(answer.first)
        if answer.count > 1 {
            let position = self.advance(self.tape.script.nodes[Int(answer.node)].identity)
            take += min(position, Int(answer.count) - 1)
        }
        self.noteIssued(take, of: self.tape)
        return Play(tape: self.tape, entry: entry, take: take)
    }

    /// Notes the credentials that an answer gives the client: they are no other user's from here on.
    mutating func noteIssued(_ take: Int, of tape: Tape) {
        if let names = tape.issuedCredentials[take] { self.secrets.use(names) }
    }

    mutating func bind(_ pairs: [ValueBindings.Pair]) {
        self.bindings.bind(pairs)
    }

    mutating func note(varied places: [String], of set: String) {
        for place in places.map({ "\(set): \($0)" }) where self.varied.count < 100 && !self.varied.contains(place) {
            self.varied.append(place)
        }
    }

    /// Stores the names of secrets, by their numbers in a vault.
    mutating func bind(_ attempt: SecretBindings.Attempt, _ request: RedactedRequest, for entry: Tape.Entry) {
        self.secrets.bind(attempt, request, askedFor: entry.mayAskForAnySecret ? nil : entry.secrets)
    }

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
        mutating get {
            self.tapes.layers.flatMap { layer, tape in
                tape.entries.indices.filter { self.hits[layer][$0] == 0 }.map { tape.entries[$0].set.name }
            }
        }
    }

    /// True if any answer depends on the seed.
    package var usesRandom: Bool {
        mutating get { self.tapes.usesRandom || self.selection.usesRandom }
    }

    // MARK: Steering

    /// - Throws: an error if the set or variant does not exist.
    package mutating func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.tapes.check(variant: variant, of: set)
        self.selection.select(variant, of: set)
        self.effective = PerTape([:])
    }

    /// Applies a profile over those in force; `targets` are the sets and origins it is limited to, empty for all.
    ///
    /// - Throws: an error if the profile, set or origin does not exist.
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

    /// Removes the selection of one set, and restarts its takes.
    ///
    /// - Throws: an error if the set does not exist, and nothing is selected for that name.
    package mutating func reset(_ set: String) throws(SelectionError) {
        // A selection can be removed even if its set is no longer in the cassette.
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

    /// Removes every selection and profile, restarts all takes, restores the initial state, and forgets the secrets of
    /// requests.
    package mutating func resetAll() {
        self.selection = Selection()
        self.effective = PerTape([:])
        self.positions = [:]
        self.secrets = SecretBindings()
        self.bindings = ValueBindings()
        self.state = self.tape.initialState
    }

    package mutating func set(_ key: String, to value: String?) {
        self.state[key] = value
    }

    /// Continues in another mode, or with another policy; earlier answers are not affected.
    package mutating func change(mode: Mode, policy: UnmatchedPolicy?) {
        self.mode = mode
        self.pausedMode = nil
        self.policy = policy
    }

    /// True while every request goes to its origin, whatever the mode was.
    package var isPaused: Bool { self.pausedMode != nil }

    /// Has every request go to its origin, unplayed and unrecorded. Returns `false` where it does so already.
    package mutating func pause() -> Bool {
        guard self.pausedMode == nil else { return false }
        self.pausedMode = self.mode
        self.mode = .passthrough
        return true
    }

    /// Goes on in the mode before ``pause()``. Returns `false` where it was not paused.
    package mutating func resume() -> Bool {
        guard let mode = self.pausedMode else { return false }
        self.pausedMode = nil
        self.mode = mode
        return true
    }

    // MARK: Tapes

    /// Continues with a changed tape: selections, positions and state stay.
    ///
    /// - Returns: the selections that no longer exist.
    package mutating func replaceTape(_ tape: Tape) -> [SelectionError] {
        self.moveLessons(to: tape)
        self.moveCounts(to: tape)
        let secrets = self.tape.cassettes.flatMap(\.secrets)
        self.stack.cassettes = tape
        self.effective = PerTape([:])
        // Those that were added play the same values.
        if !self.added.isEmpty, tape.cassettes.flatMap(\.secrets) != secrets {
            self.change(added: self.added, anew: nil)
        }
        return self.selection.refresh(self.tapes)
    }

    /// Adds a response set. The newest added set that matches a request answers, whatever its conditions; the cassettes
    /// come after. A set with a negative priority comes after the cassettes. It replaces an added set of the same name,
    /// and starts at its first take.
    package mutating func add(_ set: ResponseSet) {
        self.change(added: [set] + self.added.filter { $0.name != set.name }, anew: set.name)
    }

    /// Removes an added response set; returns false if there is none of that name.
    package mutating func removeAdded(_ name: String) -> Bool {
        let rest = self.added.filter { $0.name != name }
        guard rest.count < self.added.count else { return false }
        self.change(added: rest, anew: name)
        return true
    }

    /// Removes all added response sets.
    package mutating func removeAllAdded() {
        self.change(added: [], anew: nil)
    }

    private mutating func change(added sets: [ResponseSet], anew name: String?) {
        self.added = sets
        self.changedAdded = (self.changedAdded ?? []).union([name].compactMap(\.self))
        self.effective = PerTape([:])
        // There is nothing to compile, and the old tape is let go of.
        if sets.isEmpty { self.settle() }
    }

    /// Compiles the added sets, if they have changed.
    private mutating func settle() {
        if let changed = self.changedAdded { self.compileAdded(anew: changed) }
    }

    private mutating func compileAdded(anew names: Set<String>) {
        let secrets = self.tape.cassettes.flatMap(\.secrets)
        let cassette = Cassette(name: TapeStack.addedName, secrets: secrets, responseSets: self.added)
        let tape = self.added.isEmpty ? nil : Tape([cassette], order: .asListed)
        if let old = self.stack.added {
            for name in names { self.rewind(name, of: old) }
            self.hits.added = tape.map { Self.moved(self.hits.added, from: old, to: $0, except: names) } ?? HitCounts()
        }
        self.stack.added = tape
        self.changedAdded = nil
    }

    private mutating func moveLessons(to tape: Tape) {
        guard !self.learned.isEmpty else { return }
        let places = Dictionary(tape.entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        var moved: [Int: LearnedPlaces] = [:]
        for (number, learned) in self.learned {
            if let place = places[self.tape.entries[number].identity] { moved[place] = learned }
        }
        self.learned = moved
    }

    /// The counts of the sets that are on both tapes.
    private static func moved(
        _ hits: HitCounts,
        from old: Tape,
        to new: Tape,
        except names: Set<String> = []
    ) -> HitCounts {
        var moved = HitCounts()
        guard !hits.isEmpty else { return moved }
        let before = Dictionary(old.entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        for (number, entry) in new.entries.enumerated() where !names.contains(entry.set.name) {
            if let old = before[entry.identity] { moved.add(number, hits[old]) }
        }
        return moved
    }

    /// Keeps the counts of the sets that are on a changed tape, too.
    private mutating func moveCounts(to tape: Tape) {
        let hits = Self.moved(self.hits.cassettes, from: self.tape, to: tape)
        var variants = VariantCounts()
        let entries = hits.isEmpty ? [] : self.tape.entries
        let before = Dictionary(entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
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
