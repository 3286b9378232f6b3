import TapedeckCore

/// Method and URL of a request as far as they count under the rules of a cassette: what a recording sorts by before
/// anything else.
struct RecordedRequest {
    /// Equal for requests that may share a set.
    let key: RequestKey
    /// `nil` where methods do not count.
    let method: String?
    /// In the form of a set's condition, without ignored parts.
    let url: URLMatcher
    /// True for a call of gRPC.
    var isGRPC = false

    init(method: String?, url: AbsoluteURL, rules: MatchingRules) {
        self.init(method: method, origin: url.origin, target: url.target, rules)
    }

    /// Returns the request of a set with one URL and at most one method; `nil` for any other.
    ///
    /// Equal requests have equal keys here, however many conditions the set has.
    init?(_ matcher: RequestMatcher, rules: MatchingRules) {
        guard matcher.methods.count <= 1 else { return nil }
        switch matcher.url {
        case .exact(let url):
            self.init(method: matcher.methods.first, origin: url.origin, target: url.target, rules)
        case .exactPath(let target) where !rules.counts(.origin):
            self.init(method: matcher.methods.first, origin: nil, target: target, rules)
        case .any, .exactPath, .template, .pattern:
            return nil
        }
    }

    private init(method: String?, origin: Origin?, target: String, _ rules: MatchingRules) {
        let path = String(target.prefix { $0 != "?" })
        let counting: String
        if !rules.counts(.path) {
            // Without a path there is nothing that a query could belong to.
            counting = "/"
        } else if !rules.counts(.query) {
            counting = path
        } else {
            counting = rules.counting(target: target)
        }
        self.method = rules.counts(.method) ? method : nil
        let key = rules.counts(.origin) ? origin : nil
        let place = key ?? Origin(scheme: .http, host: "-")
        // Signed once more, it is the same request.
        let signed = rules.counts(.path) && rules.counts(.query) ? SignedURL(target: counting) : nil
        let identifying = signed?.counting(target: counting) ?? counting
        self.key = RequestKey(method: self.method, url: AbsoluteURL(origin: place, target: identifying))
        // A path that begins with `//` cannot be written alone: it would read as a host.
        if let origin, rules.counts(.origin) || counting.hasPrefix("//") {
            self.url = .exact(AbsoluteURL(origin: origin, target: counting))
        } else {
            self.url = .exactPath(counting)
        }
    }

    /// By URL, then by method.
    var sortKey: [UInt8] {
        let method = self.key.bytes.prefix { $0 != ASCII.space }
        return Array(self.key.bytes.dropFirst(method.count + 1)) + [0] + Array(method)
    }

    /// Method, host and path, for a name.
    var shortName: String {
        if self.isGRPC, let path = self.path { return String(path.dropFirst()) }
        let place =
            switch self.url {
            case .exact(let url): url.origin.authority + url.path
            case .exactPath(let target): String(target.prefix { $0 != "?" })
            case .any, .template, .pattern: ""
            }
        return self.method.map { "\($0) \(place)" } ?? place
    }

    private var path: String? {
        switch self.url {
        case .exact(let url): url.path
        case .exactPath(let target): target
        case .any, .template, .pattern: nil
        }
    }

    /// The query of the URL, for a name.
    var query: String? {
        switch self.url {
        case .exact(let url): url.query
        case .exactPath(let target): target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        case .any, .template, .pattern: nil
        }
    }
}

extension MatchingRules {
    /// Path and query without the parameters that do not count, everything else as it was written.
    package func counting(target: String) -> String {
        guard !self.ignoredQuery.isEmpty, let question = target.firstIndex(of: "?") else { return target }
        let kept = target[target.index(after: question)...]
            .split(separator: "&", omittingEmptySubsequences: false)
            .filter { parameter in
                let name = ByteText.bytes(of: String(parameter.prefix { $0 != "=" }))
                return !self.ignoredQuery.contains(QueryText.decoded(name))
            }
        return target[..<question] + (kept.isEmpty ? "" : "?") + kept.joined(separator: "&")
    }

    /// The parts of JSON bodies that count, for a condition without its own rules.
    var jsonComparison: JSONComparison { JSONComparison(ignoredPaths: self.ignoredJSON) }
}
