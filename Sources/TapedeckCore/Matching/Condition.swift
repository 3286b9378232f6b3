import TapedeckProtobuf

/// A condition on a request, with everything possible computed beforehand.
enum Condition: Sendable {
    case query(RequestMatcher.Field)
    /// No query parameters but these, percent-encoding undone.
    case onlyQuery(Set<String>)
    case header(RequestMatcher.Field)
    case cookie(RequestMatcher.Field)
    case host(HostMatcher)
    case state(StateEntry)
    /// A body equal to the matcher's.
    case body(BodyMatcher.Identity, BodyMatcher)
    /// A body in its canonical spelling, but for some places.
    case canonical([UInt8], ignoring: IgnoredFields)
    case json(JSONExpectation)
    case xml(XMLExpectation)
    case jsonPath(JSONPath, JSONTest)
    case text(ValueMatcher)
    case form([RequestMatcher.Field], refusesOthers: Bool)
    case multipart([BodyMatcher.Part])
    case graphQL(operation: ValueMatcher?, variables: JSONExpectation?)
    /// A call of gRPC, gRPC-Web or Connect, by its content type.
    case call
    /// The messages of a call.
    case messages(MessagesCondition)
    case proto(ProtobufCondition)
    /// JSON or XML that does not parse, which nothing is.
    case never

    init(_ matcher: BodyMatcher) {
        switch matcher {
        case .bytes(let body): self = .body(.bytes(body.decoded), matcher)
        case .sha256(let digest): self = .body(.sha256(digest), matcher)
        case .json(let body, let comparison):
            guard let value = JSONValue.inBody(body) else {
                self = .never
                return
            }
            let expected = JSONExpectation(value, comparison: comparison)
            // A body compared as a whole can be found by its hash.
            self =
                expected.hasPlaceholders
                ? .json(expected) : .body(.json(value, comparison), matcher)
        case .jsonSubset(let body):
            self = JSONValue.inBody(body).map { .json(JSONExpectation($0, isSubset: true)) } ?? .never
        case .xml(let body, let ignored):
            guard let expected = XMLExpectation(body.content, ignoring: ignored) else {
                self = .never
                return
            }
            let isWhole = ignored.isEmpty && !expected.hasPlaceholders
            self = isWhole ? expected.root.map { .body(.xml($0), matcher) } ?? .never : .xml(expected)
        case .jsonPath(let path, let test): self = .jsonPath(path, test)
        case .text(let matcher): self = .text(matcher)
        case .form(let fields, let refusesOthers): self = .form(fields, refusesOthers: refusesOthers)
        case .multipart(let parts): self = .multipart(parts)
        case .graphQL(let operation, let variables):
            let expected = variables.flatMap(JSONValue.inBody).map { JSONExpectation($0, isSubset: true) }
            self = .graphQL(operation: operation, variables: expected)
        case .messages(let matcher):
            self = .messages(MessagesCondition(matcher))
        case .proto(let condition): self = .proto(condition)
        }
    }

    /// True if it needs the body.
    var isAboutBody: Bool {
        switch self {
        case .body, .canonical, .json, .xml, .jsonPath, .text, .form, .multipart, .graphQL, .messages, .proto: true
        case .query, .onlyQuery, .header, .cookie, .host, .state, .call, .never: false
        }
    }

    /// True if a digest of the body is not enough.
    private var needsBodyBytes: Bool {
        if case .body(let identity, _) = self { return identity.kind != .sha256 }
        return self.isAboutBody
    }

    /// True if it needs header fields; a multipart body has its boundary there, a call its framing.
    var asksForFields: Bool {
        switch self {
        case .header, .cookie, .multipart, .call, .messages, .canonical: true
        // The media type says how a body may be spelt.
        case .body(let identity, _): identity.kind == .bytes && CanonicalBody.mayBe(identity.content)
        default: false
        }
    }

    func holds(for request: RequestFacts) -> Bool {
        let scratch = request.scratch
        if self.needsBodyBytes || request.hasPartOfBody && self.isAboutBody, !request.knowsBody(for: self) {
            request.noteUnknownBody()
            return false
        }
        switch self {
        case .query(let field):
            let values = request.queryValues(field.name, ignoringCase: field.ignoresNameCase)
            return field.value.matches(values, scratch: scratch)
        case .onlyQuery(let names): return request.query.allSatisfy { names.contains($0.name) }
        case .header(let field):
            let values = request.headerValues(field.name)
            return field.value.matches(values, scratch: scratch)
                || FieldSpelling.isSame(field.value, values, of: field.name)
        case .cookie(let field): return field.value.matches(request.cookieValues(field.name), scratch: scratch)
        case .host(let host): return host.matches(request)
        case .state(let entry): return request.state[entry.key] == entry.value
        case .body(let identity, _): return identity.isMet(by: request)
        case .canonical(let content, let ignored): return request.canonicalBody(ignoring: ignored) == content
        case .json(let expected):
            return (expected.isSubset ? request.json : request.wholeJSON).map(expected.matches) ?? false
        case .xml(let expected): return request.xml.map(expected.matches) ?? false
        case .jsonPath(let path, let test):
            return test.matches(request.json.map(path.values) ?? [], scratch: scratch)
        case .text(let matcher): return request.text.map { matcher.matches([$0], scratch: scratch) } ?? false
        case .form(let fields, let refusesOthers):
            guard let body = request.body, body.bytes != nil else { return false }
            let form = request.form
            return fields.allSatisfy { field in
                field.value.matches(form.compactMap { $0.name == field.name ? $0.value : nil }, scratch: scratch)
            } && (!refusesOthers || form.allSatisfy { part in fields.contains { $0.name == part.name } })
        case .multipart(let parts):
            guard let body = request.multipart else { return false }
            return parts.allSatisfy { $0.matches(body, scratch: scratch) }
        case .graphQL(let operation, let variables):
            return request.graphQL.contains { graphQL in
                (operation?.matches(graphQL.operationName.map { [$0] } ?? [], scratch: scratch) ?? true)
                    && (variables?.matches(graphQL.variables ?? .object([])) ?? true)
            }
        case .call: return request.framing != nil
        case .messages(let condition): return condition.holds(for: request)
        case .proto(let condition): return request.bodyBytes.map(condition.matches) ?? false
        case .never: return false
        }
    }

    var isAboutMessages: Bool {
        if case .messages = self { true } else { false }
    }
}

extension JSONValue {
    /// The JSON that a condition on a body is about; `nil` when it does not parse.
    static func inBody(_ body: InlineBody) -> JSONValue? {
        try? JSONValue(parsing: body.content)
    }
}

extension BodyMatcher.Identity {
    func isMet(by request: RequestFacts) -> Bool {
        switch self.kind {
        case .bytes: request.bodyBytes == self.content || request.canonicalBody == self.content
        // A digest does not say whether it is of a body with placeholders.
        case .sha256:
            [request.body, request.redacted?.body].contains {
                $0.map { Array($0.sha256.utf8) == self.content } ?? false
            }
        case .json: request.identity(self.comparison) == self
        case .xml: request.xml.map { BodyMatcher.Identity.xml($0) == self } ?? false
        // These are conditions of their own.
        case .proto, .messages: false
        }
    }
}

extension HostMatcher {
    func matches(_ request: RequestFacts) -> Bool {
        switch self {
        case .names(let names):
            return names.contains { name in
                let isWildcard = name.hasPrefix("*.")
                // A name without a port is any port's.
                guard let wanted = Origin.split(authority: isWildcard ? String(name.dropFirst(2)) : name),
                    wanted.port == nil || wanted.port == request.hostAndPort.port
                else { return false }
                return isWildcard ? request.host.hasSuffix(".\(wanted.host)") : request.host == wanted.host
            }
        case .pattern(let pattern):
            return Array(request.authority.utf8).withUnsafeBytes { bytes in
                pattern.match(bytes, scratch: request.scratch) == .matched
            }
        }
    }

    var summary: String {
        switch self {
        case .names(let names): names.joined(separator: " or ")
        case .pattern(let pattern): "a host that matches \(pattern.source)"
        }
    }
}

extension BodyMatcher.Part {
    func matches(_ body: MultipartBody, scratch: PatternScratch) -> Bool {
        let parts = body.parts.filter { $0.name == self.name }
        // The type of a part says how a wanted content may be spelt.
        let wanted = self.content.wholeTexts
        let contents = parts.map { part in
            let text = ByteText.string(from: part.content)
            return wanted.contains(text) ? text : wanted.first { CanonicalBody.isContent($0, of: part) } ?? text
        }
        return self.content.matches(contents, scratch: scratch)
            && (self.filename?.matches(parts.compactMap(\.filename), scratch: scratch) ?? true)
            && (self.contentType?.matches(parts.compactMap(\.contentType), scratch: scratch) ?? true)
    }
}

extension JSONTest {
    func matches(_ values: [JSONValue], scratch: PatternScratch) -> Bool {
        switch self {
        case .value(.equals(let text)): values.contains { $0.isSpelt(text) }
        case .value(.oneOf(let texts)): values.contains { value in texts.contains { value.isSpelt($0) } }
        case .value(let matcher): matcher.matches(values.map(\.plainText), scratch: scratch)
        case .count(let count): values.count == count
        case .type(let type): !values.isEmpty && values.allSatisfy { $0.type == type }
        case .all(let tests): tests.allSatisfy { $0.matches(values, scratch: scratch) }
        }
    }

    var summary: String {
        switch self {
        case .value(let matcher): matcher.summary
        case .count(let count): "\(count) of them"
        case .type(let type): "a JSON \(type.rawValue)"
        case .all(let tests): tests.map(\.summary).joined(separator: " and ")
        }
    }
}

extension JSONValue {
    var type: JSONType {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The text of a string, the JSON of anything else.
    package var plainText: String {
        if case .string(let text) = self { return text }
        return ByteText.string(from: self.compactText)
    }

    /// Returns true if the value equals `text`; numbers, objects and lists are compared by value.
    fileprivate func isSpelt(_ text: String) -> Bool {
        switch self {
        case .number(let number): if let other = JSONNumber(text) { return number == other }
        case .object, .array:
            if let other = try? JSONValue(parsing: ByteText.bytes(of: text)) {
                return JSONComparison().canonical(self) == JSONComparison().canonical(other)
            }
        case .null, .bool, .string: break
        }
        return self.plainText == text
    }
}
