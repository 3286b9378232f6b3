import TapedeckCore

/// Holds the URL that a take was recorded from against the template or pattern of its set.
struct RecordedURLs {
    private let pattern: Pattern
    private let isPathOnly: Bool
    private let hasQuery: Bool
    private let ignoredQuery: [String]

    /// `nil` where the matcher is neither a template nor a pattern. A template that is an origin alone takes every URL
    /// there, so it has nothing to check.
    init?(_ matcher: URLMatcher, _ rules: MatchingRules) {
        switch matcher {
        case .template(let template):
            guard matcher.isPathOnly || template.source.dropFirst("https://".count).contains("/") else { return nil }
            self.pattern = template.pattern
            self.hasQuery = template.hasQuery
        case .pattern(let pattern):
            self.pattern = pattern
            self.hasQuery = true
        case .any, .exact, .exactPath:
            return nil
        }
        self.isPathOnly = matcher.isPathOnly
        self.ignoredQuery = rules.ignoredQuery
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
