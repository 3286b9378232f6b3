/// Two response sets that can answer the same request, where nothing but their order in the file decides which does.
package struct Tie: Sendable, Equatable {
    /// The set that is asked first, by its number on the tape.
    package var first: Int
    package var second: Int
    /// A request that both can answer, as far as method and URL go.
    package var request: RequestLine
}

extension Tape {
    /// The ties among its sets, by the order of the tape; at most one for each set that comes second.
    ///
    /// Method and URL of each have been tried on both sets. Conditions on the rest of a request (headers, cookies,
    /// body, state) count as possibly met together unless they plainly exclude each other. On a large tape not every
    /// pair is looked at: see the limits in `TieSearch`.
    package func ties() -> [Tie] {
        var search = TieSearch(self)
        search.run()
        return search.found.values.sorted { ($0.second, $0.first) < ($1.second, $1.first) }
    }
}

/// Finds ties in time that hardly grows faster than the tape.
private struct TieSearch {
    /// So many earlier sets each is held against at most, where one look at them does not tell them apart.
    private static let pairLimit = 64
    /// Of so many earlier templates the segments are compared.
    private static let templateLimit = 500
    /// So many URLs are tried on the patterns of one rank at most.
    private static let urlLimit = 20_000

    private let tape: Tape
    private let proof: TieProof
    /// By the second set.
    private(set) var found: [Int: Tie] = [:]

    init(_ tape: Tape) {
        self.tape = tape
        self.proof = TieProof(tape)
    }

    mutating func run() {
        let order = self.tape.entries.indices.sorted { left, right in
            let (first, second) = (self.tape.rank(of: left), self.tape.rank(of: right))
            return first == second ? left < right : first < second
        }
        var rest = order[...]
        while let first = rest.first {
            let rank = self.tape.rank(of: first)
            let group = Array(rest.prefix { self.tape.rank(of: $0) == rank })
            rest = rest.dropFirst(group.count)
            guard group.count > 1 else { continue }
            switch self.tape.entries[first].matcher.url {
            case .exact: self.searchExact(group)
            case .pattern: self.searchPatterns(group)
            case .any: self.searchAny(group)
            }
        }
    }

    /// Notes the first of `earlier` that ties with `entry` on one of `urls`.
    private mutating func compare(_ entry: Int, with earlier: some Sequence<Int>, urls: [AbsoluteURL]) {
        guard self.found[entry] == nil else { return }
        for other in earlier.prefix(Self.pairLimit) {
            guard !self.proof.excludes(other, entry) else { continue }
            for url in urls {
                if let request = self.proof.request(other, entry, url: url) {
                    self.found[entry] = Tie(first: other, second: entry, request: request)
                    return
                }
            }
        }
    }

    // MARK: Exact URLs

    private struct ExactKey: Hashable {
        var projection: URLProjection
        var url: [UInt8]
    }

    /// The sets of one URL. Those that ask for different bodies never tie, so of a GraphQL API's thousands few are
    /// compared.
    private struct Chain {
        var all: [Int] = []
        var byBody: [BodyMatcher.Identity: [Int]] = [:]
        var others: [Int] = []
    }

    private mutating func searchExact(_ group: [Int]) {
        var chains: [ExactKey: Chain] = [:]
        for entry in group {
            let matcher = self.tape.entries[entry].matcher
            guard case .exact(let url, let projection) = matcher.url else { continue }
            let key = ExactKey(projection: projection, url: url)
            if let chain = chains[key] {
                let earlier = matcher.identity.map { chain.byBody[$0, default: []] + chain.others } ?? chain.all
                self.compare(entry, with: earlier, urls: self.proof.samples(of: entry))
            }
            chains[key, default: Chain()].all.append(entry)
            if let identity = matcher.identity {
                chains[key]?.byBody[identity, default: []].append(entry)
            } else {
                chains[key]?.others.append(entry)
            }
        }
    }

    private mutating func searchAny(_ group: [Int]) {
        for (position, entry) in group.enumerated() {
            for other in group.prefix(min(position, Self.pairLimit)) {
                let urls = self.proof.samples(of: entry) + self.proof.samples(of: other)
                self.compare(entry, with: [other], urls: urls)
            }
        }
    }

    // MARK: Templates and patterns

    /// Tries URLs that some of the group are known to take on all of it. The look-up that playing uses finds the few
    /// that a URL may be for.
    private mutating func searchPatterns(_ group: [Int]) {
        // Sets that differ in their conditions only have the same URLs.
        var tried: Set<AbsoluteURL> = []
        let crossings = self.crossings(group).sorted { $0.description < $1.description }
        let urls = (crossings + group.flatMap(self.proof.samples) + self.knownURLs())
            .filter { tried.insert($0).inserted }
        let groups = Dictionary(grouping: group) { entry -> URLProjection.Query in
            guard case .pattern(_, let projection, _) = self.tape.entries[entry].matcher.url else { return .all }
            return projection.query
        }
        let lookups = groups.map { query, entries in
            PatternLookup(query: query, entries.map { ($0, self.tape.entries[$0].matcher) })
        }
        for url in urls.prefix(Self.urlLimit) {
            let matching = lookups.flatMap { self.proof.matching(url, $0) }.sorted()
            for (position, second) in matching.enumerated().dropFirst() {
                self.compare(second, with: matching.prefix(position), urls: [url])
            }
        }
    }

    /// URLs for two templates of which each has a gap where the other has text: `/users/{id}` and `/{kind}/me`. Where
    /// only one has, the other's own URLs are enough.
    private func crossings(_ group: [Int]) -> Set<AbsoluteURL> {
        var urls: Set<AbsoluteURL> = []
        var earlier: [[Bool]: [TemplateSegments]] = [:]
        for entry in group {
            guard case .template(let template) = self.tape.entries[entry].set.request.url else { continue }
            let segments = TemplateSegments(template.source, origin: self.proof.origin(of: entry))
            for (gaps, others) in earlier where segments.mayCross(gaps) {
                for other in others.prefix(Self.templateLimit) {
                    guard urls.count < Self.urlLimit / 2 else { return urls }
                    if let url = segments.crossing(other).flatMap({ AbsoluteURL($0) }) { urls.insert(url) }
                }
            }
            earlier[segments.gaps, default: []].append(segments)
        }
        return urls
    }

    /// The URLs that the tape names elsewhere.
    private func knownURLs() -> [AbsoluteURL] {
        let exact = self.tape.entries.lazy.map(\.set.request.url).compactMap { url in
            if case .exact(let url) = url { url } else { nil }
        }
        let recorded = self.tape.takes.lazy.compactMap { $0.request?.url }.compactMap { AbsoluteURL($0) }
        return Array(recorded.prefix(Self.urlLimit)) + Array(exact.prefix(Self.urlLimit))
    }
}

/// The source of a template, segment by segment.
private struct TemplateSegments {
    let list: [Substring]
    /// Which of them are not all text.
    let gaps: [Bool]
    private let query: Substring

    /// - Parameter origin: for a template that names none.
    init(_ source: String, origin: Origin) {
        let whole = source.hasPrefix("/") ? "\(origin)\(source)" : source
        let path = whole.prefix { $0 != "?" }
        self.list = path.split(separator: "/", omittingEmptySubsequences: false)
        self.gaps = self.list.map { $0.contains("{") }
        self.query = whole.dropFirst(path.count)
    }

    /// Whether each has a gap where the other has text.
    func mayCross(_ others: [Bool]) -> Bool {
        let pairs = zip(self.gaps, others)
        return self.gaps.count == others.count && pairs.contains { $0 && !$1 } && pairs.contains { !$0 && $1 }
    }

    /// A URL that both may take; `nil` when they plainly share none.
    func crossing(_ other: TemplateSegments) -> String? {
        var path: [Substring] = []
        for index in self.list.indices {
            let (own, others) = (self.list[index], other.list[index])
            if !self.gaps[index], !other.gaps[index], own != others { return nil }
            // Of two gaps the one with text around it says more.
            let takesOthers = !other.gaps[index] || self.gaps[index] && own.hasPrefix("{") && own.hasSuffix("}")
            path.append(takesOthers ? others : own)
        }
        return Self.filled(path.joined(separator: "/") + (self.query.isEmpty ? other.query : self.query))
    }

    /// The source of a template with something in its gaps.
    static func filled(_ source: String) -> String {
        source.split(separator: "{", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? $1 : "1" + $1.drop { $0 != "}" }.dropFirst() }
            .joined()
    }
}

/// Holds requests against two sets of the same rank.
private final class TieProof {
    private static let unknownOrigin = Origin(scheme: .https, host: "example.com")

    private let tape: Tape
    private let scratch = PatternScratch()
    /// What each set asks for beside method and URL, and of the session's state.
    private let conditions: [[Condition]]
    private let states: [[String: String?]]

    init(_ tape: Tape) {
        self.tape = tape
        self.conditions = tape.entries.map(\.matcher.flat)
        self.states = tape.entries.map { entry in
            Dictionary((entry.matcher.state + entry.set.requires).map { ($0.key, $0.value) }) { $1 }
        }
    }

    /// The request for `url`, with what both sets want in its query, that both take.
    func request(_ first: Int, _ second: Int, url: AbsoluteURL) -> RequestLine? {
        let matchers = [self.tape.entries[first].matcher, self.tape.entries[second].matcher]
        let methods = (matchers[0].methods, matchers[1].methods)
        let common = methods.0.isEmpty ? methods.1 : methods.0.filter(matchers[1].takesMethod)
        guard !common.isEmpty || methods.0.isEmpty else { return nil }
        let method = common.first ?? "GET"
        let conditions = self.conditions[first] + self.conditions[second]
        var url = url
        var fields: [HeaderField] = []
        let asked = self.facts(method, url)
        let query = conditions.compactMap { if case .query(let field) = $0 { field } else { nil } }
        for (name, wanted) in Self.fields(query).sorted(by: { $0.key < $1.key }) {
            if wanted.allSatisfy({ $0.matches(asked.queryValues(name), scratch: self.scratch) }) { continue }
            guard let values = self.sample(wanted) else { return nil }
            for value in values {
                url.target += (url.query == nil ? "?" : "&") + "\(QueryText.encoded(name))=\(QueryText.encoded(value))"
            }
        }
        let headers = conditions.compactMap { if case .header(let field) = $0 { field } else { nil } }
        for (name, wanted) in Self.fields(headers) {
            fields += (self.sample(wanted) ?? []).map { HeaderField(name, $0) }
        }
        let request = self.facts(method, url, fields)
        return matchers.allSatisfy { self.takes($0, request) } ? request.line : nil
    }

    /// Whether a set takes method and URL, and what is only known by trying.
    private func takes(_ matcher: CompiledMatcher, _ request: RequestFacts) -> Bool {
        matcher.takesMethod(request.method) && matcher.takesURL(request)
            && matcher.conditions.allSatisfy { !$0.isAboutURL || $0.holds(for: request) }
            && matcher.all.allSatisfy { self.takes($0, request) }
            && (matcher.any.isEmpty || matcher.any.contains { $0.matches(request) })
            && !matcher.not.contains { $0.matches(request) }
    }

    private func facts(_ method: String, _ url: AbsoluteURL, _ fields: [HeaderField] = []) -> RequestFacts {
        self.scratch.beginRequest()
        let inquiry = Inquiry(RequestKey(method: method, url: url), fields: fields)
        return RequestFacts(inquiry, scratch: self.scratch)
    }

    /// What is asked of each name.
    private static func fields(_ fields: [RequestMatcher.Field]) -> [String: [ValueMatcher]] {
        Dictionary(fields.map { ($0.name, [$0.value]) }, uniquingKeysWith: +)
    }

    private func sample(_ wanted: [ValueMatcher]) -> [String]? {
        wanted.flatMap(\.samples).first { values in
            wanted.allSatisfy { $0.matches(values, scratch: self.scratch) }
        }
    }

    /// The sets of a look-up that take a URL, as far as one request's work goes.
    func matching(_ url: AbsoluteURL, _ lookup: PatternLookup) -> [Int] {
        let request = self.facts("GET", url)
        return lookup.candidates(request).map(Int.init).filter { self.tape.entries[$0].matcher.takesURL(request) }
    }

    /// URLs that a set may take.
    func samples(of entry: Int) -> [AbsoluteURL] {
        let origin = self.origin(of: entry)
        switch self.tape.entries[entry].set.request.url {
        case .any: return [AbsoluteURL(origin: origin, target: "/")]
        case .exact(let url): return [url]
        case .exactPath(let target): return [AbsoluteURL(origin: origin, target: target)]
        case .template(let template):
            let text = TemplateSegments.filled(template.source)
            return [AbsoluteURL(text.hasPrefix("/") ? "\(origin)\(text)" : text)].compactMap { $0 }
        case .pattern(let pattern):
            return pattern.samples.compactMap { AbsoluteURL($0.hasPrefix("/") ? "\(origin)\($0)" : $0) }
        }
    }

    /// The origin that a set asks for beside its URL, or some origin.
    func origin(of entry: Int) -> Origin {
        guard case .names(let names) = self.tape.entries[entry].set.request.host, let name = names.first else {
            return Self.unknownOrigin
        }
        return Origin(scheme: .https, authority: name.hasPrefix("*.") ? "a" + name.dropFirst() : name)
            ?? Self.unknownOrigin
    }

    // MARK: Exclusion

    /// Whether no request can meet the conditions of both.
    func excludes(_ first: Int, _ second: Int) -> Bool {
        self.states[first].contains { key, value in self.states[second][key].map { $0 != value } ?? false }
            || self.conditions[first].contains { one in
                self.conditions[second].contains { one.excludes($0, scratch: self.scratch) }
            }
            || self.isAskedForAnother(first, second) || self.isAskedForAnother(second, first)
    }

    /// Whether one set asks for a certain body, and that body is none for the other.
    private func isAskedForAnother(_ one: Int, _ other: Int) -> Bool {
        let identity = self.conditions[one].lazy.compactMap(\.identity).first
        let wanted = self.conditions[other].filter { $0.isAboutBody && !$0.asksForFields && $0.identity == nil }
        guard let identity, !wanted.isEmpty else { return false }
        // The identity of JSON is no JSON, so the text is taken from what is written.
        let body = self.tape.entries[one].set.request.body.lazy.compactMap { body -> [UInt8]? in
            guard body.identity?.kind == identity.kind else { return nil }
            return switch body {
            case .bytes(let body): body.decoded
            case .json(let body, _): body.content
            default: nil
            }
        }.first
        guard let body else { return false }
        let key = RequestKey(method: "POST", url: AbsoluteURL(origin: Self.unknownOrigin, target: "/"))
        let inquiry = Inquiry(key, body: ObservedBody(bytes: body, sha256: ""))
        self.scratch.beginRequest()
        let request = RequestFacts(inquiry, scratch: self.scratch)
        return !wanted.allSatisfy { $0.holds(for: request) }
    }
}

extension CompiledMatcher {
    /// All conditions that must hold, those of `all` included.
    fileprivate var flat: [Condition] { self.conditions + self.all.flatMap(\.flat) }

    fileprivate var state: [StateEntry] {
        self.flat.compactMap { if case .state(let entry) = $0 { entry } else { nil } }
    }
}

extension Condition {
    fileprivate var isAboutURL: Bool {
        switch self {
        case .query, .onlyQuery, .host: true
        default: false
        }
    }

    fileprivate var identity: BodyMatcher.Identity? {
        if case .body(let identity, _) = self { identity } else { nil }
    }

    /// Whether it plainly cannot hold together with `other`.
    fileprivate func excludes(_ other: Condition, scratch: PatternScratch) -> Bool {
        switch (self, other) {
        case (.query(let one), .query(let other)), (.cookie(let one), .cookie(let other)):
            one.name == other.name && one.value.excludes(other.value, scratch)
        case (.header(let one), .header(let other)):
            ASCII.equalsIgnoringCase(one.name, other.name) && one.value.excludes(other.value, scratch)
        case (.body(let one, _), .body(let other, _)): one != other
        case (.text(let one), .text(let other)): one.excludes(other, scratch)
        case (.jsonPath(let path, .value(let one)), .jsonPath(let otherPath, .value(let other))):
            path == otherPath && one.excludes(other, scratch)
        case (.graphQL(let one?, _), .graphQL(let other?, _)): one.excludes(other, scratch)
        case (.form(let fields, _), .form(let others, _)):
            fields.contains { field in
                others.contains { $0.name == field.name && $0.value.excludes(field.value, scratch) }
            }
        case (.json, .form), (.form, .json), (.jsonPath, .form), (.form, .jsonPath): true
        default: false
        }
    }
}

extension Pattern {
    /// Texts made of its literal parts: some may match.
    fileprivate var samples: [String] {
        let pieces = [self.literals.prefix] + self.literals.pieces
        return ["1", "a", ""].flatMap { filler in
            let text = pieces.map { ByteText.string(from: $0) }.joined(separator: filler)
            return [text + filler, filler + text]
        }
    }
}

extension ValueMatcher {
    /// Values that may meet it.
    fileprivate var samples: [[String]] {
        switch self {
        case .equals(let text), .contains(let text), .prefix(let text), .suffix(let text): [[text]]
        case .values(let texts): [texts]
        case .oneOf(let texts): texts.map { [$0] }
        case .pattern(let pattern): pattern.samples.map { [$0] }
        case .greaterThan(let number), .lessThan(let number):
            ["0", "\(number.doubleValue + 1)", "\(number.doubleValue - 1)"].map { [$0] }
        case .present: [["1"]]
        case .absent: [[]]
        case .not: [["1"], ["0"], []]
        case .all(let matchers): matchers.flatMap(\.samples)
        }
    }

    /// The values that it asks for, if it names them.
    private var named: [[String]]? {
        switch self {
        case .equals, .oneOf, .values, .absent: self.samples
        case .all(let matchers): matchers.lazy.compactMap(\.named).first
        default: nil
        }
    }

    /// Whether no values meet both; a name counts as having one value where nothing else is said.
    fileprivate func excludes(_ other: ValueMatcher, _ scratch: PatternScratch) -> Bool {
        func meets(_ named: [[String]], _ matcher: ValueMatcher) -> Bool {
            named.contains { matcher.matches($0, scratch: scratch) }
        }
        let own = self.named.map { meets($0, other) }
        let others = other.named.map { meets($0, self) }
        return own == false && others != true || others == false && own != true
    }
}

extension QueryText {
    /// Text as a part of a query.
    fileprivate static func encoded(_ text: String) -> String {
        let bytes = ByteText.bytes(of: text).flatMap { byte in
            ASCII.isUnreserved(byte) ? [byte] : [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
