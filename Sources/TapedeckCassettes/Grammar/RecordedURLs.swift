import TapedeckCore

/// Compares the URL that a take was recorded from with the template or pattern of its set.
struct RecordedURLs {
    private let pattern: Pattern
    private let isPathOnly: Bool
    private let hasQuery: Bool
    /// True if the set has a part of the query, so that a URL without one can say nothing about the rest.
    private let asksForQuery: Bool
    private let ignoredQuery: [String]

    /// `nil` where the matcher is neither a template nor a pattern. A template that is an origin alone takes every URL
    /// there, so it has nothing to check.
    init?(_ matcher: URLMatcher, _ rules: MatchingRules) {
        switch matcher {
        case .template(let template):
            guard matcher.isPathOnly || template.source.dropFirst("https://".count).contains("/") else { return nil }
            self.pattern = template.pattern
            self.hasQuery = template.hasQuery
            self.asksForQuery = template.hasQuery
        case .pattern(let pattern):
            self.pattern = pattern
            self.hasQuery = true
            self.asksForQuery = ["\\?", "[?", "\\x3f", "\\x3F"].contains { pattern.source.contains($0) }
        case .any, .exact, .exactPath:
            return nil
        }
        self.isPathOnly = matcher.isPathOnly
        self.ignoredQuery = rules.ignoredQuery
    }

    /// Returns true if it does not match a URL from a set's name, which may omit a query.
    func misses(named url: AbsoluteURL, scratch: PatternScratch) -> Bool {
        guard self.misses(url, scratch: scratch) else { return false }
        guard self.hasQuery, url.query == nil else { return true }
        guard !self.asksForQuery else { return false }
        return self.misses(AbsoluteURL(origin: url.origin, target: url.target + "?a=1"), scratch: scratch)
    }

    func misses(_ url: AbsoluteURL, scratch: PatternScratch) -> Bool {
        var url = url
        if !self.hasQuery || url.query?.isEmpty == true {
            url.target = url.path
        } else if let query = url.query, !self.ignoredQuery.isEmpty {
            let kept = query.split(separator: "&").filter { parameter in
                !self.ignoredQuery.contains(QueryText.decoded(parameter.prefix { $0 != "=" }.utf8))
            }
            url.target = url.path + (kept.isEmpty ? "" : "?") + kept.joined(separator: "&")
        }
        // Behind the method and the space.
        let canonical = RequestKey(method: nil, url: url).bytes.drop { $0 != ASCII.space }.dropFirst()
        let subject = self.isPathOnly ? canonical.dropFirst(url.origin.description.utf8.count) : canonical
        scratch.beginRequest()
        return Array(subject).withUnsafeBytes { self.pattern.match($0, scratch: scratch) == .unmatched }
    }
}
