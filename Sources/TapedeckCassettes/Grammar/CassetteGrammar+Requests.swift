import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// Conditions on a request as a cassette has them.
struct MatcherEntry: Sendable {
    var matcher: RequestMatcher
    /// True for the `request` of a response set.
    var isOfSet = false

    init(_ matcher: RequestMatcher, isOfSet: Bool = false) {
        (self.matcher, self.isOfSet) = (matcher, isOfSet)
    }
}

extension CassetteGrammar {
    private static let urls = ["url", "urlTemplate", "urlPattern", "grpc"]
    private static let hosts = ["host", "hostPattern"]

    static let request = Mapping<MatcherEntry>(
        "request",
        "request",
        rules: [.some(urls + hosts), .atMostOne(urls), .atMostOne(hosts), .atMostOne(["body", "messages"])]
    ) {
        Key("method", .oneOrList(.text)) { reader, entry, owner in
            owner.matcher.methods = reader.readMethods(entry.value)
        } write: { writer, owner in
            let methods = owner.matcher.methods
            // A call has that one.
            guard !methods.isEmpty, !(owner.matcher.isGRPC && methods == ["POST"]) else { return }
            writer.pair("method") { $0.oneOrList(methods) }
        }
        .means("text or list, case-sensitive; default `any` (or `\"*\"`)")
        Self.url("url", .text) {
            $0.readExact($1)
        } write: { url in
            switch url {
            case .exact(let url): { $0.yaml.scalar(url.description) }
            case .exactPath(let target): { $0.yaml.scalar(target) }
            case .any, .template, .pattern: nil
            }
        }
        .means("a URL without user and password; or path and query, for any origin: `/users?page=2`")
        Self.url("urlTemplate", .matching("^(/|[Hh][Tt][Tt][Pp][Ss]?://)")) {
            $0.readTemplate($1)
        } write: { url in
            if case .template(let template) = url { { $0.yaml.scalar(template.source) } } else { nil }
        }
        .means("likewise, with gaps such as `{id}`; `https://host` matches every path there")
        Self.url("urlPattern", .pattern) {
            $0.readURLPattern($1)
        } write: { url in
            if case .pattern(let pattern) = url { { $0.write(pattern) } } else { nil }
        }
        .means("a pattern for the whole URL or, from `/` on, for path and query")
        Key("grpc", .text) { reader, entry, owner in
            reader.readCall(entry.value, into: &owner.matcher)
            if owner.isOfSet { reader.method = reader.method(of: owner.matcher.url) }
        } write: { writer, owner in
            guard owner.matcher.isGRPC else { return }
            switch owner.matcher.url {
            case .exact(let url): writer.pair("grpc") { $0.yaml.scalar(url.description) }
            case .exactPath(let target): writer.pair("grpc") { $0.yaml.scalar(String(target.dropFirst())) }
            case .any, .template, .pattern: break
            }
        }
        .means("a [gRPC](grpc.md) method, `package.Service/Method`, or its URL; instead of `url`")
        Key("host", .oneOrList(.text)) { reader, entry, owner in
            owner.matcher.host = reader.readHosts(entry.value)
        } write: { writer, owner in
            if case .names(let names) = owner.matcher.host { writer.pair("host") { $0.oneOrList(names) } }
        }
        .means(
            "text or list: `api.example.com` (any port), `api.example.com:8443`, `*.example.com`; alone, or with a URL from `/` on"
        )
        Key("hostPattern", .pattern) { reader, entry, owner in
            owner.matcher.host = reader.readPattern(entry.value, "hostPattern", scope: .whole).map(
                HostMatcher.pattern
            )
        } write: { writer, owner in
            if case .pattern(let pattern) = owner.matcher.host { writer.pair("hostPattern") { $0.write(pattern) } }
        }
        .means("instead of `host`: a pattern for the host, or `host:port` if the port is not the default")
        Key("query", .values, write: { writer, owner in writer.write(owner.matcher.query, as: "query") })
            .means("mappings of [values](#values); a header field is one value")
        Key("ignoreQueryNameCase", \.matcher.ignoresQueryNameCase, .bool, usually: false)
            .means("with `query`, `true`: its names match in any case; default `false`")
        Key("otherQuery", \.matcher.refusesOtherQuery, .refusal)
            .means("further parameters: `refused` (default with `url`) or `allowed`")
        Key("headers", .values) { reader, entry, owner in
            owner.matcher.headers = reader.readValues(entry.value, "headers")
            for (name, _) in entry.value.pairs { reader.checkHeaderName(name) }
        } write: { writer, owner in
            writer.write(owner.matcher.headers, as: "headers")
        }
        .means("mappings of [values](#values); a header field is one value")
        Key("cookies", .values) { reader, entry, owner in
            owner.matcher.cookies = reader.readValues(entry.value, "cookies")
        } write: { writer, owner in
            writer.write(owner.matcher.cookies, as: "cookies")
        }
        .means("mappings of [values](#values); a header field is one value")
        Key("body", .mapping("requestBody")) { reader, entry, owner in
            owner.matcher.body = reader.readBodyConditions(entry.value)
        } write: { writer, owner in
            if case .messages? = owner.matcher.body.first { return }
            guard !owner.matcher.body.isEmpty else { return }
            writer.key("body")
            writer.block { $0.write(owner.matcher.body) }
        }
        .means("[below](#body-of-a-request)")
        Key("messages", .list(.mapping("requestMessage")), late: true) { reader, entry, owner in
            owner.matcher.body = reader.readMessageConditions(entry.value).map { [.messages($0)] } ?? []
        } write: { writer, owner in
            if case .messages(let messages)? = owner.matcher.body.first { writer.write(messages) }
        }
        .means("conditions on [gRPC messages](grpc.md#matching), instead of `body`")
        Key("state", \.matcher.state, .state, usually: [])
            .means("as `requires`")
        Self.conditions("all", \.matcher.all)
            .means("list of requests with these keys: all match")
        Self.conditions("any", \.matcher.any)
            .means("list of requests with these keys: at least one matches")
        Self.conditions("not", \.matcher.not)
            .means("a request or list: none matches")
    }

    private static func url(
        _ name: StaticString,
        _ shape: Shape,
        read: @escaping @Sendable (inout CassetteReader, YAMLNode) -> URLMatcher?,
        write: @escaping @Sendable (URLMatcher) -> ((inout CassetteWriter) -> Void)?
    ) -> Key<MatcherEntry> {
        Key(name, shape) { reader, entry, owner in
            owner.matcher.url = read(&reader, entry.value) ?? .any
            if owner.isOfSet { reader.method = reader.method(of: owner.matcher.url) }
        } write: { writer, owner in
            guard !owner.matcher.isGRPC, let value = write(owner.matcher.url) else { return }
            writer.pair(name, value)
        }
    }

    private static func conditions(
        _ name: StaticString,
        _ path: any (WritableKeyPath<MatcherEntry, [RequestMatcher]> & Sendable)
    ) -> Key<MatcherEntry> {
        let place = Place(path)
        let isOne = name.description == "not"
        let list = Shape.list(.mapping("condition"))
        return Key(name, isOne ? .either([.mapping("condition"), list]) : list, late: true) { reader, entry, owner in
            let isAlone = isOne && entry.value.kind == .mapping
            place.set(reader.readMatchers(entry.value, name.description, isAlone: isAlone), in: &owner)
        } write: { writer, owner in
            let matchers = place.value(in: &owner)
            guard !matchers.isEmpty else { return }
            writer.key(name)
            if isOne, matchers.count == 1 {
                writer.block { $0.write(MatcherEntry(matchers[0]), by: Self.request) }
            } else {
                writer.items(matchers) { $0.write(MatcherEntry($1), by: Self.request) }
            }
        }
    }
}

extension Shape {
    /// A pattern that is the whole value of a key.
    static let pattern = Shape.either([.text, .pairs([("pattern", .text), ("ignoreCase?", .bool)])])
    static let values = Shape.map(.mapping("value"))
}

extension Codec where Value == Bool {
    /// The value of `otherQuery` or `otherFields`.
    static var refusal: Self {
        let words = Others.allCases
        return Codec(
            .words(words.map(\.rawValue)),
            read: { reader, node, name in reader.choice(node, name, words).map { $0 == .refused } },
            text: { ($0 ? Others.refused : .allowed).rawValue }
        )
    }
}

/// The value of `otherQuery` and `otherFields`.
private enum Others: String, CaseIterable {
    case allowed
    case refused
}

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

    mutating func readMatcher(_ node: YAMLNode, _ place: MatcherPlace) -> RequestMatcher? {
        let problems = self.diagnostics.count
        var entry = MatcherEntry(RequestMatcher(), isOfSet: place == .set)
        if place == .set { self.method = nil }
        guard self.read(node, by: CassetteGrammar.request, into: &entry, what: place.label) else { return nil }
        var matcher = entry.matcher
        let (urls, hosts) = self.checkTogether(node)
        if place == .set, urls == nil, hosts == nil {
            self.error(node, "request needs one of url, urlTemplate, urlPattern, grpc, host, hostPattern")
            return nil
        }
        if case .template(let template) = matcher.url, template.hasQuery, matcher.refusesOtherQuery == false, let urls {
            self.error(
                urls,
                "the query of a template is complete, so it cannot have `otherQuery: allowed`; write "
                    + "its parameters as `query`"
            )
        }
        if let hosts, matcher.url != .any, !matcher.url.isPathOnly {
            self.error(hosts, "`\(hosts.string)` goes with a URL that begins with `/`")
        }
        self.readQuery(node["query"], into: &matcher)
        if matcher.isGRPC { matcher.call?.input = self.method?.input }
        guard self.diagnostics.count == problems || !self.hasErrors(since: problems) else { return nil }
        if case .condition = place, matcher == RequestMatcher() {
            self.error(node, "`\(place.name)` says nothing, so every request would meet it; name a part of the request")
        }
        return matcher
    }

    /// Reports keys that do not go together, and returns the last ones for the URL and for the host.
    private mutating func checkTogether(_ node: YAMLNode) -> (url: YAMLNode?, host: YAMLNode?) {
        var url: YAMLNode?
        var host: YAMLNode?
        for (key, _) in node.pairs {
            if key.scalarEquals("url") || key.scalarEquals("urlTemplate") || key.scalarEquals("urlPattern")
                || key.scalarEquals("grpc")
            {
                if url != nil { self.error(key, "request has one of url, urlTemplate, urlPattern and grpc") }
                url = key
            } else if key.scalarEquals("host") || key.scalarEquals("hostPattern") {
                if host != nil { self.error(key, "request has one of host and hostPattern") }
                host = key
            } else if key.scalarEquals("body"), node["messages"] != nil {
                self.error(key, "request has `body` or `messages`, not both")
            }
        }
        return (url, host)
    }

    private func hasErrors(since count: Int) -> Bool {
        self.diagnostics[count...].contains { $0.severity == .error }
    }

    fileprivate mutating func readMatchers(_ node: YAMLNode, _ what: String, isAlone: Bool) -> [RequestMatcher] {
        if isAlone { return self.readMatcher(node, .condition(what)).map { [$0] } ?? [] }
        guard !node.isNull, self.expectSequence(node, what) else { return [] }
        return node.items.compactMap { self.readMatcher($0, .condition(what)) }
    }

    // MARK: Methods

    fileprivate mutating func readMethods(_ node: YAMLNode) -> [String] {
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

    // MARK: Method

    /// Reads `grpc`: a method, or its whole URL.
    fileprivate mutating func readCall(_ node: YAMLNode, into matcher: inout RequestMatcher) {
        guard let text = self.text(node, "grpc") else { return }
        matcher.call = CallMatcher()
        if matcher.methods.isEmpty { matcher.methods = ["POST"] }
        if let url = AbsoluteURL(text), Self.isMethod(url.path.dropFirst()), url.query == nil {
            matcher.url = .exact(url.percentEncoded)
        } else if Self.isMethod(text[...]), !text.contains(":") {
            matcher.url = .exactPath("/\(text)")
        } else {
            self.error(
                node,
                "`grpc` is a method, such as helloworld.Greeter/SayHello, or its URL, such as "
                    + "https://api.example.com/helloworld.Greeter/SayHello"
            )
        }
    }

    /// Returns true for `package.Service/Method`, with or without segments in front.
    private static func isMethod(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { !$0.isEmpty }
            && !text.utf8.contains { $0 <= ASCII.space || $0 == ASCII.question || $0 == UInt8(ascii: "#") }
    }

    /// The descriptor of the method that a URL names.
    fileprivate func method(of url: URLMatcher) -> MethodDescriptor? {
        guard let descriptors = self.descriptors else { return nil }
        return switch url {
        case .exact(let url): descriptors.method(atPath: url.path)
        case .exactPath(let target): descriptors.method(atPath: target)
        case .any, .template, .pattern: nil
        }
    }
}
