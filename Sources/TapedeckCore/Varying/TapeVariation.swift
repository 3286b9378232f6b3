/// A set that a request is for, but for values that vary from run to run.
struct TapeVariation {
    let entry: Int
    /// The values that are to be bound.
    let pairs: [ValueBindings.Pair]
    /// The places with values that differ.
    let places: [String]
    /// The values of the request itself, which its answer has.
    var ownPairs: [ValueBindings.Pair] = []
    /// The clock of its dates, if they tell it.
    var dateClock: VaryingComparison.DateClock?
    /// The places that are learned with this request.
    var lessons: [VaryingLesson] = []
}

/// Finds the set that a request is for in a tape that nothing on it matches.
///
/// Only recorded sets are compared: those with one URL and at most one condition on the body. An exact match always wins, so
/// this is for misses alone.
struct VariationSearch {
    let tape: Tape
    let request: RequestFacts
    /// The request with recorded values in place of those that are bound to them.
    let known: RequestFacts
    let run: VaryingRun
    let bindings: ValueBindings
    let index: VariationIndex
    /// Places of sets that the session has learned, in addition to those in the cassette.
    let learned: [Int: [VaryingPlace]]
    /// Returns true for a set that has answered in the session.
    let isUsed: @Sendable (Int) -> Bool
    /// The clock of the dates of earlier requests, if they have told it.
    let dateClock: VaryingComparison.DateClock?
    /// True to learn what varies, where nothing else is for the request.
    var learns = false

    var shown: RequestFacts { self.request.shown }

    func candidates(hasBody: Bool) -> [Int] {
        guard self.learns else {
            return self.index.candidates(self.known.shown, hasBody: hasBody, andThese: self.learned.keys)
        }
        return self.tape.entries.indices.filter {
            self.index.recordings[$0] != nil && !self.isUsed($0)
        }
    }

    /// Returns true if a set differs from a request whose body is not known in values that vary, apart from the body.
    var needsBody: Bool {
        self.candidates(hasBody: false).contains { number in
            let entry = self.tape.entries[number]
            guard !entry.set.request.body.isEmpty, var comparison = self.comparison(number) else { return false }
            return self.isSameTarget(entry, &comparison)
        }
    }

    /// Returns the set that fits best: with the least to learn, the dates of the same day, from the latest recording if its
    /// places are known to vary, with values that are not bound yet, recorded first.
    func find() -> TapeVariation? {
        var best: (rank: Rank, variation: TapeVariation)?
        for number in self.candidates(hasBody: true).sorted() {
            let entry = self.tape.entries[number]
            guard var comparison = self.comparison(number), self.isSameTarget(entry, &comparison),
                self.conditionsHold(entry, &comparison), self.isSameBody(entry, &comparison),
                !comparison.places.isEmpty,
                comparison.isSettled
            else { continue }
            let lessons = comparison.lessons ?? []
            let doubtfulDates = comparison.dateClocks.count { $0 != self.dateClock }
            let rank = Rank(
                lessons: lessons.reduce(0) { $0 + ($1.piece.isWhole && $1.piece.shape == .text ? 10 : 1) },
                doubtfulDates: doubtfulDates,
                age: comparison.learned.isEmpty ? 0 : -(self.index.recordings[number]?.start?.seconds ?? 0),
                isUsed: (doubtfulDates > 0 || !comparison.learned.isEmpty) && self.isUsed(number),
                rebound: comparison.pairs.count { pair in
                    self.bindings.live(of: pair.recorded).map { $0 != pair.live } ?? false
                },
                order: self.index.recordings[number]?.order ?? RecordedOrder(seconds: .max, number: .max)
            )
            if let best, !(rank < best.rank) { continue }
            guard lessons.count <= Self.mostLessons, lessons.allSatisfy({ self.mayLearn($0, from: entry) }) else {
                continue
            }
            var pairs = comparison.pairs
            // Short words of a place that varies may be those of another request by chance.
            pairs.removeAll { $0.isLearned && !$0.isOfURL && !self.mayBind($0, for: number) }
            guard pairs.allSatisfy({ self.mayBind($0, for: number) }) else { continue }
            var variation = TapeVariation(entry: number, pairs: pairs, places: comparison.places, lessons: lessons)
            variation.dateClock = comparison.dateClocks.first
            variation.ownPairs = comparison.pairs
            best = (rank, variation)
        }
        return best?.variation
    }

    private struct Rank: Comparable {
        var lessons: Int
        var doubtfulDates: Int
        /// Larger for a set of an earlier recording, if places are known to vary: the latest one answers.
        var age: Int64
        /// True for a set that has answered, if the dates are doubtful or places are known to vary.
        var isUsed: Bool
        var rebound: Int
        var order: RecordedOrder

        static func < (left: Rank, right: Rank) -> Bool {
            let (one, other) = (left.isUsed ? 1 : 0, right.isUsed ? 1 : 0)
            guard left.lessons == right.lessons, left.doubtfulDates == right.doubtfulDates, left.age == right.age else {
                return (left.lessons, left.doubtfulDates, left.age) < (right.lessons, right.doubtfulDates, right.age)
            }
            return (one, left.rebound, left.order.seconds, left.order.number)
                < (other, right.rebound, right.order.seconds, right.order.number)
        }
    }

    /// `nil` for a set that no recording has written.
    func comparison(_ number: Int) -> VaryingComparison? {
        let entry = self.tape.entries[number]
        let matcher = entry.set.request
        guard entry.matcher.takesMethod(self.request.method), matcher.host == nil,
            matcher.all.isEmpty, matcher.any.isEmpty, matcher.not.isEmpty, matcher.state.isEmpty,
            matcher.body.count <= 1,
            matcher.refusesOtherQuery != false, matcher.query.isEmpty, entry.set.requires.isEmpty,
            case .exact = entry.matcher.url, let recording = self.index.recordings[number]
        else { return nil }
        let runs = VaryingComparison.Runs(
            recorded: recording.time,
            recordedStart: recording.start,
            recordedZone: recording.zone,
            now: self.run.now,
            start: self.run.start,
            zone: self.run.zone,
            surroundings: self.index.surroundings(of: entry.cassette)
        )
        let learned = entry.set.varies + (self.learned[number] ?? [])
        return VaryingComparison(runs, self.bindings, learned: learned, learns: self.learns)
    }

    // MARK: Parts of a request

    func isSameTarget(_ entry: Tape.Entry, _ comparison: inout VaryingComparison) -> Bool {
        guard case .exact(let bytes, let projection) = entry.matcher.url, projection.part != .origin else {
            return false
        }
        let wanted = RequestFacts.ofURL(bytes, part: projection.part)
        let path = ByteText.string(from: wanted.path)
        guard comparison.isSame(path, ByteText.string(from: self.shown.path), at: "path") else { return false }
        if projection.part == .url {
            let origins = [wanted.origin, self.shown.origin].map { ByteText.string(from: $0) }
            guard comparison.isSame(origins[0], origins[1], at: "origin") else { return false }
        }
        switch projection.query {
        case .none: break
        case .all: guard comparison.areSame(wanted.query, self.shown.query, as: "query") else { return false }
        case .except(let names):
            let live = self.shown.query.filter { !names.contains($0.name) }
            guard comparison.areSame(wanted.query, live, as: "query") else { return false }
        }
        return comparison.pairs.allSatisfy { $0.isOfSurroundings || self.mayBeMade($0, path) }
    }

    /// Returns true if the client can have made the value for this very request. A URL names something that exists: the
    /// request that creates it has made its name, and the value is bound since then.
    private func mayBeMade(_ pair: ValueBindings.Pair, _ path: String) -> Bool {
        let method = self.request.method
        if pair.place == "path" {
            // A name with literal text around it was made for the purpose; a bare id is one of many.
            let isPart = !path.split(separator: "/").contains { String($0).isSameText(as: pair.recorded) }
            return method == "PUT" || method == "POST" && isPart
        }
        guard pair.place.hasPrefix("query "), ["GET", "HEAD", "DELETE"].contains(method) else { return true }
        return RandomPlace.isMark(pair.place) || pair.isLearned
    }

    /// Conditions that do not concern the body.
    func conditionsHold(_ entry: Tape.Entry, _ comparison: inout VaryingComparison) -> Bool {
        for (number, condition) in entry.matcher.conditions.enumerated() where !condition.isAboutBody {
            let view = self.request.view(asksForSecrets: entry.matcher.asksForSecrets(condition: number))
            if condition.holds(for: view) { continue }
            switch condition {
            case .header(let field):
                guard let values = field.value.plainTexts,
                    comparison.areSame(
                        values.map { (field.name, $0) },
                        self.shown.headerValues(field.name).map { (field.name, $0) },
                        as: "header"
                    )
                else { return false }
            default: return false
            }
        }
        return true
    }

    private func isSameBody(_ entry: Tape.Entry, _ comparison: inout VaryingComparison) -> Bool {
        let rules = self.tape.cassettes[entry.cassette].matching
        guard let wanted = entry.set.request.body.first, rules.counts(.body) else { return true }
        guard let body = self.shown.bodyBytes, !self.shown.hasPartOfBody else { return false }
        switch wanted {
        case .json(let expected, var rule):
            rule.ignoredPaths += rules.ignoredJSON
            guard let one = JSONValue.inBody(expected), let other = self.shown.json else { return false }
            return comparison.isSame(rule.counting(one), rule.counting(other), at: "$")
        case .xml(let expected, let ignored):
            guard let one = XMLExpectation(expected.content, ignoring: ignored + rules.ignoredXML)?.root,
                let other = self.shown.xml?.removing(ignored + rules.ignoredXML)
            else { return false }
            return comparison.isSame(one, other, at: "")
        case .bytes(let expected):
            return self.isSame(expected.decoded, body, rules.ignoredFields, &comparison)
        case .messages(let messages): return self.areSame(messages.counting(rules), &comparison)
        case .sha256(let digest): return self.shown.body?.sha256 == digest
        default: return false
        }
    }

    private func isSame(
        _ wanted: [UInt8],
        _ body: [UInt8],
        _ ignored: IgnoredFields,
        _ comparison: inout VaryingComparison
    ) -> Bool {
        if let parts = self.shown.multipart {
            guard !parts.parts.isEmpty,
                let live = self.shown.canonicalBody(ignoring: ignored).flatMap(CanonicalBody.parts),
                let tape = CanonicalBody.parts(CanonicalBody.counting(wanted, ignoring: ignored))
            else { return false }
            return self.areSame(tape.parts, live.parts, &comparison)
        }
        if self.shown.fields.mediaType == FormBody.mediaType, wanted.contains(ASCII.equals) {
            func fields(_ bytes: [UInt8]) -> [(name: String, value: String)] {
                bytes.withUnsafeBytes { FormBody.parse($0) }.filter { !ignored.fields.contains($0.name) }
            }
            return comparison.areSame(fields(wanted), fields(body), as: "form")
        }
        if self.shown.fields.isOfGit { return self.isSameGitRequest(wanted, body, &comparison) }
        if self.shown.fields.hasProtobuf { return self.isSameMessage(wanted, body, &comparison) }
        let live = self.shown.canonicalBody ?? body
        guard let one = String(validating: wanted, as: UTF8.self), let other = String(validating: live, as: UTF8.self)
        else {
            return wanted == live
        }
        if let ones = JSONLines.values(of: wanted), let others = JSONLines.values(of: live) {
            guard ones.count == others.count else { return false }
            return zip(ones, others).enumerated().allSatisfy { line, values in
                comparison.isSame(values.0, values.1, at: "line \(line + 1) $")
            }
        }
        return comparison.isSame(one, other, at: "body")
    }

    private func areSame(
        _ wanted: [MultipartBody.Part],
        _ live: [MultipartBody.Part],
        _ comparison: inout VaryingComparison
    ) -> Bool {
        guard wanted.count == live.count else { return false }
        return zip(wanted, live).enumerated().allSatisfy { number, parts in
            let (one, other) = parts
            let place = "part \(one.name ?? "\(number + 1)")"
            guard one.name == other.name, one.contentType == other.contentType else { return false }
            switch (one.filename, other.filename) {
            case (nil, nil): break
            case (let first?, let second?):
                guard comparison.isSame(first, second, at: "filename of \(place)") else { return false }
            default: return false
            }
            if one.content == other.content { return true }
            guard let first = String(validating: one.content, as: UTF8.self),
                let second = String(validating: other.content, as: UTF8.self)
            else { return false }
            if let wanted = try? JSONValue(parsing: one.content), let came = try? JSONValue(parsing: other.content) {
                return comparison.isSame(wanted, came, at: "\(place) $")
            }
            return comparison.isSame(first, second, at: place)
        }
    }

    // MARK: Learning

    /// Returns true for a difference that the client may have made by chance. What a server made plays as recorded, and a URL
    /// names something that exists.
    private func mayLearn(_ lesson: VaryingLesson, from entry: Tape.Entry) -> Bool {
        if lesson.piece.shape == .order { return true }
        // Words that say what is to be done, and queries of GraphQL.
        if lesson.piece.shape != .hex, RequestPurpose.isOperation(lesson.place) { return false }
        if lesson.place == "path" {
            guard ["PUT", "POST"].contains(self.request.method), !self.isPathOnTape else { return false }
        } else if RandomPlace.isOfURL(lesson.place), ["GET", "HEAD", "DELETE"].contains(self.request.method) {
            // Words say what is asked for, and so do short numbers, such as that of a page.
            let isLong = min(lesson.recorded.utf8.count, lesson.live.utf8.count) >= 4
            guard lesson.piece.shape == .hex || lesson.piece.shape == .number && isLong else { return false }
        }
        guard lesson.recorded.utf8.count >= ValueBindings.shortestLearned else { return true }
        let wanted = self.occurrences(lesson.recorded)
        // A server may well have given the same time.
        let isTime = VaryingToken.all(of: ByteText.bytes(of: lesson.recorded)).contains {
            if case .time = $0 { true } else { false }
        }
        if let response = wanted.response, let request = wanted.request, response < request, !isTime { return false }
        return !RandomPlace.isOfURL(lesson.place) || !self.occurrences(lesson.live).isAny
    }

    /// True if a recorded request has the very path.
    private var isPathOnTape: Bool {
        let path = ByteText.string(from: self.known.shown.path)
        return self.tape.entries.contains { entry in
            if case .exact(let url) = entry.set.request.url { url.path.isSameText(as: path) } else { false }
        }
    }

    /// Places that are learned with one request, at most.
    private static let mostLessons = 100

    // MARK: Binding

    /// Returns true for a value that the client made: it was not in an answer before. One that is bound may be bound again
    /// only if no answer has it and no other request.
    private func mayBind(_ pair: ValueBindings.Pair, for number: Int) -> Bool {
        if pair.isOfSurroundings { return true }
        // A word of the tape is none that chance has made, and the recorded value beside the new one is another one.
        if self.bindings.recorded(of: pair.live) != nil || self.requestMentions(pair.recorded) { return false }
        let wanted = self.recordedOccurrences(pair.recorded)
        // A value that another request made before is not new in this one.
        if let first = wanted.first, self.bindings.live(of: pair.recorded) == nil, !RandomPlace.isMark(pair.place),
            let request = wanted.request, let order = self.index.recordings[number]?.order, request < order,
            !RequestPurpose.areSame(self.tape.entries[first], self.tape.entries[number])
        {
            return false
        }
        if let request = wanted.request, let response = wanted.response, response < request { return false }
        if self.occurrences(pair.live).isAny { return false }
        guard let bound = self.bindings.live(of: pair.recorded), bound != pair.live else { return true }
        return wanted.response == nil && wanted.sets <= 1
    }

    private func requestMentions(_ text: String) -> Bool {
        let bytes = ByteText.bytes(of: text)
        return Array(self.shown.url).containsWord(bytes) || self.shown.bodyBytes?.containsWord(bytes) ?? false
    }

    private struct Occurrences {
        /// The first request and the first response with the value.
        var request: RecordedOrder?
        var response: RecordedOrder?
        /// The set with the first request that has it.
        var first: Int?
        /// The number of sets whose requests have it.
        var sets = 0
        var isAny: Bool { self.sets > 0 || self.response != nil }
    }

    /// The places of a value of a recorded request on the tape. Most are in that request alone.
    private func recordedOccurrences(_ text: String) -> Occurrences {
        guard let only = self.index.onlySet(with: ByteText.bytes(of: text)) else { return self.occurrences(text) }
        return Occurrences(request: self.index.recordings[only]?.order, first: only, sets: 1)
    }

    private func occurrences(_ text: String) -> Occurrences {
        var found = Occurrences()
        let bytes = ByteText.bytes(of: text)
        for number in self.index.entries(with: bytes) ?? Array(self.tape.entries.indices) {
            let set = self.tape.entries[number].set
            let isAsked = set.request.mentions(bytes)
            if isAsked { found.sets += 1 }
            for take in set.variants.lazy.flatMap(\.behaviour.allTakes) {
                let isAskedFor = isAsked || take.request?.mentions(bytes) ?? false
                let isAnswered = take.answerMentions(bytes)
                guard isAskedFor || isAnswered else { continue }
                let order = take.recordedOrder
                if isAskedFor, found.request.map({ order < $0 }) ?? true {
                    (found.request, found.first) = (order, number)
                }
                if isAnswered { found.response = min(found.response ?? order, order) }
            }
        }
        return found
    }
}

extension ResponseSet {
    var firstRecordedTake: Take? {
        self.variants.lazy.flatMap(\.behaviour.allTakes).first { $0.recorded != nil }
    }
}
