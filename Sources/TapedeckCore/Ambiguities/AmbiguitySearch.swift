/// Finds ties in time that hardly grows faster than the tape.
struct AmbiguitySearch {
    /// The maximum number of earlier sets that each set is compared with, where a look-up does not separate them.
    private static let pairLimit = 64
    /// The maximum number of earlier templates whose segments are compared.
    private static let templateLimit = 500
    /// The maximum number of URLs that are tried on the patterns of one rank.
    private static let urlLimit = 20_000

    private let tape: Tape
    private let proof: AmbiguityProof
    /// By the second set.
    private(set) var found: [Int: Ambiguity] = [:]

    init(_ tape: Tape) {
        self.tape = tape
        self.proof = AmbiguityProof(tape)
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
                    self.found[entry] = Ambiguity(first: other, second: entry, request: request)
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

    /// The sets of one URL. Sets with different conditions on the body never tie, so of a GraphQL API's thousands few
    /// are compared.
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

/// Two response sets that can answer the same request, and only their order in the file decides which does.
package struct Ambiguity: Sendable, Equatable {
    /// The set that is tried first, by its number on the tape.
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
    /// pair is looked at: see the limits in `AmbiguitySearch`.
    package func ties() -> [Ambiguity] {
        var search = AmbiguitySearch(self)
        search.run()
        return search.found.values.sorted { ($0.second, $0.first) < ($1.second, $1.first) }
    }
}
