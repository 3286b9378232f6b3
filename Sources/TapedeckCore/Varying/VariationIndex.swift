/// The recorded sets of a tape by what does not vary of their requests, so that few must be compared.
package final class VariationIndex: Sendable {
    private struct Item: Sendable {
        var entry: Int
        /// `nil` for a set without a condition on the body, or one that is not looked into here.
        var body: Int?
    }

    /// The number of the tape.
    package let serial: Int
    /// One for each of the surroundings in which cassettes of the tape were recorded.
    private let skeletons: [VaryingSkeleton]
    /// The skeleton of each cassette.
    private let skeletonOf: [Int]
    private let words: WordIndex
    private let items: [Int: [Item]]
    /// The sets of which the cassette says what varies, which may be for requests of any skeleton, by method.
    private let loose: [String: [Int]]
    /// By set; `nil` for one that no recording has written.
    let recordings: [Recording?]

    /// When a set was recorded.
    struct Recording: Sendable {
        /// Of the first of its takes.
        var order: RecordedOrder
        var time: Instant?
        /// The first request of the recording.
        var start: Instant?
        /// The distance of local time to UTC then, in minutes.
        var zone: Int
    }

    /// Reads all requests of a tape once: takes time in proportion to it.
    ///
    /// - Parameter surroundings: those of the program under test.
    package init(_ tape: Tape, _ surroundings: Surroundings) {
        self.serial = tape.serial
        var recorded: [Surroundings] = []
        var items: [Int: [Item]] = [:]
        let places = tape.cassettes.map { cassette in
            if let place = recorded.firstIndex(of: cassette.surroundings) { return place }
            recorded.append(cassette.surroundings)
            return recorded.count - 1
        }
        var loose: [String: [Int]] = [:]
        let skeletons = recorded.map { VaryingSkeleton(recorded: $0, live: surroundings) }
        for (number, entry) in tape.entries.enumerated() {
            guard case .exact(let bytes, let projection) = entry.matcher.url, projection.part != .origin,
                entry.set.firstRecorded != nil
            else { continue }
            if !entry.set.varies.isEmpty {
                for method in entry.matcher.methods { loose[method, default: []].append(number) }
                continue
            }
            let place = places[entry.cassette]
            let rules = tape.cassettes[entry.cassette].matching
            let url = RequestFacts.ofURL(bytes, part: projection.part)
            let target = skeletons[place].target(url, hasQuery: projection.query != .none)
            for method in entry.matcher.methods {
                items[Self.key(method, target, place), default: []].append(
                    Item(entry: number, body: skeletons[place].body(of: entry.set.request.body.first, rules))
                )
            }
        }
        var times = [[Int64]](repeating: [], count: tape.cassettes.count)
        var words = WordIndex()
        for (number, entry) in tape.entries.enumerated() {
            words.add(entry.set, as: number)
            let takes = entry.set.variants.lazy.flatMap(\.behaviour.allTakes)
            times[entry.cassette] += takes.compactMap { $0.recordedTime?.seconds }
        }
        (self.skeletons, self.skeletonOf, self.items, self.loose) = (skeletons, places, items, loose)
        self.words = words
        let sorted = times.map { $0.sorted() }
        self.recordings = tape.entries.map { entry in
            guard let order = entry.set.firstRecorded, let take = entry.set.firstRecordedTake else { return nil }
            let time = take.recordedTime
            let start = time.flatMap { Self.start(ofRunAt: $0, sorted[entry.cassette]) }
            return Recording(order: order, time: time, start: start, zone: take.recordedZone)
        }
    }

    /// The sets that may have a word, a value of a request; `nil` for all.
    func entries(with word: [UInt8]) -> [Int]? { self.words.entries(with: word) }

    /// The set whose request alone has a word that a recorded request is known to have; `nil` if other texts may have it, too.
    func onlySet(with word: [UInt8]) -> Int? { self.words.onlySet(with: word) }

    func surroundings(of cassette: Int) -> BothSurroundings { self.skeletons[self.skeletonOf[cassette]].surroundings }

    /// A recording in which nothing was recorded for so long is taken for two. 10 minutes, in seconds.
    private static let gap: Int64 = 600

    /// The time of the first request of the recording that has one at a time.
    ///
    /// - Parameter times: those at which requests of its cassette were recorded, in seconds in their order.
    private static func start(ofRunAt time: Instant, _ times: [Int64]) -> Instant? {
        var place = times.partitioningIndex { $0 >= time.seconds }
        guard place < times.count else { return nil }
        while place > 0, times[place] - times[place - 1] <= Self.gap { place -= 1 }
        return Instant(seconds: times[place])
    }

    private static func key(_ method: String, _ target: Int, _ skeleton: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(target)
        hasher.combine(skeleton)
        return hasher.finalize()
    }

    /// Returns the sets that may be for a request, in no order.
    ///
    /// - Parameters:
    ///   - hasBody: false if the body is not known, so that it does not count.
    ///   - learned: sets of which the session knows more.
    func candidates(_ request: RequestFacts, hasBody: Bool, andThese learned: some Sequence<Int>) -> [Int] {
        var found = Set(self.loose[request.method] ?? []).union(learned)
        for (place, skeleton) in self.skeletons.enumerated() {
            let body = hasBody ? skeleton.body(of: request) : nil
            for hasQuery in [true, false] {
                let target = skeleton.target(request, hasQuery: hasQuery)
                for item in self.items[Self.key(request.method, target, place)] ?? [] {
                    if let wanted = item.body, let body, wanted != body { continue }
                    found.insert(item.entry)
                }
            }
        }
        return Array(found)
    }
}

/// Hashes of what does not vary in requests: equal for two that differ only in values that do.
struct VaryingSkeleton {
    let surroundings: BothSurroundings
    private let buildNumbers: Set<String>

    init(recorded: Surroundings, live: Surroundings) {
        self.surroundings = BothSurroundings(recorded: recorded, live: live)
        self.buildNumbers = self.surroundings.all.buildNumbers
    }

    func target(_ url: RequestFacts, hasQuery: Bool) -> Int {
        var hasher = Hasher()
        self.combine(ByteText.string(from: url.path), into: &hasher)
        // Ignored parameters count on one side only, so that their number does not.
        hasher.combine(hasQuery)
        return hasher.finalize()
    }

    /// `nil` for bodies that are compared without this, and for those of which some places do not count.
    func body(of condition: BodyMatcher?, _ rules: MatchingRules) -> Int? {
        guard rules.counts(.body), rules.ignoredJSON.isEmpty else { return nil }
        return switch condition {
        case .json(let body, let comparison) where comparison.ignoredPaths.isEmpty:
            JSONValue.inBody(body).map(self.hash)
        default: nil
        }
    }

    /// `nil` for bodies that are compared without this.
    func body(of request: RequestFacts) -> Int? { request.json.map(self.hash) }

    func hash(_ json: JSONValue) -> Int {
        var hasher = Hasher()
        self.combine(GraphQLRequest.normalised(json), into: &hasher)
        return hasher.finalize()
    }

    private func combine(_ json: JSONValue, into hasher: inout Hasher) {
        switch json {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        // Numbers of any value, as times and process ids differ; they are compared later.
        case .number: hasher.combine(1)
        case .string(let text): self.combine(text, into: &hasher)
        case .array(let items):
            hasher.combine(items.count)
            for item in items { self.combine(item, into: &hasher) }
        case .object(let members):
            let sorted = JSONMembers(members).counting.sorted { $0.name.precedesText($1.name) }
            hasher.combine(sorted.count)
            for member in sorted {
                hasher.combine(member.name)
                if case .string(let text) = member.value, RandomPlace.isNonce(member.name) {
                    hasher.combine(text.utf8.count)
                } else {
                    self.combine(member.value, into: &hasher)
                }
            }
        }
    }

    private func hasBuildNumber(_ word: ArraySlice<UInt8>) -> Bool {
        !self.buildNumbers.isEmpty && Surroundings.parts(word).contains(where: self.buildNumbers.contains)
    }

    private func combine(_ text: String, into hasher: inout Hasher) {
        if VaryingToken.isUUID(text), !self.surroundings.whole.contains(text) { return hasher.combine(3) }
        if let coded = CodedText.text(inBase64: text) {
            hasher.combine(6)
            return self.combine(coded, into: &hasher)
        }
        // The whole value of a field may be any of its kind.
        if self.surroundings.whole.contains(text) { return hasher.combine(2) }
        let masked = self.surroundings.mask.masked(SecretPlaceholder.withoutForms(text))
        for token in VaryingToken.all(of: ByteText.bytes(of: masked)) {
            switch token {
            case .separator(let byte): hasher.combine(byte)
            case .word(let word) where self.hasBuildNumber(word): hasher.combine(2)
            case .word(let word) where word.count < RandomWord.shortest: hasher.combine(bytes: Array(word))
            case .word(let word): hasher.combine(word.count)
            case .uuid: hasher.combine(3)
            case .time: hasher.combine(4)
            case .local: hasher.combine(5)
            }
        }
    }
}

extension Hasher {
    fileprivate mutating func combine(bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.combine(bytes: $0) }
    }
}
