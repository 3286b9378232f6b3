/// From the set that matched to what it plays.
extension SessionState {
    /// The evaluation of one set's behaviours for a request.
    private struct Evaluation {
        let candidate: TapeStack.Candidate
        var pacing = Pacing()
        var isTemplate = false
        var changes: [BodyChange] = []
        var sets: [StateEntry] = []
        /// The name of the variant that is in force.
        var variant = ""
        /// The number of the answer among its takes, from 0.
        var position = 0
        /// The answer that is derived from the take; `nil` where it plays as it is.
        var excerpt: Excerpt?
        /// Variants can name each other, also in a circle.
        var depth = 0
        /// The variants of the set that played, by number: the first one, and those that it passed on to.
        var firstVariant = -1
        var furtherVariants: [Int] = []
        /// The built-in variants that played.
        var builtIns: [BuiltInVariant] = []

        var tape: Tape { self.candidate.tape }
        var entry: Int { self.candidate.entry }
        var request: RequestFacts { self.candidate.request }
        /// True for a set that answers calls of gRPC.
        var isCall: Bool { self.tape.entries[self.entry].set.request.isGRPC }
    }

    private enum Outcome {
        case take(Int)
        case passthrough
        case hold
        case usedUp
        /// No take was recorded for a request with these conditions or this range.
        case otherFields
        case nothing
    }

    /// Deeper than anyone would write; a circle gets there soon.
    private static var depthLimit: Int { 64 }

    mutating func perform(_ candidate: TapeStack.Candidate) -> Answer {
        let entry = candidate.entry
        let tape = candidate.tape
        self.hits[candidate.layer].add(entry)
        let script = tape.script
        let effective = self.effectiveVariant(of: candidate)
        var evaluation = Evaluation(candidate: candidate)
        let node: Int
        let variant: String
        switch effective.base {
        case .variant(let number):
            node = script.root(of: number, set: entry)
            variant = tape.entries[entry].set.variants[number].name
        case .builtIn(let builtIn):
            node = script.root(of: builtIn, isCall: evaluation.isCall) ?? 0
            variant = builtIn.rawValue
            evaluation.builtIns.append(builtIn)
        }
        let set = tape.entries[entry].set
        var random = self.random(for: tape.entries[entry].identity)
        let outcome: Outcome
        if effective.wrappers.contains(.flaky), random.unit() < Self.flakyShare,
            let offline = script.root(of: BuiltInVariant.offline, isCall: evaluation.isCall)
        {
            evaluation.builtIns = [.offline]
            outcome = self.play(offline, &evaluation, &random)
        } else {
            outcome = self.play(node, &evaluation, &random)
        }
        evaluation.builtIns += effective.wrappers
        self.count(outcome, evaluation, set)
        switch outcome {
        case .usedUp: return .miss(.usedUp(set: set.name, variant: variant))
        case .nothing: return .miss(.noAnswer(set: set.name, variant: variant))
        case .otherFields:
            return .miss(.otherFields(set: set.name, asked: evaluation.request.selectingFields.text))
        case .passthrough where !self.mode.dialsOut && !self.allowsPassthrough:
            return .miss(.passthrough(set: set.name, variant: variant))
        // Nothing was answered, so no state changes.
        case .hold: return .decided(.hold(Hold(set: set.name, rule: tape.rule(entry))))
        case .take, .passthrough: break
        }
        if case .take(let number) = outcome {
            self.notePlayed()
            self.noteIssued(number, of: tape)
        }
        let slow = effective.wrappers.contains(.slow)
        evaluation.variant = variant
        return .decided(self.decision(outcome, evaluation, set, slow: slow, &random))
    }

    /// Counts the variants that played.
    private mutating func count(_ outcome: Outcome, _ evaluation: Evaluation, _ set: ResponseSet) {
        // The reports tell of cassettes alone.
        guard evaluation.candidate.layer == .cassettes else { return }
        let plays =
            switch outcome {
            case .take, .hold: true
            case .passthrough: self.mode.dialsOut || self.allowsPassthrough
            case .usedUp, .otherFields, .nothing: false
            }
        let first = evaluation.firstVariant
        let normal = set.defaultVariant
        // This follows from the count of the set.
        if plays, first == normal, evaluation.furtherVariants.isEmpty, evaluation.builtIns.isEmpty { return }
        var played = Set(evaluation.furtherVariants)
        if first >= 0 { played.insert(first) }
        let playsDefault = played.remove(normal) != nil
        let others = played.map { set.variants[$0].name } + Set(evaluation.builtIns).map(\.rawValue)
        self.variantCounts.add(evaluation.entry, playsDefault: plays && playsDefault, others: plays ? others : [])
    }

    /// One request in five.
    private static var flakyShare: Double { 0.2 }

    private mutating func decision(
        _ outcome: Outcome,
        _ evaluation: Evaluation,
        _ set: ResponseSet,
        slow: Bool,
        _ random: inout SeededRandom
    ) -> Decision {
        let entry = evaluation.entry
        let tape = evaluation.tape
        let scene = evaluation.isTemplate ? self.scene(evaluation) : nil
        self.change(set.sets)
        self.change(evaluation.sets)
        var take: Int?
        if case .take(let number) = outcome { take = number }
        let latency = take.flatMap { tape.takes[$0].latency }
        let wanted = evaluation.pacing.delay ?? tape.script.defaultDelays[entry]
        let delay = (wanted?.draw(&random, latency: latency) ?? 0) + (slow ? 1_000 + Int(random.unit() * 2_000) : 0)
        guard let take else { return .forward(record: false, delay: delay) }
        let streams = self.streams ?? tape.cassette(ofTake: take)?.streams
        // A person's own pace wins over the recorded one.
        let isCut =
            tape.takes[take].pieces != nil && evaluation.pacing.dribble == nil && evaluation.excerpt == nil
        let staging = Staging(
            delay: delay,
            bandwidth: evaluation.pacing.bandwidth,
            dribble: evaluation.pacing.dribble,
            streams: isCut ? streams?.factor : nil,
            scene: scene,
            changes: evaluation.changes,
            time: tape.cassette(ofTake: take)?.time ?? TimeRules(),
            seed: random.next(),
            excerpt: evaluation.excerpt,
            bindings: self.bindings.binding(self.ownPairs)
                .binding(tape.takes[take].echoedFields, of: evaluation.request),
            variedPlaces: evaluation.candidate.variedPlaces
        )
        let isPlain =
            delay == 0 && staging.bandwidth == nil && staging.dribble == nil && staging.streams == nil
            && !staging.changesContent && staging.excerpt == nil && staging.variedPlaces.isEmpty
        return .play(
            Play(
                tape: tape,
                entry: entry,
                take: take,
                variant: evaluation.variant,
                staging: isPlain ? nil : staging
            )
        )
    }

    private func scene(_ evaluation: Evaluation) -> TemplateScene {
        let request = evaluation.request
        return TemplateScene(
            request: request.line,
            captures: evaluation.tape.entries[evaluation.entry].matcher.captures(request),
            query: request.query,
            fields: request.fields,
            body: request.bodyBytes,
            message: evaluation.tape.entries[evaluation.entry].set.request.call.flatMap { call in
                request.messages(call.input)?.first?.json
            },
            take: evaluation.position + 1,
            state: self.state
        )
    }

    // MARK: Nodes

    private mutating func play(
        _ number: Int,
        _ evaluation: inout Evaluation,
        _ random: inout SeededRandom
    ) -> Outcome {
        evaluation.depth += 1
        guard evaluation.depth <= Self.depthLimit else { return .nothing }
        let script = evaluation.tape.script
        if let variant = script.variant(ofNode: number, set: evaluation.entry) {
            if evaluation.firstVariant < 0 {
                evaluation.firstVariant = variant
            } else {
                evaluation.furtherVariants.append(variant)
            }
        }
        let node = script.nodes[number]
        if node.isStaged, let steps = script.steps[number] {
            evaluation.pacing = steps.pacing.over(evaluation.pacing)
            evaluation.isTemplate = evaluation.isTemplate || steps.isTemplate
            // Inner changes are applied first.
            evaluation.changes = steps.changes + evaluation.changes
            evaluation.sets += steps.sets
        }
        switch node.action {
        case .takes(let first, let count) where node.selects || !evaluation.request.selectingFields.isEmpty:
            return self.select(first..<(first + count), number, &evaluation, &random)
        case .takes(let first, let count):
            let position = self.advance(node.identity)
            evaluation.position = position
            guard let index = self.place(position, of: count, number, script) else {
                return self.goOn(node.after, &evaluation, &random)
            }
            return .take(first + index)
        case .sequence(let parts):
            let position = self.advance(node.identity)
            let length = parts.reduce(0) { $0 + $1.length }
            guard let index = node.after.position(position, of: length) else {
                return self.goOn(node.after, &evaluation, &random)
            }
            var rest = index
            for part in parts {
                if rest < part.length {
                    // Another round starts from the beginning.
                    if rest == 0 { self.rewind(part.node, script) }
                    return self.play(part.node, &evaluation, &random)
                }
                rest -= part.length
            }
            return .nothing
        case .random(let parts):
            let drawn = Int(random.unit() * Double(parts.last?.upTo ?? 0))
            guard let part = parts.first(where: { drawn < $0.upTo }) else { return .nothing }
            return self.play(part.node, &evaluation, &random)
        case .conditional(let when, let then, let otherwise):
            let request = evaluation.request
            let doubts = request.doubts
            let holds = script.conditions[when].matches(request)
            // Undecided, so neither branch is right.
            guard request.doubts == doubts else {
                request.noteDoubt(evaluation.entry)
                return .nothing
            }
            let next = holds ? then : otherwise
            return next < 0 ? .nothing : self.play(next, &evaluation, &random)
        case .node(let next):
            return self.play(next, &evaluation, &random)
        case .builtIn(let builtIn):
            guard let next = script.root(of: builtIn, isCall: evaluation.isCall) else { return .nothing }
            evaluation.builtIns.append(builtIn)
            return self.play(next, &evaluation, &random)
        case .nothing:
            return .nothing
        case .passthrough:
            return .passthrough
        case .hold:
            return .hold
        }
    }

    /// Plays the take among those of a node that a request with conditions or a range gets.
    private mutating func select(
        _ takes: Range<Int>,
        _ number: Int,
        _ evaluation: inout Evaluation,
        _ random: inout SeededRandom
    ) -> Outcome {
        let script = evaluation.tape.script
        let node = script.nodes[number]
        let request = evaluation.request
        let isRead = request.method == "GET" || request.method == "HEAD"
        var places = Array(0..<takes.count)
        var identity = node.identity
        let choice = script.selectors[number]?.choice(
            for: request.selectingFields,
            method: request.method,
            url: request.line.url.description
        )
        switch choice {
        case .nothing: return .otherFields
        case .excerpt(let excerpt, let place):
            evaluation.excerpt = excerpt
            evaluation.position = place
            return .take(takes.lowerBound + place)
        case .group(let group, let name):
            places = group
            if !name.isEmpty { identity = StableHash.of(name, seed: identity) }
        // The takes were recorded without conditions. Those of a change decide what it does.
        case nil where !isRead:
            places.removeAll { evaluation.tape.takes[takes.lowerBound + $0].recorded != nil }
            if places.isEmpty { return .otherFields }
        case nil: break
        }
        let (runs, isFast) = (script.runs[number], self.isFast)
        func place(_ position: Int) -> Int? {
            guard let runs else { return node.after.position(position, of: places.count).map { places[$0] } }
            return runs.place(position, among: places, isFast: isFast, node.after)
        }
        var position = self.positions[identity, default: 0]
        // All ranges are of one version, that of the take that played last, and use up none.
        if request.method == "GET", request.selectingFields["range"] != nil,
            let last = place(max(position - 1, 0)), evaluation.tape.takes[takes.lowerBound + last].status == 200
        {
            position = max(position - 1, 0)
        } else {
            _ = self.advance(identity)
        }
        guard let found = place(position) else { return self.goOn(node.after, &evaluation, &random) }
        evaluation.position = found
        let take = takes.lowerBound + found
        if isRead {
            evaluation.excerpt = evaluation.tape.takes[take].excerpt(
                for: request.selectingFields,
                method: request.method
            )
        }
        return .take(take)
    }

    /// Restarts a behaviour and all its parts.
    private mutating func rewind(_ number: Int, _ script: TapeScript) {
        let node = script.nodes[number]
        self.positions[node.identity] = nil
        switch node.action {
        case .sequence(let parts): for part in parts { self.rewind(part.node, script) }
        case .random(let parts): for part in parts { self.rewind(part.node, script) }
        case .conditional(_, let then, let otherwise):
            for next in [then, otherwise] where next >= 0 { self.rewind(next, script) }
        // Another variant keeps its own place.
        case .takes, .node, .builtIn, .nothing, .passthrough, .hold: break
        }
    }

    /// Returns the place of the take that a node plays for a request; `nil` if its takes are used up.
    ///
    /// - Parameters:
    ///   - position: the number of requests before.
    ///   - count: the number of its takes.
    func place(_ position: Int, of count: Int, _ number: Int, _ script: TapeScript) -> Int? {
        let after = script.nodes[number].after
        guard let runs = script.runs[number] else { return after.position(position, of: count) }
        return runs.place(position, isFast: self.isFast, after)
    }

    private mutating func goOn(
        _ after: TapeScript.AfterLast,
        _ evaluation: inout Evaluation,
        _ random: inout SeededRandom
    ) -> Outcome {
        guard case .node(let next) = after else { return .usedUp }
        return self.play(next, &evaluation, &random)
    }

    // MARK: Random values

    /// Returns the random numbers for one answer of a set. They depend on the seed, the set and its number of earlier
    /// requests, so requests to other sets do not change them.
    private mutating func random(for identity: UInt64) -> SeededRandom {
        // A name that no variant has, as a variant's own position is kept by its name.
        let count = self.advance(StableHash.of("", seed: StableHash.of("draws", seed: identity)))
        var mixed = SeededRandom(seed: self.seed ^ identity)
        return SeededRandom(seed: mixed.next() &+ UInt64(count) &* 0xD1B5_4A32_D192_ED03)
    }

    mutating func effectiveVariant(of candidate: TapeStack.Candidate) -> EffectiveVariant {
        let (tape, entry) = (candidate.tape, candidate.entry)
        if self.selection.isEmpty, tape.entries[entry].set.selectedBuiltIn == nil {
            return EffectiveVariant(base: .variant(tape.entries[entry].set.defaultVariant), wrappers: [])
        }
        if let found = self.effective[candidate.layer][entry] { return found }
        let made = tape.effectiveVariant(of: entry, self.selection)
        self.effective[candidate.layer][entry] = made
        return made
    }
}
