import TapedeckCore

/// Sorts the exchanges of a recording into response sets.
///
/// An exchange that a set answers whose recorded takes a person has made to answer more goes into that set. Of the
/// others those belong together whose method and canonical URL are the same, as far as they count under the rules of
/// the cassette; where such a group holds different request bodies, or header fields if those count, each of them gets
/// a set of its own with conditions.
struct RecordingSorter {
    /// How sets of a cassette tell the requests of one method and URL apart already.
    private struct Known {
        var hasBodies = false
        var headers: Set<String> = []
        /// Those of the header fields whose values are asked for as a list.
        var lists: Set<String> = []
    }

    /// Exchanges that go into one set.
    private struct Group {
        var exchanges: [RecordedExchange]
        var headers: [RequestMatcher.Field] = []
        var body: BodyMatcher?
        var identity: BodyMatcher.Identity?
    }

    private let cassette: Cassette
    private let rules: MatchingRules
    private let storage: BodyStorage
    private let keptHeaders: KeptHeaders
    private let matchesBodies: Bool
    private var known: [RequestKey: Known] = [:]
    /// The sets of the cassette that a recording could have written.
    private var shapes: [RecordedShape: [Int]] = [:]

    /// - Parameters:
    ///   - exchanges: in the order of their requests.
    ///   - intoAnySet: true if an exchange goes into whichever set of the cassette answers it, written by hand or not.
    ///   - matchesBodies: true if a body gets a condition even if no other one was sent to its method and URL.
    static func sort(
        _ exchanges: [RecordedExchange],
        into cassette: Cassette,
        keptHeaders: KeptHeaders = .usual,
        intoAnySet: Bool = false,
        matchesBodies: Bool = false,
        storage: BodyStorage
    ) throws -> SortedRecording {
        try RecordingSorter(cassette, keptHeaders, matchesBodies, storage).sort(exchanges, intoAnySet: intoAnySet)
    }

    private init(_ cassette: Cassette, _ keptHeaders: KeptHeaders, _ matchesBodies: Bool, _ storage: BodyStorage) {
        self.cassette = cassette
        self.keptHeaders = keptHeaders
        self.matchesBodies = matchesBodies
        self.rules = cassette.matching
        self.storage = storage
        for (number, set) in cassette.responseSets.enumerated() {
            if let shape = RecordedShape(set, rules: self.rules) { self.shapes[shape, default: []].append(number) }
            guard let request = RecordedRequest(set.request, rules: self.rules) else { continue }
            if !set.request.body.isEmpty { self.known[request.key, default: Known()].hasBodies = true }
            guard self.rules.counts(.headers) else { continue }
            for field in set.request.headers where RecordedCondition.counts(field: field.name) {
                let name = ASCII.lowercased(field.name)
                self.known[request.key, default: Known()].headers.insert(name)
                if case .values = field.value { self.known[request.key]?.lists.insert(name) }
            }
        }
    }

    private func sort(_ exchanges: [RecordedExchange], intoAnySet: Bool) throws -> SortedRecording {
        let generalised = GeneralisedSets(self.cassette, self.storage, includesAll: intoAnySet)
        var targets: [Int: [RecordedExchange]] = [:]
        var requests: [RequestKey: RecordedRequest] = [:]
        var groups: [RequestKey: [RecordedExchange]] = [:]
        var order: [RequestKey] = []
        for exchange in exchanges {
            // As a cassette says it, whatever was sent.
            guard let url = AbsoluteURL(exchange.url)?.percentEncoded else { continue }
            if let target = generalised?.set(answering: exchange, url) {
                targets[target, default: []].append(exchange)
                continue
            }
            let request = RecordedRequest(method: exchange.method, url: url, rules: self.rules)
            if requests[request.key] == nil {
                requests[request.key] = request
                order.append(request.key)
            }
            groups[request.key, default: []].append(exchange)
        }
        var result = SortedRecording()
        for (target, exchanges) in targets.sorted(by: { $0.key < $1.key }) {
            let takes = try self.takes(exchanges, for: self.cassette.responseSets[target].request)
            if !takes.isEmpty { result.takes[target] = takes }
        }
        for key in order {
            guard let request = requests[key], let exchanges = groups[key] else { continue }
            for group in try self.toldApart(exchanges, key) { try self.add(group, request, to: &result) }
        }
        result.new.sort(by: RecordedSet.precedes)
        return result
    }

    private func add(_ group: Group, _ request: RecordedRequest, to result: inout SortedRecording) throws {
        let takes = try self.takes(group.exchanges, keepsRequestBody: group.body == nil, said: group.headers) { _ in nil
        }
        guard let first = group.exchanges.first, !takes.isEmpty else { return }
        let shape = RecordedShape(key: request.key, body: group.identity, headers: group.headers)
        if let target = self.shapes[shape]?.first(where: { result.takes[$0] == nil }) {
            result.takes[target] = takes
            return
        }
        result.new.append(
            RecordedSet(request: request, headers: group.headers, body: group.body, takes: takes, first: first.number)
        )
    }

    // MARK: Telling apart

    /// The exchanges of one method and URL, each group with the conditions that tell it from the others. Bodies that
    /// no condition tells apart, such as JSON with other white space, are one.
    ///
    /// A request that was answered before all of it had come has no body to tell it by: it goes with the others if they
    /// have no conditions, else into a set without any, which is asked last.
    private func toldApart(_ exchanges: [RecordedExchange], _ key: RequestKey) throws -> [Group] {
        let partial = exchanges.filter(\.requestIsPartial)
        guard !partial.isEmpty else { return try self.wholeToldApart(exchanges, key) }
        let groups = try self.wholeToldApart(exchanges.filter { !$0.requestIsPartial }, key)
        let hasConditions = groups.contains { $0.body != nil || !$0.headers.isEmpty }
        return hasConditions ? groups + [Group(exchanges: partial)] : [Group(exchanges: exchanges)]
    }

    private func wholeToldApart(_ exchanges: [RecordedExchange], _ key: RequestKey) throws -> [Group] {
        let known = self.known[key] ?? Known()
        let hasBodies = known.hasBodies || self.matchesBodies && exchanges.contains { !$0.requestBody.isEmpty }
        let bodies = try self.bodies(of: exchanges, hasConditions: hasBodies)
        let fields =
            self.rules.counts(.headers)
            ? exchanges.map { RecordedCondition.headers(of: $0, rules: self.rules) } : []
        let names = RecordedCondition.differing(fields).union(known.headers).sorted().filter { name in
            !self.rules.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, name) }
        }
        let lists = names.filter { name in
            known.lists.contains(name) || fields.contains { ($0[name]?.count ?? 0) > 1 }
        }
        guard !bodies.conditions.isEmpty || !names.isEmpty else { return [Group(exchanges: exchanges)] }
        struct Part: Hashable {
            var body: Int?
            var headers: [[String]?]
        }
        var groups: [Group] = []
        var places: [Part: Int] = [:]
        for (index, exchange) in exchanges.enumerated() {
            let body = bodies.conditions.isEmpty ? nil : bodies.numbers[index]
            let part = Part(body: body, headers: names.map { fields[index][$0] })
            if let place = places[part] {
                groups[place].exchanges.append(exchange)
                continue
            }
            places[part] = groups.count
            var group = Group(exchanges: [exchange])
            group.headers = zip(names, part.headers).map { name, values in
                RequestMatcher.Field(name, Self.condition(values, isList: lists.contains(name)))
            }
            if let body {
                group.body = bodies.conditions[body].condition
                group.identity = bodies.conditions[body].identity
            }
            groups.append(group)
        }
        return groups
    }

    /// - Parameter isList: whether the field comes several times somewhere, so that one value of it is not all of it.
    private static func condition(_ values: [String]?, isList: Bool) -> ValueMatcher {
        guard let values else { return .absent }
        return values.count == 1 && !isList ? .equals(values[0]) : .values(values)
    }

    private typealias Condition = (condition: BodyMatcher, identity: BodyMatcher.Identity?)

    /// The number of each exchange's body, and the condition on each body; no conditions where all may have any.
    ///
    /// - Parameter hasConditions: true if there are conditions even where all bodies are the same.
    private func bodies(
        of exchanges: [RecordedExchange],
        hasConditions: Bool
    ) throws -> (numbers: [Int], conditions: [Condition]) {
        guard self.rules.counts(.body) else { return ([], []) }
        let raw = exchanges.map { RecordedCondition.rawBody(of: $0, digest: self.storage.digest) }
        guard hasConditions || raw.contains(where: { $0 != raw[0] }) else { return ([], []) }
        var made: [[UInt8]: Condition] = [:]
        for (exchange, raw) in zip(exchanges, raw) where made[raw] == nil {
            made[raw] = try RecordedCondition.body(of: exchange, rules: self.rules, storage: self.storage)
        }
        self.mergeJSON(&made, raw)
        var conditions: [Condition] = []
        var places: [BodyMatcher.Identity: Int] = [:]
        let numbers = raw.compactMap { made[$0] }.map { body in
            let number = body.identity.flatMap { places[$0] } ?? conditions.count
            if number == conditions.count { conditions.append(body) }
            if let identity = body.identity { places[identity] = number }
            return number
        }
        return hasConditions || conditions.count > 1 ? (numbers, conditions) : ([], [])
    }

    /// A body that was not sent as JSON, but is some, meets the condition of the same JSON, so it is no other body.
    private func mergeJSON(_ made: inout [[UInt8]: Condition], _ raw: [[UInt8]]) {
        var asJSON: [BodyMatcher.Identity: Condition] = [:]
        for body in raw.compactMap({ made[$0] }) {
            if case .json = body.condition, let identity = body.identity, asJSON[identity] == nil {
                asJSON[identity] = body
            }
        }
        guard !asJSON.isEmpty else { return }
        for (key, body) in made {
            guard case .bytes(let content) = body.condition else { continue }
            let identity = BodyMatcher.json(content, self.rules.jsonComparison).identity
            if let same = identity.flatMap({ asJSON[$0] }) { made[key] = same }
        }
    }

    // MARK: Takes

    /// The takes for a set that a person has made to answer more: they say what the set does not.
    private func takes(_ exchanges: [RecordedExchange], for matcher: RequestMatcher) throws -> [Take] {
        let saysBody = matcher.body.contains { $0.recordedIdentity(self.rules) != nil }
        return try self.takes(exchanges, keepsRequestBody: !saysBody, said: matcher.headers) { exchange in
            switch matcher.url {
            case .exact, .exactPath: return nil
            case .any, .template, .pattern:
                guard var url = AbsoluteURL(exchange.url)?.percentEncoded else { return nil }
                url.target = self.rules.counting(target: url.target)
                return url.description
            }
        }
    }

    private func takes(
        _ exchanges: [RecordedExchange],
        keepsRequestBody: Bool,
        said: [RequestMatcher.Field],
        url: (RecordedExchange) -> String?
    ) throws -> [Take] {
        var takes: [Take] = []
        for exchange in exchanges {
            // One exchange whose body somebody removed is not to keep the others from being saved.
            do {
                takes.append(
                    try Take(
                        exchange,
                        keepsRequestBody: keepsRequestBody,
                        keptHeaders: self.keptHeaders.fields(of: exchange.requestHeaders, said: said.map(\.name)),
                        url: url(exchange),
                        storage: self.storage
                    )
                )
            } catch is BodyStorage.Lost {}
        }
        return takes
    }
}
