import TapedeckCore
import TapedeckJSON

extension WireMockWriter {
    private typealias Members = [(String, JSONValue)]

    /// The conditions of a set; `nil` for one that WireMock cannot ask for, which is left out then.
    mutating func request(_ set: ResponseSet) -> JSONValue? {
        let matcher = set.request
        guard matcher.all.isEmpty, matcher.any.isEmpty, matcher.not.isEmpty, matcher.state.isEmpty else {
            self.leaveOut(set, "it is left out: its conditions `all`, `any`, `not` and `state` have no form there")
            return nil
        }
        var members: Members = []
        switch matcher.methods.count {
        case 0: members.append(("method", .string("ANY")))
        case 1: members.append(("method", .string(matcher.methods[0])))
        default: members.append(("method", .members([("oneOf", .array(matcher.methods.map { .string($0) }))])))
        }
        guard let url = self.url(set) else { return nil }
        members += url
        if let host = matcher.host { members += Self.host(host) }
        do throws(NoForm) {
            members += try self.fields("queryParameters", matcher.query)
            members += try self.fields("headers", matcher.headers)
            // WireMock asks a cookie that is missing for `absent` alone.
            let cookies = matcher.cookies.filter { $0.value != .absent }
            guard !cookies.contains(where: { $0.value.matches([], scratch: PatternScratch()) }) else {
                throw NoForm(what: "that a missing cookie meets")
            }
            members += try self.fields("cookies", matcher.cookies)
            members += try self.bodies(matcher.body)
        } catch {
            self.leaveOut(set, "it is left out: its condition \(error.what) has no form there")
            return nil
        }
        return .members(members)
    }

    /// A condition that WireMock does not have.
    private struct NoForm: Error {
        let what: String
    }

    // MARK: URLs

    private mutating func url(_ set: ResponseSet) -> Members? {
        let matcher = set.request
        switch matcher.url {
        case .any: return []
        case .exact(let url):
            let members = self.path(url.target, set)
            guard self.hasHosts else { return members }
            return [("host", .members([("equalTo", .string(url.origin.host))]))] + members
        case .exactPath(let path): return self.path(path, set)
        case .template(let template):
            guard matcher.url.isPathOnly else {
                self.leaveOut(set, "it is left out: its template is for a whole URL, and WireMock's for a path")
                return nil
            }
            if matcher.refusesOtherQuery == true { self.remarkOnQuery(set) }
            let isPlain = !template.hasQuery && !template.source.contains("{+") && !template.source.contains("*")
            if isPlain { return [("urlPathTemplate", .string(self.text(template.source)))] }
            return [(template.hasQuery ? "urlPattern" : "urlPathPattern", .string(template.pattern.source))]
        case .pattern(let pattern):
            guard let (origin, source) = Self.split(pattern.source, isPathOnly: matcher.url.isPathOnly) else {
                self.leaveOut(set, "it is left out: its pattern is for a whole URL, and WireMock's for a path")
                return nil
            }
            let anyQuery = "(?:\\?.*)?"
            let isPath = source.hasSuffix(anyQuery)
            var path = isPath ? String(source.dropLast(anyQuery.count)) : source
            if path.hasPrefix("/{0}(?:"), path.hasSuffix(")") { path = String(path.dropFirst(7).dropLast()) }
            if pattern.ignoresCase { path = "(?i)\(path)" }
            return origin + [(isPath ? "urlPathPattern" : "urlPattern", .string(path))]
        }
    }

    /// A path with its query, or, beside conditions on parameters, the path alone.
    private mutating func path(_ target: String, _ set: ResponseSet) -> Members {
        let allowsOthers = set.request.refusesOtherQuery == false
        guard allowsOthers || !set.request.query.isEmpty, !target.contains("?") else {
            return [("url", .string(self.text(target)))]
        }
        if !allowsOthers { self.remarkOnQuery(set) }
        return [("urlPath", .string(self.text(target)))]
    }

    private mutating func remarkOnQuery(_ set: ResponseSet) {
        self.leaveOut(set, "that it refuses other parameters of the query is left out")
    }

    /// A pattern over path and query; of one over a whole URL with its origin spelt out, that origin, and the rest.
    private static func split(_ source: String, isPathOnly: Bool) -> (origin: Members, source: String)? {
        let source = source.hasPrefix("^") ? String(source.dropFirst()) : source
        guard !isPathOnly else { return ([], source) }
        let plain = source.replacing("\\:", with: ":").replacing("\\.", with: ".").replacing("\\-", with: "-")
        guard let start = plain.firstRange(of: "://")?.upperBound, let slash = plain[start...].firstIndex(of: "/"),
            let origin = AbsoluteURL(String(plain[..<slash]))?.origin,
            let rest = source.firstRange(of: "://") ?? source.firstRange(of: "\\://"),
            let path = source[rest.upperBound...].firstIndex(of: "/")
        else { return nil }
        return (
            [("scheme", .string(origin.scheme.rawValue))] + self.host(.names([origin.authority])),
            String(source[path...])
        )
    }

    private static func host(_ host: HostMatcher) -> Members {
        switch host {
        case .names(let names):
            if names.count == 1, !names[0].contains("*"), let (name, port) = Origin.split(authority: names[0]) {
                return [("host", .members([("equalTo", .string(name))]))] + (port.map { [("port", .whole($0))] } ?? [])
            }
            let patterns = names.map { name in
                let host = Origin.split(authority: name)?.host ?? name
                return host.hasPrefix("*.") ? ".+\\." + StubParts.escaped(host.dropFirst(2)) : StubParts.escaped(host)
            }
            return [("host", .members([("matches", .string(patterns.joined(separator: "|")))]))]
        case .pattern(let pattern):
            return [("host", .members([("matches", .string(pattern.source))]))]
        }
    }

    // MARK: Values

    private func fields(_ key: String, _ fields: [RequestMatcher.Field]) throws(NoForm) -> Members {
        guard !fields.isEmpty else { return [] }
        var values: [(name: String, values: [ValueMatcher])] = []
        for field in fields {
            if let index = values.firstIndex(where: { $0.name == field.name }) {
                values[index].values.append(field.value)
            } else {
                values.append((field.name, [field.value]))
            }
        }
        var members: Members = []
        for (name, matchers) in values {
            let value = try self.value(matchers.count == 1 ? matchers[0] : .all(matchers))
            members.append((self.text(name), .members(value)))
        }
        return [(key, .members(members))]
    }

    private func value(_ matcher: ValueMatcher) throws(NoForm) -> Members {
        switch matcher {
        case .equals(let text): return [("equalTo", .string(self.text(text)))]
        case .values(let texts), .valuesInAnyOrder(let texts):
            return [("hasExactly", try self.list(texts.map { .equals($0) }))]
        case .oneOf(let texts): return [("or", try self.list(texts.map { .equals($0) }))]
        case .contains(let text): return [("contains", .string(self.text(text)))]
        case .prefix(let text): return [("matches", .string("(?s)\(StubParts.escaped(text)).*"))]
        case .suffix(let text): return [("matches", .string("(?s).*\(StubParts.escaped(text))"))]
        case .pattern(let pattern):
            guard let text = Self.caselessText(pattern) else { return [("matches", .string(Self.whole(pattern)))] }
            return [("equalTo", .string(self.text(text))), ("caseInsensitive", .bool(true))]
        case .greaterThan(let number): return [("greaterThanNumber", .number(number))]
        case .lessThan(let number): return [("lessThanNumber", .number(number))]
        case .present: return [("matches", .string("(?s).*"))]
        case .absent: return [("absent", .bool(true))]
        case .not(.contains(let text)): return [("doesNotContain", .string(self.text(text)))]
        case .not(.pattern(let pattern)) where Self.caselessText(pattern) == nil:
            return [("doesNotMatch", .string(Self.whole(pattern)))]
        case .not(let inner): return [("not", .members(try self.value(inner)))]
        case .all(let matchers): return [("and", try self.list(matchers))]
        }
    }

    private func list(_ matchers: [ValueMatcher]) throws(NoForm) -> JSONValue {
        var items: [JSONValue] = []
        for matcher in matchers { items.append(.members(try self.value(matcher))) }
        return .array(items)
    }

    /// Returns a pattern as one that a whole value must match, as WireMock's do.
    private static func whole(_ pattern: Pattern) -> String {
        let flags = pattern.ignoresCase ? "(?i)" : ""
        if let inner = StubParts.insideOfWhole(pattern.source, lines: true) {
            // In WireMock `.` matches line ends, too.
            let isSame = pattern.source.hasPrefix("\\A(?s:") || !PathPattern.matchesAny(inner)
            return flags + (isSame ? inner : "(?-s:\(inner))")
        }
        let group = PathPattern.matchesAny(pattern.source) ? "(?-s:" : "(?:"
        return flags + (pattern.scope == .whole ? pattern.source : "(?s:.*)\(group)\(pattern.source))(?s:.*)")
    }

    /// Returns the text that a pattern stands for, whatever its case is; `nil` for any other pattern.
    private static func caselessText(_ pattern: Pattern) -> String? {
        guard pattern.ignoresCase, let inner = StubParts.insideOfWhole(pattern.source) else { return nil }
        let text = inner.replacing("\\\\", with: "\u{0}").replacing("\\", with: "").replacing("\u{0}", with: "\\")
        return StubParts.escaped(text) == inner ? text : nil
    }

    // MARK: Bodies

    private func bodies(_ matchers: [BodyMatcher]) throws(NoForm) -> Members {
        var patterns: [JSONValue] = []
        var parts: [JSONValue] = []
        var form: [RequestMatcher.Field] = []
        for matcher in matchers {
            switch matcher {
            case .form(let fields, refusesOthers: false): form += fields
            case .multipart(let all): for part in all { parts.append(try self.part(part)) }
            default: patterns.append(.members(try self.body(matcher)))
            }
        }
        var members = try self.fields("formParameters", form)
        if !patterns.isEmpty { members.append(("bodyPatterns", .array(patterns))) }
        if !parts.isEmpty { members.append(("multipartPatterns", .array(parts))) }
        return members
    }

    private func body(_ matcher: BodyMatcher) throws(NoForm) -> Members {
        switch matcher {
        case .json(let body, let comparison) where comparison.ignoredPaths.isEmpty:
            let order: Members = comparison.ignoresArrayOrder ? [("ignoreArrayOrder", .bool(true))] : []
            return self.equal("equalToJson", body) + order
        case .jsonSubset(let body):
            let flags: Members = [("ignoreArrayOrder", .bool(true)), ("ignoreExtraElements", .bool(true))]
            return self.equal("equalToJson", body) + flags
        case .bytes(let body): return self.equal("equalTo", body)
        case .text(let value): return try self.value(value)
        case .jsonPath(let path, .value(.present)): return [("matchesJsonPath", .string(self.text(path.description)))]
        case .jsonPath(let path, .value(.not(.pattern(let pattern)))) where pattern.source == StubJSON.notNull:
            return [("matchesJsonPath", .members(self.expression(path) + [("absent", .bool(true))]))]
        case .jsonPath(let path, .all(let tests)):
            guard tests.count == 2, case .value(.equals(let text)) = tests[0], case .type(let type) = tests[1] else {
                throw NoForm(what: "on the type or the number of what a JSONPath selects")
            }
            let json = type == .string ? JSONValue.string(self.text(text)).compactText : Array(self.text(text).utf8)
            let equal: Members = [("equalToJson", .string(String(decoding: json, as: UTF8.self)))]
            return [("matchesJsonPath", .members(self.expression(path) + equal))]
        case .jsonPath(let path, .value(let value)):
            return [("matchesJsonPath", .members(self.expression(path) + (try self.value(value))))]
        case .xml(let body, let ignored) where ignored.isEmpty: return self.equal("equalToXml", body)
        case .xml: throw NoForm(what: "on XML without some of its parts")
        case .json: throw NoForm(what: "on JSON without some of its values")
        case .jsonPath: throw NoForm(what: "on the type or the number of what a JSONPath selects")
        case .sha256: throw NoForm(what: "on the digest of the body")
        case .graphQL: throw NoForm(what: "on GraphQL")
        case .form: throw NoForm(what: "that a form has no other fields")
        case .multipart: throw NoForm(what: "on parts of the body")
        case .messages, .proto: throw NoForm(what: "on messages of gRPC")
        }
    }

    private func expression(_ path: JSONPath) -> Members {
        [("expression", .string(self.text(path.description)))]
    }

    private func equal(_ name: String, _ body: InlineBody) -> Members {
        let bytes = PlaceholderEscape.unescaped(body.decoded)
        if let text = String(validating: bytes, as: UTF8.self) { return [(name, .string(self.text(text)))] }
        return [("binaryEqualTo", .string(String(decoding: Base64.encode(bytes), as: UTF8.self)))]
    }

    private func part(_ part: BodyMatcher.Part) throws(NoForm) -> JSONValue {
        var members: Members = [("name", .string(part.name)), ("matchingType", .string("ANY"))]
        switch part.filename {
        case nil: break
        case .equals(let name)?: members.append(("fileName", .string(name)))
        default: throw NoForm(what: "on the name of a file in the body")
        }
        if let type = part.contentType {
            members.append(("headers", .members([("Content-Type", .members(try self.value(type)))])))
        }
        if part.content != .present {
            members.append(("bodyPatterns", .array([.members(try self.value(part.content))])))
        }
        return .members(members)
    }
}
