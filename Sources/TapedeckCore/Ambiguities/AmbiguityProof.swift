/// Compares requests with two sets of the same rank.
final class AmbiguityProof {
    private static let unknownOrigin = Origin(scheme: .https, host: "example.com")

    private let tape: Tape
    private let scratch = PatternScratch()
    /// The conditions of each set in addition to method and URL, and on the session's state.
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

    /// Returns true if a set matches method and URL, and conditions that must be tried.
    private func takes(_ matcher: CompiledMatcher, _ request: RequestFacts) -> Bool {
        matcher.takesMethod(request.method) && matcher.takesURL(request)
            && matcher.conditions.allSatisfy { !$0.isAboutURL || $0.holds(for: request) }
            && matcher.all.allSatisfy { self.takes($0, request) }
            && (matcher.any.isEmpty || matcher.any.contains { $0.matches(request) })
            && !matcher.not.contains { $0.matches(request) }
    }

    private func facts(_ method: String, _ url: AbsoluteURL, _ fields: [HeaderField] = []) -> RequestFacts {
        self.scratch.beginRequest()
        let matchRequest = MatchRequest(RequestKey(method: method, url: url), fields: fields)
        return RequestFacts(matchRequest, scratch: self.scratch)
    }

    /// Returns the conditions on each name.
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

    /// The origin in a set's conditions other than its URL, or some origin.
    func origin(of entry: Int) -> Origin {
        guard case .names(let names) = self.tape.entries[entry].set.request.host, let name = names.first else {
            return Self.unknownOrigin
        }
        return Origin(scheme: .https, authority: name.hasPrefix("*.") ? "a" + name.dropFirst() : name)
            ?? Self.unknownOrigin
    }

    // MARK: Exclusion

    /// Returns true if plainly no request is for both sets.
    func mayNotMeet(_ first: Int, _ second: Int) -> Bool {
        let (one, other) = (self.tape.entries[first].matcher, self.tape.entries[second].matcher)
        if !one.methods.isEmpty, !other.methods.isEmpty, !one.methods.contains(where: other.takesMethod) { return true }
        return self.urlsDiffer(first, second) || self.urlsDiffer(second, first) || self.excludes(first, second)
    }

    /// Returns true if the paths of two sets plainly differ. Hosts and queries may be conditions of their own.
    private func urlsDiffer(_ first: Int, _ second: Int) -> Bool {
        let (one, other) = (self.tape.entries[first].matcher.url, self.tape.entries[second].matcher.url)
        guard let start = one.start, let otherStart = other.start else { return false }
        if !start.starts(with: otherStart), !otherStart.starts(with: start) { return true }
        guard case .exact(let bytes, let projection) = one else { return false }
        switch other {
        case .any: return false
        case .exact: return start != otherStart
        case .pattern(_, let their, _):
            // A pattern may ask for a query that the path does not have.
            guard projection.query == .all || their.query == .none,
                let url = AbsoluteURL("\(Self.unknownOrigin)\(ByteText.string(from: bytes))")
            else { return false }
            return !self.tape.entries[second].matcher.takesURL(self.facts("GET", url))
        }
    }

    /// Returns true if no request can meet the conditions of both.
    func excludes(_ first: Int, _ second: Int) -> Bool {
        self.states[first].contains { key, value in self.states[second][key].map { $0 != value } ?? false }
            || self.conditions[first].contains { one in
                self.conditions[second].contains { one.excludes($0, scratch: self.scratch) }
            }
            || self.isAskedForAnother(first, second) || self.isAskedForAnother(second, first)
    }

    /// Returns true if one set requires a certain body that the other does not match.
    private func isAskedForAnother(_ one: Int, _ other: Int) -> Bool {
        let identity = self.conditions[one].lazy.compactMap(\.identity).first
        let wanted = self.conditions[other].filter { $0.isAboutBody && !$0.asksForFields && $0.identity == nil }
        guard let identity, !wanted.isEmpty else { return false }
        // The identity of JSON is not JSON, so the text is taken from the cassette.
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
        let matchRequest = MatchRequest(key, body: ObservedBody(bytes: body, sha256: ""))
        self.scratch.beginRequest()
        let request = RequestFacts(matchRequest, scratch: self.scratch)
        return !wanted.allSatisfy { $0.holds(for: request) }
    }
}

extension CompiledMatcher.URLCondition {
    /// The text that the path begins with, or is; `nil` for a URL with a host.
    fileprivate var start: [UInt8]? {
        switch self {
        case .any: []
        case .exact(let bytes, let projection):
            projection.part == .target ? Array(bytes.prefix { $0 != ASCII.question }) : nil
        case .pattern(let pattern, let projection, _):
            projection.part == .target ? Array(pattern.literals.prefix.prefix { $0 != ASCII.question }) : nil
        }
    }
}
