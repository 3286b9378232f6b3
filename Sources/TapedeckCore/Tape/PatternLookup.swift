/// The sets of a tape with a template, a pattern or a host: candidates are found by a rare piece of their literal text,
/// and only they are tried.
struct PatternLookup: Sendable {
    /// The URL as far as it is compared: all sets of a look-up leave out the same query parameters.
    private let projection: URLProjection
    private let index: LiteralIndex
    /// In the order in which they are tried.
    private let entries: [Int32]

    init(query: URLProjection.Query, _ sets: [(entry: Int, matcher: CompiledMatcher)]) {
        self.projection = URLProjection(part: .url, query: query)
        self.entries = sets.map { Int32($0.entry) }
        self.index = LiteralIndex(sets.map { Self.literals($0.matcher) })
        // Those that many requests will try are made ready now: doing so takes longer than a match.
        for number in self.index.crowded {
            if case .pattern(let pattern, _, _) = sets[number].matcher.url { pattern.prepare() }
        }
    }

    /// Returns the literals that a URL contains if the matcher matches.
    private static func literals(_ matcher: CompiledMatcher) -> RequiredLiterals {
        var literals = RequiredLiterals(prefix: [], pieces: [])
        if case .pattern(let pattern, let projection, _) = matcher.url {
            literals = pattern.literals
            // A path is in the middle of the URL.
            if projection.part == .target, !literals.prefix.isEmpty {
                literals.pieces.append(literals.prefix)
                literals.prefix = []
            }
        }
        for case .host(.names(let names)) in matcher.conditions where names.count == 1 {
            let isWildcard = names[0].hasPrefix("*.")
            guard let split = Origin.split(authority: isWildcard ? String(names[0].dropFirst(2)) : names[0]) else {
                continue
            }
            let host = Origin(scheme: .http, host: split.host).bracketedHost
            literals.pieces.append(Array((isWildcard ? ".\(host)" : "//\(host)").utf8))
        }
        return literals
    }

    /// Returns the sets that may match, in the order in which they are tried.
    func candidates(_ request: RequestFacts) -> [Int32] {
        request.projected(self.projection).withUnsafeBytes { url in
            self.index.candidates(in: url).map { self.entries[$0] }
        }
    }
}
