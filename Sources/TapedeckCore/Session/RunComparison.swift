/// Plays the requests of one recording against another recording of the same program, to learn what varies.
package struct RunComparison {
    /// The answer to a request of the other recording.
    package enum Outcome: Sendable {
        /// As an equal one, or one that differs in values that vary by their form.
        case answered
        /// As one that differs in places that are learned to vary.
        case learned
        case unmatched
    }

    private var state: SessionState
    private let index: VariationIndex
    private let start: Instant?
    private let surroundings: Surroundings
    /// Ids of the other recording's server that are too short to be replaced within texts, with those of this one's.
    private var shortIDs: [String: String] = [:]

    /// - Parameters:
    ///   - cassette: the one that answers.
    ///   - start: the time of the other recording's first request; `nil` if it is not known.
    ///   - surroundings: those of the other recording.
    package init(_ cassette: Cassette, start: Instant?, surroundings: Surroundings) {
        self.state = SessionState(name: "comparison", mode: .replay, tape: Tape([cassette]))
        self.index = VariationIndex(self.state.tape, surroundings)
        (self.start, self.surroundings) = (start, surroundings)
    }

    /// - Parameters:
    ///   - request: the next request of the other recording.
    ///   - take: the answer that it had there.
    package mutating func ask(_ request: MatchRequest, answeredWith take: Take) -> Outcome {
        let request = self.withKnownIDs(request)
        if case .decided(.play(let play)) = self.state.answer(request) {
            self.bind(play, take)
            return .answered
        }
        let run = self.run(of: take)
        guard let varying = self.state.varying(request) else { return .unmatched }
        if let variation = varying.variation(run, self.index), let play = self.state.answer(variation) {
            self.bind(play, take)
            return .answered
        }
        // Answers of another status depend on the place.
        guard let lesson = varying.lesson(run, self.index), varying.statuses(lesson).contains(take.status),
            let play = self.state.answer(lesson)
        else { return .unmatched }
        self.bind(play, take)
        return .learned
    }

    private func run(of take: Take) -> VaryingRun {
        let now = take.recordedTime ?? self.start ?? Instant(seconds: 0)
        return VaryingRun(
            now: now,
            start: self.start ?? now,
            zone: take.recordedZone,
            surroundings: self.surroundings
        )
    }

    /// The places that it has learned, by set in the order of the tape.
    package var lessons: [(set: ResponseSet, learned: LearnedPlaces)] {
        self.state.lessons.map { ($0.set, $0.learned) }
    }

    /// The places that are known to vary in the recorded request that a request is, but for values that vary.
    package mutating func places(of request: MatchRequest, recordedWith take: Take) -> [VaryingPlace] {
        self.state.varying(request)?.places(self.run(of: take), self.index) ?? []
    }

    // MARK: Values of servers

    /// Of one answer, at most.
    private static let mostPairs = 200

    /// Binds the values that two answers to one request have in the same places: ids and the like, which each server makes
    /// anew, and which later requests have.
    private mutating func bind(_ play: Play, _ other: Take) {
        let take = play.tape.takes[play.take]
        var pairs = zip(take.headers, other.headers).flatMap { one, another in
            one.isNamed(another.name) ? Self.pairs(one.value, another.value) : []
        }
        if case .inline(let one) = take.body, case .inline(let another) = other.body,
            let first = try? JSONValue(parsing: one.decoded), let second = try? JSONValue(parsing: another.decoded)
        {
            Self.collect(first, second, at: "$", &pairs)
        }
        self.state.bind(pairs)
        for pair in pairs where pair.recorded.utf8.count < ValueBindings.shortestLearned {
            if RandomPlace.isIdentifier(pair.place) { self.shortIDs[pair.live] = pair.recorded }
        }
    }

    /// The parts in which two URLs or other header fields differ.
    private static func pairs(_ recorded: String, _ live: String) -> [ValueBindings.Pair] {
        guard recorded != live else { return [] }
        let parts = [recorded, live].map { $0.split(omittingEmptySubsequences: false) { "/?&=;, ".contains($0) } }
        guard parts[0].count == parts[1].count else { return [] }
        return zip(parts[0], parts[1]).filter { $0 != $1 }.map {
            ValueBindings.Pair(recorded: String($0), live: String($1), place: "header", isLearned: true)
        }
    }

    private static func collect(
        _ one: JSONValue,
        _ other: JSONValue,
        at place: String,
        _ pairs: inout [ValueBindings.Pair]
    ) {
        guard pairs.count < Self.mostPairs, one != other else { return }
        switch (one, other) {
        case (.object(let members), .object(let others)):
            let found = JSONMembers(others)
            for member in members {
                guard let value = found[member.name] else { continue }
                self.collect(member.value, value, at: JSONDifference.path(place, member: member.name), &pairs)
            }
        case (.array(let items), .array(let others)):
            for (item, other) in zip(items, others) { self.collect(item, other, at: place, &pairs) }
        case (.string, .string), (.number, .number):
            let texts = [one, other].map { $0.stringValue ?? String(decoding: $0.compactText, as: UTF8.self) }
            guard texts.allSatisfy({ (1...256).contains($0.utf8.count) }) else { return }
            pairs.append(ValueBindings.Pair(recorded: texts[0], live: texts[1], place: place, isLearned: true))
        default: break
        }
    }

    /// The request with the ids of this recording as segments of its path and as values of its JSON.
    private func withKnownIDs(_ request: MatchRequest) -> MatchRequest {
        guard !self.shortIDs.isEmpty else { return request }
        var request = request
        let url = ByteText.string(from: request.key.bytes)
        let target = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments = target[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        segments = segments.map { self.shortIDs[$0] ?? $0 }
        let path = ([segments.joined(separator: "/")] + target.dropFirst().map(String.init)).joined(separator: "?")
        request.key = RequestKey()
        request.key.appendCanonical(ByteText.bytes(of: path))
        if let body = request.body?.bytes, let json = try? JSONValue(parsing: body) {
            request.body?.bytes = self.withKnownIDs(json).compactText
        }
        return request
    }

    private func withKnownIDs(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): self.shortIDs[text].map(JSONValue.string) ?? value
        case .number(let number):
            self.shortIDs[number.spelling].flatMap(JSONNumber.init).map(JSONValue.number) ?? value
        case .array(let items): .array(items.map(self.withKnownIDs))
        case .object(let members):
            .object(members.map { JSONMember(name: $0.name, value: self.withKnownIDs($0.value)) })
        default: value
        }
    }
}
