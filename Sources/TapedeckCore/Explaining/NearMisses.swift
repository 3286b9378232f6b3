/// Finds the response sets that almost answer a request.
///
/// A misleading guess is worse than no guess, so the order is fixed: sets with the right method and origin come first,
/// then sets with the right path, then those with the fewest differences. Sets of other hosts are not near misses,
/// unless they are for any host.
struct NearMisses {
    private static let wanted = 3
    /// The number of sets that are compared part by part: those nearest by method, origin and path, which are cheap to
    /// compare. A miss should not delay other answers.
    private static let closeLook = 16

    /// A set that was looked at part by part.
    private struct Place {
        var rank: Int
        /// The number of the tape; the first one has precedence.
        var layer: Int
        var tape: Tape
        var entry: Int
        var parts: [MatchPart]
    }

    let tapes: TapeStack
    /// `nil` where requests must equal the recorded ones.
    var varying: VaryingParts?

    func find(_ request: RequestFacts) -> [UnmatchedReport.NearMiss] {
        let report = MatcherReport(request: request)
        let url = RequestOutline(request)
        let tapes = self.tapes.layers.map(\.tape)
        // The nearest so far, nearest first; of equal ones those that come first on tape.
        var rough: [(rank: Int, layer: Int, entry: Int)] = []
        for (layer, tape) in tapes.enumerated() {
            for (number, entry) in tape.entries.enumerated() {
                guard let distance = url.distance(to: entry.matcher, written: entry.set.request) else { continue }
                if rough.count == Self.closeLook {
                    guard let last = rough.last, distance < last.rank else { continue }
                    rough.removeLast()
                }
                let place = rough.firstIndex { $0.rank > distance } ?? rough.count
                rough.insert((distance, layer, number), at: place)
            }
        }
        let ranked = rough.map { rank, layer, number in
            let tape = tapes[layer]
            let parts = self.marked(report.parts(tape.entries[number], matches: false), tape.entries[number], tape)
            // A body that differs as a whole differs in more than one place.
            let details = parts.filter { !$0.isMet && !$0.varies && !$0.isAboutRoute }
                .reduce(0) { $0 + (["body", "body $"].contains($1.name) ? 8 : 1) }
            return Place(rank: rank + details, layer: layer, tape: tape, entry: number, parts: parts)
        }
        return ranked.sorted { self.order($0) < self.order($1) }
            .prefix(Self.wanted)
            .map { place in
                let entry = place.tape.entries[place.entry]
                return UnmatchedReport.NearMiss(
                    set: entry.set.name,
                    cassette: place.tape.cassettes[entry.cassette].name,
                    parts: place.parts
                )
            }
    }

    /// Marks the differences of values that vary from run to run.
    private func marked(_ parts: [MatchPart], _ entry: Tape.Entry, _ tape: Tape) -> [MatchPart] {
        guard let varies = self.varying?.comparison(with: entry, on: tape) else { return parts }
        return parts.map { part in
            var part = part
            // Of a text that is cut nobody sees all differences.
            if !part.isMet, let wanted = part.wanted, let came = part.came, came != wanted,
                !(wanted + came).contains("…")
            {
                let place = part.name.hasPrefix("body $") ? String(part.name.dropFirst("body ".count)) : part.name
                part.varies = varies(place, wanted, came)
            }
            return part
        }
    }

    private func order(_ place: Place) -> (Int, Int, Int) {
        (place.rank, place.layer, place.tape.place(of: place.entry))
    }
}

/// Method, origin and path of a request, to tell which sets are near without looking at them part by part.
private struct RequestOutline {
    private let request: RequestFacts
    private let origin: [UInt8]
    private let host: [UInt8]
    private let path: [UInt8]

    init(_ request: RequestFacts) {
        self.request = request
        self.origin = Array(request.origin)
        self.host = Array(Self.host(self.origin[...]))
        self.path = Array(request.path)
    }

    /// Smaller is nearer; `nil` for a set of another host.
    func distance(to matcher: CompiledMatcher, written: RequestMatcher) -> Int? {
        for case .host(let host) in matcher.conditions where !host.matches(self.request) { return nil }
        let method = matcher.takesMethod(self.request.method) ? 0 : 500
        switch matcher.url {
        case .any:
            return method + 1_400
        case .exact(let url, let projection):
            guard projection.part != .target else { return method + self.pathDistance(url[...]) }
            let path = Self.pathStart(of: url)
            guard let origin = self.originDistance(url[..<path]) else { return nil }
            return method + origin + (projection.part == .origin ? 0 : self.pathDistance(url[path...]))
        case .pattern(let pattern, let projection, _):
            let literal = Self.literalStart(pattern, written.url)
            guard projection.part != .target else { return method + self.pathDistance(literal[...], isPrefix: true) }
            let path = Self.pathStart(of: literal)
            // A pattern need not say its host as literal text.
            let origin = path < literal.count ? self.originDistance(literal[..<path]) : 0
            guard let origin else { return nil }
            return method + origin + self.pathDistance(literal[min(path, literal.count)...], isPrefix: true)
        }
    }

    /// The text that every match begins with.
    private static func literalStart(_ pattern: Pattern, _ written: URLMatcher) -> [UInt8] {
        if case .template(let template) = written {
            return Array(template.source.utf8.prefix { $0 != ASCII.openBrace })
        }
        return pattern.literals.prefix
    }

    private static func pathStart(of url: [UInt8]) -> Int {
        var slashes = 0
        return url.firstIndex { byte in
            if byte == ASCII.slash { slashes += 1 }
            return slashes == 3
        } ?? url.count
    }

    /// `nil` for another host; another scheme or port of the same host is not so far.
    private func originDistance(_ wanted: ArraySlice<UInt8>) -> Int? {
        if wanted.elementsEqual(self.origin) { return 0 }
        let host = Self.host(wanted)
        guard host.count == self.host.count else { return nil }
        return zip(host, self.host).allSatisfy { ASCII.lowercased($0) == $1 } ? 800 : nil
    }

    /// The host of `scheme://host:port`, an IPv6 address with its brackets.
    private static func host(_ origin: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let slash = origin.firstIndex(of: ASCII.slash) else { return origin }
        let authority = origin[slash...].drop { $0 == ASCII.slash }
        if authority.first == ASCII.openBracket, let close = authority.firstIndex(of: ASCII.closeBracket) {
            return authority[...close]
        }
        return authority.prefix { $0 != ASCII.colon }
    }

    /// Of two other paths, the one with more segments in common at its beginning is nearer, such as another method of the
    /// same service; then the one with the longer common beginning.
    private func pathDistance(_ wanted: ArraySlice<UInt8>, isPrefix: Bool = false) -> Int {
        let wanted = wanted.prefix { $0 != ASCII.question }
        if wanted.elementsEqual(self.path) { return 0 }
        // Counted in a loop, as for every set of a tape nothing may be allocated here.
        var shared = 0
        var segments = 0
        for (one, other) in zip(wanted, self.path) {
            guard one == other else { break }
            shared += 1
            if one == ASCII.slash { segments += 1 }
        }
        if isPrefix, shared == wanted.count { return 1_000 }
        let all = max(wanted.count { $0 == ASCII.slash }, self.path.count { $0 == ASCII.slash })
        return 1_000 + min((all - segments) * 25, 375) + min(max(wanted.count, self.path.count) - shared, 24)
    }
}
