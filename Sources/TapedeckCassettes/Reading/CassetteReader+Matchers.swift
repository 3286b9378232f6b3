import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

extension CassetteReader {
    /// The place of a request matcher.
    enum MatcherPlace: Equatable {
        /// The `request` of a response set, which must say something about the URL.
        case set
        /// A condition such as `when` or a part of `any`, which must say something.
        case condition(String)
        /// A question for requests that came, which may be for all of them.
        case question

        var name: String {
            switch self {
            case .set, .question: "request"
            case .condition(let name): name
            }
        }

        /// For the start of a sentence.
        var label: String {
            switch self {
            case .set, .question: "request"
            case .condition(let name): "`\(name)`"
            }
        }
    }

    /// The keys of a request matcher that say which URLs are meant.
    struct URLKeys {
        /// `url`, `urlTemplate`, `urlPattern` or `grpc`.
        var url: (key: YAMLNode, value: YAMLNode)?
        /// `host` or `hostPattern`.
        var host: (key: YAMLNode, value: YAMLNode)?
        var query: YAMLNode?
        /// The conditions on the messages of a call, which depend on its method.
        var messages: YAMLNode?
        var body: YAMLNode?
        /// `all`, `any` and `not`, whose conditions may be on messages.
        var conditions: [(key: YAMLNode, value: YAMLNode)] = []
    }

    mutating func readMatcher(_ node: YAMLNode, _ place: MatcherPlace) -> RequestMatcher? {
        guard self.expectMapping(node, place.label) else { return nil }
        let problems = self.diagnostics.count
        var matcher = RequestMatcher()
        var keys = URLKeys()
        for (key, value) in node.pairs {
            if key.scalarEquals("method") {
                matcher.methods = self.readMethods(value)
            } else if key.scalarEquals("url") || key.scalarEquals("urlTemplate") || key.scalarEquals("urlPattern")
                || key.scalarEquals("grpc")
            {
                if keys.url != nil { self.error(key, "request has one of url, urlTemplate, urlPattern and grpc") }
                keys.url = (key, value)
            } else if key.scalarEquals("body") {
                matcher.body = self.readBodyConditions(value)
                keys.body = key
            } else {
                self.readRare(key, value, into: &matcher, &keys, place)
            }
        }
        if place == .set, keys.url == nil, keys.host == nil {
            self.error(node, "request needs one of url, urlTemplate, urlPattern, grpc, host, hostPattern")
            return nil
        }
        self.readURL(keys, into: &matcher)
        if place == .set { self.method = self.method(of: matcher.url) }
        if matcher.isGRPC { matcher.call?.input = self.method?.input }
        if let messages = keys.messages {
            if let body = keys.body { self.error(body, "request has `body` or `messages`, not both") }
            matcher.body = self.readMessageConditions(messages).map { [.messages($0)] } ?? []
        }
        for (key, value) in keys.conditions { self.readConditions(key.string, value, into: &matcher) }
        guard self.diagnostics.count == problems || !self.hasErrors(since: problems) else { return nil }
        if case .condition = place, matcher == RequestMatcher() {
            self.error(node, "`\(place.name)` says nothing, so every request would meet it; name a part of the request")
        }
        return matcher
    }

    private func hasErrors(since count: Int) -> Bool {
        self.diagnostics[count...].contains { $0.severity == .error }
    }

    private mutating func readRare(
        _ key: YAMLNode,
        _ value: YAMLNode,
        into matcher: inout RequestMatcher,
        _ keys: inout URLKeys,
        _ place: MatcherPlace
    ) {
        switch key.string {
        case "host", "hostPattern":
            if keys.host != nil { self.error(key, "request has one of host and hostPattern") }
            keys.host = (key, value)
        case "query": keys.query = value
        case "messages": keys.messages = value
        case "otherQuery": matcher.refusesOtherQuery = self.refuses(value, "otherQuery")
        case "headers":
            matcher.headers = self.readValues(value, "headers")
            for (name, _) in value.pairs { self.checkHeaderName(name) }
        case "cookies": matcher.cookies = self.readValues(value, "cookies")
        case "state": matcher.state = self.state(value, "state")
        case "all", "any", "not": keys.conditions.append((key, value))
        default:
            self.unknown(key, CassetteKeys.request, of: place.label)
        }
    }

    private mutating func readConditions(_ name: String, _ node: YAMLNode, into matcher: inout RequestMatcher) {
        switch name {
        case "all": matcher.all = self.readMatchers(node, name)
        case "any": matcher.any = self.readMatchers(node, name)
        default:
            matcher.not =
                node.kind == .mapping
                ? self.readMatcher(node, .condition(name)).map { [$0] } ?? [] : self.readMatchers(node, name)
        }
    }

    private mutating func readMatchers(_ node: YAMLNode, _ what: String) -> [RequestMatcher] {
        guard !node.isNull, self.expectSequence(node, what) else { return [] }
        return node.items.compactMap { self.readMatcher($0, .condition(what)) }
    }

    /// The value of `otherQuery` or `otherFields`.
    mutating func refuses(_ node: YAMLNode, _ what: String) -> Bool? {
        enum Others: String, CaseIterable {
            case allowed
            case refused
        }
        return self.choice(node, what, Others.allCases).map { $0 == .refused }
    }

    // MARK: Methods

    private mutating func readMethods(_ node: YAMLNode) -> [String] {
        if node.kind == .sequence, node.count == 0 {
            self.error(node, "`method` is an empty list; leave it out for any method")
        }
        let nodes = node.kind == .sequence ? Array(node.items) : [node]
        var methods: [String] = []
        var isAny = false
        for node in nodes {
            guard let method = self.text(node, "method") else { continue }
            guard method != "any", method != RequestKey.anyMethod else {
                isAny = true
                continue
            }
            guard method.utf8.allSatisfy(ASCII.isToken) else {
                self.error(node, "\"\(method)\" is no method; write several as a list, [GET, POST]")
                continue
            }
            if method != method.uppercased() {
                self.warn(node, "methods are case-sensitive (RFC 9110 section 9.1): clients do not send \(method)")
            }
            if !methods.contains(method) { methods.append(method) }
        }
        return isAny ? [] : methods
    }
}
