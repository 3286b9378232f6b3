import TapedeckCore
import TapedeckPlatform

/// Sorts the exchanges of a recording into response sets.
///
/// An exchange that a set answers whose recorded takes a person has made to answer more goes into that set. Of the
/// others those belong together whose method and canonical URL are the same, as far as they count under the rules of
/// the cassette; where such a group holds different request bodies, or header fields if those count, each of them gets
/// a set of its own with conditions.
final class RecordingSorter {
    /// How sets of a cassette tell the requests of one method and URL apart already.
    private struct Known {
        var hasBodies = false
        /// True if a set answers any body: recorded so on purpose, or a person wrote it so.
        var answersAnyBody = false
        /// Names of header fields in lower case, and of cookies as `cookie:NAME`.
        var headers: Set<String> = []
        /// The header fields whose conditions are lists.
        var lists: Set<String> = []
    }

    /// Exchanges that go into one set, by their places in the recording.
    private struct Group {
        var exchanges: [Int]
        var headers: [RequestMatcher.Field] = []
        var cookies: [RequestMatcher.Field] = []
        var body: BodyMatcher?
        var identity: BodyMatcher.Identity?

        /// True if its condition does not have the body, but at most a digest.
        var saysNoBody: Bool {
            switch self.body {
            case nil, .sha256: true
            default: false
            }
        }
    }

    /// The parts that distinguish an exchange from others of its method and URL.
    private struct Told {
        var exchange: Int
        /// Equal for equal request bodies.
        var body: Int
        var isPartial: Bool
        /// Those that tell exchanges apart: see ``SelectingFieldNames``.
        var fields: [String: [String]]
    }

    private let cassette: Cassette
    private let rules: MatchingRules
    private let storage: BodyStorage
    private let keptHeaders: KeptHeaders
    private let answersAnyBody: Bool
    private let exchanges: SavedExchanges
    /// The exchanges of the method and URL at hand, as long as they are few and small.
    private var loaded: [Int: RecordedExchange] = [:]
    private var loadedSize = 0
    private var known: [RequestKey: Known] = [:]
    /// The sets of the cassette that a recording could have written.
    private var shapes: [RecordedShape: [Int]] = [:]
    /// The takes that go into sets of the cassette, by the number of the set.
    private var takes: [Int: [Take]] = [:]

    /// Exchanges of one method and URL are kept for a second look up to this size together, in bytes of the journal. 4 MiB.
    private static let loadedLimit = 4 << 20

    /// - Parameters:
    ///   - intoAnySet: true if an exchange goes into whichever set of the cassette answers it, written by hand or not.
    ///   - failure: gets each exchange without a response for which the cassette has no set; `nil` makes takes of them.
    ///   - answersAnyBody: true if a body gets a condition only where others were sent to its method and URL.
    ///   - new: gets each set that the cassette has not, in their order. It must take its takes before it returns.
    /// - Returns: the takes that go into sets of the cassette, by the number of the set.
    static func sort(
        _ exchanges: SavedExchanges,
        into cassette: Cassette,
        keptHeaders: KeptHeaders = .usual,
        intoAnySet: Bool = false,
        failure: ((RecordedExchange) -> Void)? = nil,
        answersAnyBody: Bool = false,
        storage: BodyStorage,
        new: (RecordedSet, _ takes: Takes) throws -> Void
    ) throws -> [Int: [Take]] {
        let sorter = RecordingSorter(exchanges, cassette, keptHeaders, answersAnyBody, storage)
        try sorter.sort(intoAnySet: intoAnySet, failure, new)
        return sorter.takes
    }

    /// Makes the takes of a set one after the other, and hands each over.
    typealias Takes = (_ body: (Take) throws -> Void) throws -> Void

    private init(
        _ exchanges: SavedExchanges,
        _ cassette: Cassette,
        _ keptHeaders: KeptHeaders,
        _ answersAnyBody: Bool,
        _ storage: BodyStorage
    ) {
        self.exchanges = exchanges
        self.cassette = cassette
        self.keptHeaders = keptHeaders
        self.answersAnyBody = answersAnyBody
        self.rules = cassette.matching
        self.storage = storage
        for (number, set) in cassette.responseSets.enumerated() {
            let shape = RecordedShape(set, rules: self.rules)
            if let shape { self.shapes[shape, default: []].append(number) }
            guard let request = RecordedRequest(set.request, rules: self.rules) else { continue }
            if !set.request.body.isEmpty { self.known[request.key, default: Known()].hasBodies = true }
            if let shape, shape.body == nil {
                self.known[request.key, default: Known()].answersAnyBody = true
            }
            guard let shape else { continue }
            for (name, value) in shape.headers {
                self.known[request.key, default: Known()].headers.insert(name)
                if case .list = value { self.known[request.key]?.lists.insert(name) }
            }
        }
    }

    private func sort(
        intoAnySet: Bool,
        _ failure: ((RecordedExchange) -> Void)?,
        _ new: (RecordedSet, Takes) throws -> Void
    ) throws {
        let generalised = GeneralisedSets(self.cassette, self.storage, includesAll: intoAnySet)
        var targets: [Int: [Int]] = [:]
        var order = RequestOrder()
        for index in 0..<self.exchanges.count {
            let (method, text) = self.exchanges.request(index)
            // As a cassette says it, whatever was sent.
            guard let url = AbsoluteURL(text)?.percentEncoded else { continue }
            if let generalised, let target = generalised.set(answering: try self.exchanges.exchange(index), url) {
                targets[target, default: []].append(index)
            } else {
                order.append(index, RecordedRequest(method: method, url: url, rules: self.rules))
            }
        }
        for (target, exchanges) in targets.sorted(by: { $0.key < $1.key }) {
            var takes: [Take] = []
            try self.takes(exchanges, for: self.cassette.responseSets[target].request) { takes.append($0) }
            if !takes.isEmpty { self.takes[target] = takes }
        }
        try order.forEachRequest { exchanges in
            (self.loaded, self.loadedSize) = ([:], 0)
            let (method, text) = self.exchanges.request(exchanges[0])
            guard let url = AbsoluteURL(text)?.percentEncoded else { return }
            var request = RecordedRequest(method: method, url: url, rules: self.rules)
            if method == "POST" { request.isGRPC = try self.exchange(exchanges[0]).isCall(url) }
            let groups = try self.toldApart(exchanges, request.key, method: method).map { group in
                let first = try self.exchange(group.exchanges[0]).number
                return (
                    group,
                    RecordedSet(
                        request: request,
                        headers: group.headers,
                        cookies: group.cookies,
                        body: group.body,
                        first: first
                    )
                )
            }
            let isAlone = groups.count == 1 && order.isAlone(request)
            for (group, var set) in groups.sorted(by: { RecordedSet.precedes($0.1, $1.1) }) {
                set.isAlone = isAlone
                try self.add(group, set, failure, new)
            }
        }
    }

    private func add(
        _ group: Group,
        _ set: RecordedSet,
        _ failure: ((RecordedExchange) -> Void)?,
        _ new: (RecordedSet, Takes) throws -> Void
    ) throws {
        func forEachTake(_ body: (Take) throws -> Void) throws {
            try self.takes(
                group.exchanges,
                keepsRequestBody: group.saysNoBody,
                said: group.headers,
                url: { _ in nil },
                body
            )
        }
        let shape = RecordedShape(
            key: set.request.key,
            body: group.identity,
            headers: group.headers,
            cookies: group.cookies
        )
        if let target = self.shapes[shape]?.first(where: { self.takes[$0] == nil }) {
            var takes: [Take] = []
            try forEachTake { takes.append($0) }
            if !takes.isEmpty { self.takes[target] = takes }
            return
        }
        if let failure, try group.exchanges.allSatisfy({ try self.exchange($0).hasFailed }) {
            for index in group.exchanges { failure(try self.exchange(index)) }
            return
        }
        try new(set, forEachTake)
    }

    /// The exchange of a place, which is read once where those of its method and URL are few and small.
    private func exchange(_ index: Int) throws -> RecordedExchange {
        if let exchange = self.loaded[index] { return exchange }
        let exchange = try self.exchanges.exchange(index)
        self.loadedSize += self.exchanges.size(of: index)
        if self.loadedSize <= Self.loadedLimit { self.loaded[index] = exchange }
        return exchange
    }

    // MARK: Telling apart

    /// Groups the exchanges of one method and URL, with the conditions that separate the groups. Bodies that no
    /// condition separates, such as JSON with other white space, are in one group.
    ///
    /// A request that was answered before it was complete has no known body, unless it is a call: it is grouped with the
    /// others if they have no conditions, else into a set without any, which is tried last.
    private func toldApart(_ exchanges: [Int], _ key: RequestKey, method: String) throws -> [Group] {
        var bodies: [[UInt8]: Int] = [:]
        var hasBodies = Self.meansSomethingWithoutBody(method)
        var evidence: [SelectingFieldNames.Evidence] = []
        var told = try exchanges.map { index in
            let exchange = try self.exchange(index)
            let raw = RecordedCondition.rawBody(of: exchange, digest: self.storage.digest)
            let isPartial = !RecordedCondition.knowsBody(of: exchange, storage: self.storage)
            let body = bodies[raw] ?? bodies.count
            bodies[raw] = body
            hasBodies = hasBodies || !isPartial && !exchange.requestBody.isEmpty
            evidence.append(SelectingFieldNames.evidence(of: exchange, body: body))
            return Told(exchange: index, body: body, isPartial: isPartial, fields: [:])
        }
        var written: Set<String> = []
        // A person who lists what counts has decided about header fields.
        if self.rules.parts == nil || self.rules.counts(.headers) {
            let known = self.known[key]?.headers ?? []
            let names = SelectingFieldNames(
                evidence,
                known: known,
                users: self.exchanges.lastingSecrets,
                rules: self.rules,
                kept: self.keptHeaders
            )
            written = names.alwaysWritten
            for index in told.indices {
                told[index].fields = evidence[index].fields.filter { names.all.contains($0.key) }
            }
        }
        let whole = told.filter { !$0.isPartial }
        let groups = try self.wholeToldApart(whole, key, hasBodies: hasBodies, written: written)
        guard whole.count < told.count else { return groups }
        let hasConditions = groups.contains { $0.body != nil || !$0.headers.isEmpty || !$0.cookies.isEmpty }
        guard hasConditions else { return [Group(exchanges: exchanges)] }
        return groups + [Group(exchanges: told.filter(\.isPartial).map(\.exchange))]
    }

    /// True for a method whose requests a body is a part of, so that no body is one of its own. The content of the others
    /// means nothing by itself (RFC 9110 section 9.3), so that their conditions would only be noise.
    private static func meansSomethingWithoutBody(_ method: String) -> Bool {
        !["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"].contains(method)
    }

    /// - Parameter written: the names of header fields with a condition even if all requests have one value.
    private func wholeToldApart(
        _ told: [Told],
        _ key: RequestKey,
        hasBodies: Bool,
        written: Set<String>
    ) throws -> [Group] {
        guard !told.isEmpty else { return [] }
        let known = self.known[key] ?? Known()
        let bodies = try self.bodies(
            of: told,
            hasConditions: known.hasBodies || hasBodies && !self.answersAnyBody && !known.answersAnyBody
        )
        let fields = told.map(\.fields)
        let names = RecordedCondition.differing(fields).union(known.headers).union(written).sorted().filter { name in
            !self.rules.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, name) }
        }
        let lists = names.filter { name in
            known.lists.contains(name) || fields.contains { ($0[name]?.count ?? 0) > 1 }
        }
        guard !bodies.conditions.isEmpty || !names.isEmpty else { return [Group(exchanges: told.map(\.exchange))] }
        struct Part: Hashable {
            var body: Int?
            var headers: [[String]?]
        }
        var groups: [Group] = []
        var places: [Part: Int] = [:]
        for (index, each) in told.enumerated() {
            let body = bodies.conditions.isEmpty ? nil : bodies.numbers[index]
            let part = Part(body: body, headers: names.map { each.fields[$0] })
            if let place = places[part] {
                groups[place].exchanges.append(each.exchange)
                continue
            }
            places[part] = groups.count
            var group = Group(exchanges: [each.exchange])
            for (name, values) in zip(names, part.headers) {
                let value = Self.condition(values, isList: lists.contains(name))
                if name.hasPrefix(RecordedShape.cookie) {
                    let name = String(name.dropFirst(RecordedShape.cookie.count))
                    group.cookies.append(RequestMatcher.Field(name, value))
                } else {
                    group.headers.append(RequestMatcher.Field(name, value))
                }
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
        of told: [Told],
        hasConditions: Bool
    ) throws -> (numbers: [Int], conditions: [Condition]) {
        guard self.rules.counts(.body) else { return ([], []) }
        guard hasConditions || told.contains(where: { $0.body != told[0].body }) else { return ([], []) }
        var made: [Int: Condition] = [:]
        for each in told where made[each.body] == nil {
            let exchange = try self.exchange(each.exchange)
            let body = try RecordedCondition.body(of: exchange, rules: self.rules, storage: self.storage)
            // If one body cannot be compared, no other can be distinguished from it.
            guard let body else { return ([], []) }
            made[each.body] = body
        }
        self.mergeJSON(&made, told.map(\.body))
        var conditions: [Condition] = []
        var places: [BodyMatcher.Identity: Int] = [:]
        let numbers = told.compactMap { made[$0.body] }.map { body in
            let number = body.identity.flatMap { places[$0] } ?? conditions.count
            if number == conditions.count { conditions.append(body) }
            if let identity = body.identity { places[identity] = number }
            return number
        }
        return hasConditions || conditions.count > 1 ? (numbers, conditions) : ([], [])
    }

    /// A body that was not sent as JSON, but is some, meets the condition of the same JSON, so it is no other body.
    private func mergeJSON(_ made: inout [Int: Condition], _ bodies: [Int]) {
        var asJSON: [BodyMatcher.Identity: Condition] = [:]
        for body in bodies.compactMap({ made[$0] }) {
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

    /// Returns the takes for a set that a person has generalised: they have the parts of the request that the set does
    /// not.
    private func takes(
        _ exchanges: [Int],
        for matcher: RequestMatcher,
        _ body: (Take) throws -> Void
    ) throws {
        let saysBody = matcher.body.contains { $0.recordedIdentity(self.rules) != nil }
        let rules = self.rules
        func url(_ exchange: RecordedExchange) -> String? {
            switch matcher.url {
            case .exact, .exactPath: return nil
            case .any, .template, .pattern:
                guard var url = AbsoluteURL(exchange.url)?.percentEncoded else { return nil }
                url.target = rules.counting(target: url.target)
                return url.description
            }
        }
        try self.takes(exchanges, keepsRequestBody: !saysBody, said: matcher.headers, url: url, body)
    }

    private func takes(
        _ exchanges: [Int],
        keepsRequestBody: Bool,
        said: [RequestMatcher.Field],
        url: (RecordedExchange) -> String?,
        _ body: (Take) throws -> Void
    ) throws {
        // Equal answers in a row, as polls get them, are one take.
        var last: (take: Take, times: Int)?
        func handOver() throws {
            guard case (var take, let times)? = last else { return }
            take.times = times
            try body(take)
        }
        for index in exchanges {
            let exchange = try self.exchange(index)
            let take: Take
            // One exchange whose body file was removed must not prevent the others from being saved.
            do {
                take = try Take(
                    exchange,
                    keepsRequestBody: keepsRequestBody,
                    keptHeaders: self.keptHeaders.fields(
                        of: exchange.requestHeaders,
                        said: said.map(\.name),
                        answer: exchange.response
                    ),
                    url: url(exchange),
                    storage: self.storage
                )
            } catch is BodyStorage.Lost {
                continue
            }
            if last?.take.withoutDates == take.withoutDates {
                last?.times += 1
                continue
            }
            try handOver()
            last = (take, 1)
        }
        try handOver()
    }
}

extension RecordedExchange {
    /// True if there was no response, though the client waited for one.
    fileprivate var hasFailed: Bool { self.response.fault.map { !$0.hasResponse && $0 != .hang } ?? false }
}

/// The order of requests in a cassette: by URL and method, then in the order of arrival.
private struct RequestOrder {
    /// The sort keys one behind the other.
    private var keys: [UInt8] = []
    private var entries: [(exchange: Int, start: Int, end: Int)] = []
    /// The first entry of each method, host and path, by their hash, and whether all have the same query.
    private var names: [Int: (entry: Int, isAlone: Bool)] = [:]

    mutating func append(_ exchange: Int, _ request: RecordedRequest) {
        let start = self.keys.count
        self.keys.append(contentsOf: request.sortKey)
        let name = request.shortName.hashValue
        if let (entry, isAlone) = self.names[name] {
            let first = self.entries[entry]
            let isSame = self.keys[first.start..<first.end].elementsEqual(self.keys[start...])
            self.names[name] = (entry, isAlone && isSame)
        } else {
            self.names[name] = (self.entries.count, true)
        }
        self.entries.append((exchange, start, self.keys.count))
    }

    /// True if no other request has the method, host and path.
    func isAlone(_ request: RecordedRequest) -> Bool { self.names[request.shortName.hashValue]?.isAlone ?? false }

    /// Calls `body` with the exchanges of each method and URL, in order.
    func forEachRequest(_ body: ([Int]) throws -> Void) rethrows {
        try self.keys.withUnsafeBytes { keys in
            func compare(_ left: Int, _ right: Int) -> Int {
                let (left, right) = (self.entries[left], self.entries[right])
                guard let base = keys.baseAddress else { return 0 }
                let (one, other) = (left.end - left.start, right.end - right.start)
                let order = Int(memcmp(base + left.start, base + right.start, min(one, other)))
                return order == 0 ? one - other : order
            }
            let order = self.entries.indices.sorted { left, right in
                let order = compare(left, right)
                return order == 0 ? left < right : order < 0
            }
            var start = 0
            while start < order.count {
                var end = start + 1
                while end < order.count, compare(order[start], order[end]) == 0 { end += 1 }
                try body(order[start..<end].map { self.entries[$0].exchange })
                start = end
            }
        }
    }
}
