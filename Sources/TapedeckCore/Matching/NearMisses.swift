/// Finds the response sets that almost answer a request.
///
/// A guess that misleads is worse than none, so the order is fixed: the right URL with another body or method comes
/// before the right path with another query, that before another path of the same host; sets of other hosts are no near
/// misses.
struct NearMisses {
    private static let wanted = 3
    /// Sets beyond this many are not looked at: a miss on a huge tape should not hold up who is being answered.
    private static let searchLimit = 5_000

    let tape: Tape

    func find(_ request: RequestLine) -> [UnmatchedReport.NearMiss] {
        let path = request.url.path
        var ranked: [(rank: Int, entry: Int)] = []
        for (number, entry) in self.tape.entries.prefix(Self.searchLimit).enumerated() {
            let url = entry.set.request.url
            guard url.origin.host == request.url.origin.host else { continue }
            ranked.append((self.rank(entry.set.request, request: request, path: path), number))
        }
        return ranked.sorted { ($0.rank, $0.entry) < ($1.rank, $1.entry) }.prefix(Self.wanted).map { found in
            let entry = self.tape.entries[found.entry]
            return UnmatchedReport.NearMiss(
                set: entry.set.name,
                cassette: self.tape.cassettes[entry.cassette],
                differences: Self.differences(entry.set.request, request: request)
            )
        }
    }

    /// Smaller is nearer.
    private func rank(_ matcher: RequestMatcher, request: RequestLine, path: String) -> Int {
        var rank = 0
        if let method = matcher.method, method != request.method { rank += 1 }
        if matcher.url.origin != request.url.origin { rank += 8 }
        let otherPath = matcher.url.path
        if otherPath != path {
            let shared = zip(otherPath.utf8, path.utf8).prefix { $0 == $1 }.count
            rank += 1_000 + max(otherPath.utf8.count, path.utf8.count) - shared
        } else if RequestKey(method: nil, url: matcher.url) != RequestKey(method: nil, url: request.url) {
            rank += 2
        }
        return rank
    }

    private static func differences(_ matcher: RequestMatcher, request: RequestLine) -> [String] {
        var differences: [String] = []
        if let method = matcher.method, method != request.method {
            differences.append("method is \(request.method), the tape has \(method)")
        }
        if matcher.url.origin != request.url.origin {
            differences.append("origin is \(request.url.origin), the tape has \(matcher.url.origin)")
        }
        if self.canonicalPath(matcher.url) != self.canonicalPath(request.url) {
            differences.append("path is \(request.url.path), the tape has \(matcher.url.path)")
        } else {
            differences += self.queryDifferences(matcher.url, request.url)
        }
        if differences.isEmpty, let body = matcher.body {
            differences.append("the body differs, the tape has \(body.summary)")
        }
        return differences
    }

    private static func canonicalPath(_ url: AbsoluteURL) -> [UInt8] {
        let anywhere = AbsoluteURL(origin: Origin(scheme: .http, host: "-"), target: url.target)
        return Array(RequestKey(method: nil, url: anywhere).bytes.prefix { $0 != ASCII.question })
    }

    private static func queryDifferences(_ taped: AbsoluteURL, _ asked: AbsoluteURL) -> [String] {
        let taped = self.parameters(taped)
        let asked = self.parameters(asked)
        var differences: [String] = []
        for (name, values) in asked where taped[name] != values {
            let came = values.joined(separator: ", ")
            if let wanted = taped[name] {
                differences.append("query \(name) is \(came), the tape has \(wanted.joined(separator: ", "))")
            } else {
                differences.append("query \(name)=\(came) is not on tape")
            }
        }
        for name in taped.keys where asked[name] == nil {
            differences.append("query \(name) is missing")
        }
        return differences.sorted()
    }

    private static func parameters(_ url: AbsoluteURL) -> [String: [String]] {
        var parameters: [String: [String]] = [:]
        // In canonical form, as they are compared.
        let canonical = String(decoding: RequestKey(method: nil, url: url).bytes, as: UTF8.self)
        let query = canonical.firstIndex(of: "?").map { canonical[canonical.index(after: $0)...] } ?? ""
        for part in query.split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            parameters[String(name), default: []].append(String(part.dropFirst(name.count + 1)))
        }
        return parameters
    }
}
