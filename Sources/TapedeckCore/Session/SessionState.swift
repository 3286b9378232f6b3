/// Everything about a session that changes, and every decision it takes. A value: whoever holds it serialises access.
package struct SessionState {
    /// How many unmatched requests are kept word for word; the rest are counted.
    private static let unmatchedLimit = 100

    package let name: String
    package let mode: Mode
    /// What every random choice follows from.
    package let seed: UInt64
    /// Whether a variant may ask the live server in a mode that dials out for nothing else.
    package let allowsPassthrough: Bool
    package private(set) var tape: Tape
    package private(set) var selection = Selection()
    package private(set) var state: [String: String]
    /// Where behaviours that go on from request to request stand, by the identity of their node.
    var positions: [UInt64: Int] = [:]
    /// How often each set was asked.
    var hits = HitCounts()
    package private(set) var playedCount = 0
    /// The first of the requests that nothing answered.
    package private(set) var unmatched: [UnmatchedReport] = []
    package private(set) var unmatchedCount = 0
    /// The sets whose pattern took too long for some request, and was cut off.
    package private(set) var cutOff: Set<String> = []
    /// What is in force for sets that were asked for, while anything is selected.
    var effective: [Int: EffectiveVariant] = [:]
    let scratch = PatternScratch()

    package init(
        name: String,
        mode: Mode,
        tape: Tape,
        seed: UInt64 = 0,
        allowsPassthrough: Bool = false
    ) {
        self.name = name
        self.mode = mode
        self.tape = tape
        self.seed = seed
        self.allowsPassthrough = allowsPassthrough
        self.state = tape.initialState
    }

    // MARK: Answering

    /// What comes of asking the tape.
    package enum Answer {
        case decided(Decision)
        /// Nothing on tape answers, for this reason.
        case miss(MissReason)
    }

    /// What is to be done about a request, by mode and by what is on tape:
    ///
    /// | mode | on tape | not on tape |
    /// |---|---|---|
    /// | replay | play | miss |
    /// | append | play | forward and record |
    /// | record | forward and record | forward and record |
    /// | passthrough | forward | forward |
    ///
    /// A miss is explained by ``Tape/explainMiss(_:state:reason:session:mode:)``, which takes its time and changes
    /// nothing, and then noted with ``note(_:)``.
    package mutating func answer(_ inquiry: Inquiry) -> Answer {
        guard self.mode.plays else { return .decided(.forward(record: self.mode.records)) }
        if self.selection.isEmpty, let answer = self.tape.plainMatch(inquiry.key) {
            return .decided(.play(self.play(answer)))
        }
        self.scratch.beginRequest()
        let request = RequestFacts(inquiry, state: self.state, scratch: self.scratch)
        let answer = self.ask(request)
        guard !request.cutOff.isEmpty else { return answer }
        self.cutOff.formUnion(request.cutOff.map { self.tape.entries[$0].set.name })
        if case .miss = answer { return .miss(.cutOff) }
        return answer
    }

    /// Asks the sets that match, until one has an answer.
    private mutating func ask(_ request: RequestFacts) -> Answer {
        var reason = MissReason.noMatch
        var asked: Int?
        while let entry = self.tape.match(request, after: asked) {
            switch self.perform(entry, request) {
            case .decided(let decision): return .decided(decision)
            // The next set may have an answer left.
            case .miss(let why): if reason == .noMatch { reason = why }
            }
            asked = entry
        }
        return self.mode.dialsOut ? .decided(.forward(record: self.mode.records)) : .miss(reason)
    }

    /// Whether the answer depends on the body, so that it must be read first.
    package mutating func needsBody(_ inquiry: Inquiry) -> Bool {
        guard self.mode.plays, self.tape.mayNeedBody else { return false }
        self.scratch.beginRequest()
        return self.tape.needsBody(RequestFacts(inquiry, state: self.state, scratch: self.scratch))
    }

    private mutating func play(_ answer: Tape.PlainAnswer) -> Play {
        self.hits.add(Int(answer.entry))
        self.notePlayed()
        let entry = Int(answer.entry)
        guard answer.count > 1 else { return Play(tape: self.tape, entry: entry, take: Int(answer.first)) }
        let position = self.advance(self.tape.script.nodes[Int(answer.node)].identity)
        return Play(tape: self.tape, entry: entry, take: Int(answer.first) + min(position, Int(answer.count) - 1))
    }

    mutating func notePlayed() {
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

    /// The names of the sets that no request was for, in the order of the tape.
    package var unusedSets: [String] {
        self.tape.entries.indices.filter { self.hits[$0] == 0 }.map { self.tape.entries[$0].set.name }
    }

    /// Whether any answer depends on the seed.
    package var usesRandom: Bool { self.tape.usesRandom || self.selection.usesRandom }

    // MARK: Steering

    /// - Throws: when there is no such set or variant.
    package mutating func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.tape.check(variant: variant, of: set)
        self.selection.select(variant, of: set)
        self.effective = [:]
    }

    /// Applies a profile over those in force; `targets` are the sets and origins it is limited to, all if there are
    /// none.
    ///
    /// - Throws: when there is no such profile, set or origin.
    package mutating func apply(profile name: String, limitedTo targets: [String] = []) throws(SelectionError) {
        self.selection.apply(try self.tape.profile(name, limitedTo: targets))
        self.effective = [:]
    }

    /// Returns whether the profile was in force.
    @discardableResult
    package mutating func revert(profile name: String) -> Bool {
        self.effective = [:]
        return self.selection.revert(name)
    }

    /// Takes back the selection of one set, and begins its takes anew.
    ///
    /// - Throws: when there is no such set.
    package mutating func reset(_ set: String) throws(SelectionError) {
        try self.tape.check(variant: BuiltInVariant.offline.rawValue, of: set)
        self.selection.reset(set)
        self.effective = [:]
        for entry in self.tape.entries(named: set) {
            for node in self.tape.script.identities(of: entry) { self.positions[node] = nil }
        }
    }

    /// Takes back every selection and profile, begins all takes anew, and makes the state what it was at first.
    package mutating func resetAll() {
        self.selection = Selection()
        self.effective = [:]
        self.positions = [:]
        self.state = self.tape.initialState
    }

    package mutating func set(_ key: String, to value: String?) {
        self.state[key] = value
    }

    /// Goes on with a changed tape: selections, positions and state stay.
    package mutating func replaceTape(_ tape: Tape) {
        var hits = HitCounts()
        let old = Dictionary(self.tape.entries.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        for (number, entry) in tape.entries.enumerated() {
            if let before = old[entry.identity] { hits.add(number, self.hits[before]) }
        }
        self.hits = hits
        self.tape = tape
        self.effective = [:]
    }
}

/// Why nothing answered a request.
package enum MissReason: Sendable, Equatable {
    case noMatch
    /// The set matched, but all its takes are used up.
    case usedUp(set: String, variant: String)
    /// The set matched, but its variant asks the live server, and this session may not.
    case passthrough(set: String, variant: String)
    /// The set matched, but its variant leads to nothing.
    case noAnswer(set: String, variant: String)
    /// A pattern took too long and was cut off.
    case cutOff
}
