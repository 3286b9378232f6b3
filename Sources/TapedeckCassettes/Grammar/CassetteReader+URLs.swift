import TapedeckCore
import TapedeckYAML

/// URLs, hosts, queries and patterns of requests.
extension CassetteReader {
    mutating func readURLPattern(_ node: YAMLNode) -> URLMatcher? {
        guard let written = self.readPattern(node, "urlPattern", scope: .whole) else { return nil }
        let pattern = Self.inOrderOfRequests(written)
        let matcher = URLMatcher.pattern(pattern)
        if !matcher.isPathOnly, Self.canMatchNoURL(pattern) {
            self.warn(
                node,
                "this pattern can match nothing: it is compared with the whole URL, such as "
                    + "https://api.example.com/users, or, if it begins with /, with path and query"
            )
        }
        self.checkCharacters(of: written, node.kind == .mapping ? node["pattern"] ?? node : node)
        return matcher
    }

    /// A pattern whose query parameters are written in another order than requests are compared in, in that order.
    private static func inOrderOfRequests(_ pattern: Pattern) -> Pattern {
        guard case .unsorted(let source) = PatternText.query(pattern.source) else { return pattern }
        return (try? Pattern(source, scope: .whole, ignoresCase: pattern.ignoresCase)) ?? pattern
    }

    /// A character that is in no URL is most likely meant as what it is encoded to.
    private mutating func checkCharacters(of pattern: Pattern, _ node: YAMLNode) {
        guard let (character, offset) = PatternText.firstOutsideURLs(pattern.source) else { return }
        let what = character == " " ? "spaces" : "\"\(character)\""
        self.warn(
            node,
            atTextByte: offset,
            "URLs have no \(what); write \(URLEncoding.encoded(String(character)))"
        )
    }

    mutating func readExact(_ node: YAMLNode) -> URLMatcher? {
        guard let text = self.urlText(node, "url") else { return nil }
        if let url = AbsoluteURL(text) { return .exact(url.percentEncoded) }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            self.error(
                node,
                "`url` is a whole URL, such as https://api.example.com/users, or path and query of any host, such as "
                    + "/users"
            )
            return nil
        }
        // The fragment is never sent (RFC 9110 section 7.1).
        return .exactPath(URLEncoding.encoded(String(text.prefix { $0 != "#" })))
    }

    /// A text that may be a URL.
    private mutating func urlText(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = self.text(node, what) else { return nil }
        if let offset = URLEncoding.controlCharacter(in: text) {
            self.error(
                node,
                atTextByte: offset,
                "`\(what)` holds a line break or another control character, which no URL has"
            )
            return nil
        }
        return text
    }

    mutating func readTemplate(_ node: YAMLNode) -> URLMatcher? {
        guard let text = self.urlText(node, "urlTemplate") else { return nil }
        let start = ASCII.lowercased(text)
        guard start.hasPrefix("/") || start.hasPrefix("https://") || start.hasPrefix("http://") else {
            self.error(node, "`urlTemplate` begins with https://, http:// or /")
            return nil
        }
        guard !URLEncoding.authority(of: text).utf8.contains(where: URLEncoding.needsEncoding) else {
            self.error(node, "the host of a URL is written in ASCII: in the form that begins with xn--")
            return nil
        }
        do throws(PatternError) {
            // The written text comes first, so that an error has the right place.
            let template = try URLTemplate(text)
            let encoded = URLEncoding.encoded(text)
            return .template(encoded == text ? template : try URLTemplate(encoded))
        } catch {
            self.error(node, atCharacter: error.offset, "`urlTemplate` is no template: \(error.message)")
            return nil
        }
    }

    /// A regular expression, or `pattern` and `ignoreCase`.
    mutating func readPattern(_ node: YAMLNode, _ what: String, scope: Pattern.Scope) -> Pattern? {
        guard node.kind == .mapping else {
            return self.pattern(node, what, scope: scope, ignoresCase: false)
        }
        self.checkKeys(node, ["pattern", "ignoreCase"], of: "`\(what)`")
        guard let source = node["pattern"] else {
            self.error(node, "`\(what)` needs `pattern`")
            return nil
        }
        let ignoresCase = node["ignoreCase"].flatMap { self.bool($0, "ignoreCase") } ?? false
        return self.pattern(source, "pattern", scope: scope, ignoresCase: ignoresCase)
    }

    mutating func pattern(_ node: YAMLNode, _ what: String, scope: Pattern.Scope, ignoresCase: Bool) -> Pattern? {
        guard let text = self.text(node, what) else { return nil }
        do throws(PatternError) {
            return try Pattern(text, scope: scope, ignoresCase: ignoresCase)
        } catch {
            self.error(node, atCharacter: error.offset, "`\(what)` is no regular expression: \(error.message)")
            return nil
        }
    }

    /// Returns true if the beginning of every match is not the beginning of a URL.
    private static func canMatchNoURL(_ pattern: Pattern) -> Bool {
        let prefix = pattern.literals.prefix
        return !["http://", "https://"].contains { scheme in
            zip(prefix, scheme.utf8).allSatisfy { $0 == $1 }
        }
    }

    // MARK: Hosts

    mutating func readHosts(_ node: YAMLNode) -> HostMatcher? {
        if node.kind == .sequence, node.count == 0 { self.error(node, "`host` is an empty list") }
        let nodes = node.kind == .sequence ? Array(node.items) : [node]
        var names: [String] = []
        for node in nodes {
            guard let text = self.text(node, "host") else { continue }
            let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            guard Origin.split(authority: name) != nil else {
                self.error(
                    node,
                    "`host` is the name of a host, such as api.example.com, api.example.com:8443 or *.example.com"
                )
                continue
            }
            names.append(ASCII.lowercased(text))
        }
        return .names(names)
    }

    // MARK: Query

    /// Moves plain values into an exact URL, so that it is found quickly. If other parameters are allowed, all become
    /// separate conditions.
    mutating func readQuery(_ node: YAMLNode?, into matcher: inout RequestMatcher) {
        let target: String
        switch matcher.url {
        case .exact(let url): target = url.target
        case .exactPath(let path): target = path
        case .any, .template, .pattern:
            if let node { matcher.query = self.readValues(node, "query") }
            return
        }
        if matcher.refusesOtherQuery == false {
            let (path, parameters) = Self.parameters(of: target)
            self.set(target: path, of: &matcher)
            matcher.query = parameters
            if let node { self.addFields(node, to: &matcher) }
        } else if let node {
            var target = target
            for field in self.readValues(node, "query") {
                guard let texts = field.value.plainTexts else {
                    matcher.query.append(field)
                    continue
                }
                for text in texts {
                    target += target.contains("?") ? "&" : "?"
                    target += "\(QueryText.encoded(field.name))=\(QueryText.encoded(text))"
                }
            }
            self.set(target: target, of: &matcher)
        }
    }

    private func set(target: String, of matcher: inout RequestMatcher) {
        if case .exact(let url) = matcher.url {
            matcher.url = .exact(AbsoluteURL(origin: url.origin, target: target))
        } else {
            matcher.url = .exactPath(target)
        }
    }

    /// Returns the query parameters of a URL, each name once, and the path before them.
    private static func parameters(of target: String) -> (path: String, fields: [RequestMatcher.Field]) {
        guard let question = target.firstIndex(of: "?") else { return (target, []) }
        var names: [String] = []
        var values: [String: [String]] = [:]
        for parameter in target[target.index(after: question)...].split(separator: "&") {
            let name = parameter.prefix { $0 != "=" }
            let text = QueryText.decoded(name.utf8)
            if values[text] == nil { names.append(text) }
            values[text, default: []].append(QueryText.decoded(parameter.dropFirst(name.count + 1).utf8))
        }
        let fields = names.map { RequestMatcher.Field($0, .values(values[$0] ?? [])) }
        return (String(target[..<question]), fields)
    }

    private mutating func addFields(_ node: YAMLNode, to matcher: inout RequestMatcher) {
        for field in self.readValues(node, "query") {
            guard let place = matcher.query.firstIndex(where: { $0.name == field.name }) else {
                matcher.query.append(field)
                continue
            }
            if let own = matcher.query[place].value.plainTexts, let texts = field.value.plainTexts {
                matcher.query[place].value = .values(own + texts)
            } else {
                self.error(node, "both `url` and `query` have \(field.name); write it in `query` alone")
            }
        }
    }
}
