import TapedeckCore

/// A response set that a recording adds to a cassette.
struct RecordedSet {
    var request: RecordedRequest
    /// The conditions that tell it from other sets of its method and URL.
    var headers: [RequestMatcher.Field]
    var cookies: [RequestMatcher.Field] = []
    var body: BodyMatcher?
    /// The number of the first request.
    var first: Int
    /// True if no other new set has its method, host and path.
    var isAlone = false
    var takes: [Take] = []
    /// The places of its request that vary, as a set of an earlier run says.
    var varies: [VaryingPlace] = []

    /// Sorts by URL, method and conditions, then by the first request: as far as possible independently of the order of
    /// concurrent requests.
    static func precedes(_ left: RecordedSet, _ right: RecordedSet) -> Bool {
        let leftKey = left.request.sortKey
        let rightKey = right.request.sortKey
        if leftKey != rightKey { return leftKey.lexicographicallyPrecedes(rightKey) }
        if left.headers != right.headers || left.cookies != right.cookies {
            let (one, other) = (left.headerLines, right.headerLines)
            if one != other { return one.lexicographicallyPrecedes(other) }
        }
        let (one, other) = (left.bodyContent, right.bodyContent)
        return one == other ? left.first < right.first : one.lexicographicallyPrecedes(other)
    }

    private var headerLines: [UInt8] {
        (self.headers + self.cookies).flatMap { field in
            switch field.value {
            case .equals(let value): Array("\(field.name): \(value)\n".utf8)
            case .values(let values): Array("\(field.name): \(values.joined(separator: "\n"))\n".utf8)
            default: Array("\(field.name)\n".utf8)
            }
        }
    }

    private var bodyContent: [UInt8] {
        switch self.body {
        case .jsonSubset(let body): body.content
        case .sha256(let digest): Array(digest.utf8)
        case .messages(let matcher):
            matcher.items.flatMap { $0 }.flatMap(Self.content) + Array((matcher.isOpen ? "more" : "").utf8)
        default: self.body?.whole?.content ?? []
        }
    }

    private static func content(_ message: BodyMatcher) -> [UInt8] {
        if case .proto(let condition) = message { return condition.text }
        return message.whole?.content ?? []
    }

    var matcher: RequestMatcher {
        var matcher = RequestMatcher(
            methods: self.request.method.map { [$0] } ?? [],
            url: self.request.url,
            headers: self.headers,
            cookies: self.cookies,
            body: self.body.map { [$0] } ?? []
        )
        if self.request.isGRPC { matcher.call = CallMatcher() }
        return matcher
    }
}

/// A recording, sorted into the response sets of a cassette.
struct SortedRecording {
    /// The takes that go into sets of the cassette, by the number of the set.
    var takes: [Int: [Take]] = [:]
    /// The sets that are new, in their order.
    var new: [RecordedSet] = []

    /// Notes in new sets the places that vary, as a set of an earlier run for the same request says.
    ///
    /// - Parameter surroundings: those of the recording.
    mutating func takeOverVarying(from cassette: Cassette, _ surroundings: Surroundings, digest: @escaping Digest) {
        guard cassette.responseSets.contains(where: { !$0.varies.isEmpty }) else { return }
        var comparison = RunComparison(cassette, start: nil, surroundings: surroundings)
        for (index, set) in self.new.enumerated() {
            let variants = [Variant(name: "new", takes: set.takes)]
            let model = ResponseSet(name: "new", request: set.matcher, variants: variants)
            guard let ask = RecordedAsk(model, digest: digest), let take = set.takes.first else { continue }
            self.new[index].varies = comparison.places(of: ask.request, recordedWith: take)
        }
    }

    /// The secrets in the conditions of the recorded sets on header fields and cookies.
    func namesOfCredentials(_ cassette: Cassette) -> Set<String> {
        let known = self.takes.keys.map { cassette.responseSets[$0].request }.flatMap { $0.headers + $0.cookies }
        let new = self.new.flatMap { $0.headers + $0.cookies }
        return Set((known + new).flatMap(\.value.secretNames))
    }

    /// Returns the names of the sets that were recorded with request bodies and have no condition on them, although
    /// bodies count. Sets that a person has changed are left out.
    ///
    /// - Parameters:
    ///   - written: the cassette with the recording in it.
    ///   - before: the cassette before.
    func setsWithAnyBody(in written: Cassette, before: Cassette) -> [String] {
        guard written.matching.counts(.body) else { return [] }
        let names = Set(self.takes.keys.map { before.responseSets[$0].name })
        let shapes = Set(
            self.new.filter { $0.body == nil }
                .map { RecordedShape(key: $0.request.key, body: nil, headers: $0.headers, cookies: $0.cookies) }
        )
        return written.responseSets.filter { set in
            guard set.answersAnyRecordedBody(written.matching),
                let shape = RecordedShape(set, rules: written.matching)
            else { return false }
            return names.contains(set.name) || shapes.contains(shape)
        }.map(\.name)
    }

    /// The number of exchanges.
    var count: Int {
        self.takes.values.reduce(0) { $0 + $1.requestCount } + self.new.reduce(0) { $0 + $1.takes.requestCount }
    }
}

extension ResponseSet {
    /// True if it was recorded with request bodies and has no condition on them, although bodies count. False for a set that
    /// a person has changed.
    func answersAnyRecordedBody(_ rules: MatchingRules) -> Bool {
        guard rules.counts(.body), self.request.body.isEmpty, RecordedShape(self, rules: rules) != nil else {
            return false
        }
        return self.variants.flatMap(\.behaviour.allTakes).contains { take in
            take.recorded != nil && take.request.map { $0.body != .none } ?? false
        }
    }
}
