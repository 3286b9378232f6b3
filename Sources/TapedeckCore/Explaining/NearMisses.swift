/// Finds the response sets that almost answer a request.
///
/// A guess that misleads is worse than none, so the order is fixed: a set of the right method and origin before one of
/// another, a set of the right path before one of another, and only then how many things differ. Sets of other hosts
/// are no near misses, unless they are for any host.
struct NearMisses {
    private static let wanted = 3
    /// Of sets of the same host no more than this many are looked at part by part: a miss on a huge tape should not
    /// hold up who is being answered.
    private static let searchLimit = 5_000

    let tape: Tape

    func find(_ request: RequestFacts) -> [UnmatchedReport.NearMiss] {
        let report = MatcherReport(request: request)
        var ranked: [(rank: Int, entry: Int, parts: [MatchPart])] = []
        for number in self.tape.entries(near: request.host).prefix(Self.searchLimit) {
            let parts = report.parts(self.tape.entries[number])
            let rank = parts.reduce(0) { $0 + ($1.isMet ? 0 : Self.distance($1)) }
            guard rank > 0, !parts.contains(where: { $0.name == "host" && !$0.isMet }) else { continue }
            ranked.append((rank, number, parts))
        }
        return ranked.sorted { ($0.rank, $0.entry) < ($1.rank, $1.entry) }.prefix(Self.wanted).map { found in
            UnmatchedReport.NearMiss(
                set: self.tape.entries[found.entry].set.name,
                cassette: self.tape.cassettes[self.tape.entries[found.entry].cassette].name,
                parts: found.parts
            )
        }
    }

    /// Of two other paths, the one that begins the same is nearer.
    private static func distance(_ part: MatchPart) -> Int {
        guard part.name == "path" || part.name == "url", let came = part.came else { return part.weight }
        let shared = zip(part.wanted.utf8, came.utf8).prefix { $0 == $1 }.count
        return part.weight + min(max(part.wanted.utf8.count, came.utf8.count) - shared, 400)
    }
}
