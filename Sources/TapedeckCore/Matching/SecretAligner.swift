/// Puts a set's placeholders into a request, at the places where the set has them: the text there is the secrets, if
/// the set then matches. The matcher decides that, so this need not be exact.
struct SecretAligner {
    private let request: RequestFacts
    /// The text at the places of placeholders.
    private(set) var values: [SecretTemplate.Value] = []
    private var path: [UInt8]
    private var parameters: [[UInt8]]
    private var fields: [HeaderField]
    private var body: [UInt8]?

    init(_ request: RequestFacts) {
        self.request = request
        self.path = Array(request.path)
        self.parameters = Self.parameters(request.url)
        self.fields = request.fields
        self.body = request.bodyBytes
    }

    /// The request with placeholders.
    var matchRequest: MatchRequest {
        var matchRequest = self.request.matchRequest
        matchRequest.redacted = nil
        var url = Array(self.request.origin) + self.path
        for (number, parameter) in self.parameters.enumerated() {
            url.append(number == 0 ? ASCII.question : ASCII.ampersand)
            url += parameter
        }
        matchRequest.key =
            AbsoluteURL(ByteText.string(from: url))
            .map { RequestKey(method: self.request.method, url: $0) } ?? matchRequest.key
        matchRequest.fields = self.fields
        matchRequest.body?.bytes = self.body
        return matchRequest
    }

    /// Returns `false` where the request cannot be made to match.
    mutating func align(_ matcher: CompiledMatcher) -> Bool {
        if matcher.urlAsksForSecrets {
            guard case .exact(let bytes, let projection) = matcher.url else { return false }
            guard self.align(url: bytes, projection) else { return false }
        }
        for (number, condition) in matcher.conditions.enumerated() where matcher.asksForSecrets(condition: number) {
            guard self.align(condition) else { return false }
        }
        for matcher in matcher.all {
            guard self.align(matcher) else { return false }
        }
        return true
    }

    private mutating func align(_ condition: Condition) -> Bool {
        switch condition {
        case .query(let field): return self.alignQuery(field)
        case .header(let field): return self.alignHeader(field)
        case .cookie(let field): return self.alignCookies(field)
        case .body(_, .json(let expected, _)):
            return self.alignJSON { JSONValue.inBody(expected)?.aligned(to: $0, &$1) }
        case .body(_, .xml(let expected, _)):
            return XMLParser.parse(expected.content).map { self.align(xml: $0) } ?? false
        case .body(let identity, _): return self.alignText(identity.content)
        case .xml(let expected): return expected.root.map { self.align(xml: $0) } ?? true
        case .canonical(let text, _): return self.alignText(text)
        case .json(let expected): return self.alignJSON { expected.value.aligned(to: $0, &$1) }
        case .jsonPath(let path, .value(let matcher)):
            return self.alignJSON { json, values in
                path.mapping(json) { value in
                    let texts = matcher.aligned(to: [value.plainText], &values)
                    return texts.map { JSONValue.string($0[0]) } ?? value
                }
            }
        case .text(.equals(let text)): return self.alignText(ByteText.bytes(of: text))
        case .form(let fields, _): return self.alignForm(fields)
        case .graphQL(_, .some(let variables)):
            return self.alignJSON { json, values in
                guard case .object(var members) = json else { return nil }
                for index in members.indices where members[index].name == "variables" {
                    members[index].value = variables.value.aligned(to: members[index].value, &values)
                }
                return .object(members)
            }
        // These may hold as they are.
        case .onlyQuery, .host, .state, .jsonPath, .text, .multipart, .graphQL, .call, .messages, .proto, .never:
            return true
        }
    }

    // MARK: URL

    private mutating func align(url: [UInt8], _ projection: URLProjection) -> Bool {
        var target = url[...]
        if projection.part == .url {
            guard url.starts(with: self.request.origin) else { return false }
            target = target.dropFirst(self.request.origin.count)
        }
        let path = Array(target.prefix { $0 != ASCII.question })
        if let template = SecretTemplate(path) {
            guard let values = template.values(in: self.path, ends: { $0 == ASCII.slash }) else { return false }
            self.values += values.map(Self.decoded)
            self.path = path
        }
        var seen: [[UInt8]: Int] = [:]
        for parameter in Self.parameters(target) {
            let name = Array(parameter.prefix { $0 != ASCII.equals })
            let number = seen[name, default: 0]
            seen[name] = number + 1
            guard let template = SecretTemplate(parameter) else { continue }
            let places = self.parameters.indices.filter {
                self.parameters[$0].prefix { $0 != ASCII.equals } == name[...]
            }
            guard places.indices.contains(number), let values = template.values(in: self.parameters[places[number]])
            else { return false }
            self.values += values.map(Self.decoded)
            self.parameters[places[number]] = parameter
        }
        return true
    }

    private static func parameters(_ url: ArraySlice<UInt8>) -> [[UInt8]] {
        guard let question = url.firstIndex(of: ASCII.question) else { return [] }
        return url[(question + 1)...].split(separator: ASCII.ampersand).map { Array($0) }
    }

    private static func decoded(_ value: SecretTemplate.Value) -> SecretTemplate.Value {
        SecretTemplate.Value(placeholder: value.placeholder, bytes: PercentEncoding.decoded(value.bytes))
    }

    private mutating func alignQuery(_ field: RequestMatcher.Field) -> Bool {
        Self.align(field, &self.parameters, &self.values) { QueryText.decoded($0) }
    }

    /// Aligns a query or a form, whose parts are decoded in different ways.
    private static func align(
        _ field: RequestMatcher.Field,
        _ parts: inout [[UInt8]],
        _ values: inout [SecretTemplate.Value],
        _ decoded: (ArraySlice<UInt8>) -> String
    ) -> Bool {
        let split = parts.map { part in (name: part.prefix { $0 != ASCII.equals }, part: part) }
        let places = split.indices.filter { decoded(split[$0].name) == field.name }
        let texts = places.map { decoded(split[$0].part.dropFirst(split[$0].name.count + 1)) }
        guard let aligned = field.value.aligned(to: texts, &values) else { return false }
        for (place, texts) in zip(places, zip(texts, aligned)) where texts.0 != texts.1 {
            parts[place] = Array(split[place].name) + [ASCII.equals] + ByteText.bytes(of: texts.1)
        }
        return true
    }

    // MARK: Header

    private mutating func alignHeader(_ field: RequestMatcher.Field) -> Bool {
        let places = self.fields.indices.filter { self.fields[$0].isNamed(field.name) }
        guard let aligned = field.value.aligned(to: places.map { self.fields[$0].value }, &self.values) else {
            return false
        }
        for (place, text) in zip(places, aligned) { self.fields[place].value = text }
        return true
    }

    private mutating func alignCookies(_ field: RequestMatcher.Field) -> Bool {
        var isAligned = false
        for place in self.fields.indices where self.fields[place].isNamed("cookie") {
            let pairs = self.fields[place].value.split(separator: ";").map { String($0.trimmingSpaces()) }
            let places = pairs.indices.filter { pairs[$0].prefix { $0 != "=" } == field.name }
            let texts = places.map { String(pairs[$0].dropFirst(field.name.count + 1)) }
            guard !isAligned, let aligned = field.value.aligned(to: texts, &self.values) else { continue }
            var new = pairs
            for (place, text) in zip(places, aligned) { new[place] = "\(field.name)=\(text)" }
            self.fields[place].value = new.joined(separator: "; ")
            isAligned = true
        }
        return isAligned
    }

    // MARK: Body

    private mutating func alignJSON(_ align: (JSONValue, inout [SecretTemplate.Value]) -> JSONValue?) -> Bool {
        guard self.body != nil, let json = self.request.json, let aligned = align(json, &self.values) else {
            return false
        }
        self.body = aligned.compactText
        return true
    }

    private mutating func align(xml expected: XMLElement) -> Bool {
        guard self.body != nil, let xml = self.request.xml else { return false }
        self.body = expected.aligned(to: xml, &self.values).xmlText
        return true
    }

    private mutating func alignText(_ text: [UInt8]) -> Bool {
        guard let body = self.body, let template = SecretTemplate(text) else { return false }
        // A recorded text is in the canonical spelling.
        let values = template.values(in: body) ?? self.request.canonicalBody.flatMap { template.values(in: $0) }
        guard let values else { return false }
        self.values += values
        self.body = text
        return true
    }

    private mutating func alignForm(_ fields: [RequestMatcher.Field]) -> Bool {
        guard let body = self.body else { return false }
        var parts = body.split(separator: ASCII.ampersand).map { Array($0) }
        for field in fields {
            let isAligned = Self.align(field, &parts, &self.values) { text in
                ByteText.string(from: PercentEncoding.decoded(text) { $0 == UInt8(ascii: "+") ? ASCII.space : $0 })
            }
            guard isAligned else { return false }
        }
        self.body = Array(parts.joined(separator: [ASCII.ampersand]))
        return true
    }
}

extension ValueMatcher {
    /// Returns the texts with the matcher's placeholders at their places; `nil` if one has no place.
    fileprivate func aligned(to texts: [String], _ values: inout [SecretTemplate.Value]) -> [String]? {
        switch self {
        case .equals(let wanted): return Self.aligned([wanted], to: texts, &values)
        case .oneOf(let wanted): return Self.aligned(wanted, to: texts, &values)
        case .values(let wanted):
            guard wanted.count == texts.count else { return nil }
            var result = texts
            for (number, wanted) in wanted.enumerated() {
                guard let template = SecretTemplate(wanted) else { continue }
                guard let found = template.values(in: ByteText.bytes(of: texts[number])) else { return nil }
                values += found
                result[number] = wanted
            }
            return result
        case .valuesInAnyOrder(let wanted):
            guard wanted.count == texts.count else { return nil }
            var result = texts
            for wanted in wanted where !result.contains(wanted) {
                guard let aligned = Self.aligned([wanted], to: result, &values) else { return nil }
                result = aligned
            }
            return result
        case .all(let matchers):
            var result = texts
            for matcher in matchers {
                guard let aligned = matcher.aligned(to: result, &values) else { return nil }
                result = aligned
            }
            return result
        case .contains, .prefix, .suffix, .pattern, .greaterThan, .lessThan, .present, .absent, .not: return texts
        }
    }

    private static func aligned(
        _ wanted: [String],
        to texts: [String],
        _ values: inout [SecretTemplate.Value]
    ) -> [String]? {
        let templates = wanted.map { (text: $0, template: SecretTemplate($0)) }
        if templates.contains(where: { $0.template == nil && texts.contains($0.text) }) { return texts }
        for (number, text) in texts.enumerated() {
            let bytes = ByteText.bytes(of: text)
            for (wanted, template) in templates {
                guard let found = template?.values(in: bytes) else { continue }
                values += found
                var result = texts
                result[number] = wanted
                return result
            }
        }
        return nil
    }
}

extension JSONValue {
    /// Returns the actual value with this one's placeholders at their places.
    fileprivate func aligned(to actual: JSONValue, _ values: inout [SecretTemplate.Value]) -> JSONValue {
        switch (self, actual) {
        case (.string(let text), .string), (.string(let text), .number):
            guard let template = SecretTemplate(text) else { return actual }
            if case .number = actual, !template.isOnePlaceholder { return actual }
            guard let found = template.values(in: ByteText.bytes(of: actual.plainText)) else { return actual }
            values += found
            return self
        case (.array(let wanted), .array(var items)):
            for (index, wanted) in wanted.enumerated() where index < items.count {
                items[index] = wanted.aligned(to: items[index], &values)
            }
            return .array(items)
        case (.object(let wanted), .object(var members)):
            for wanted in wanted {
                guard let index = members.lastIndex(where: { $0.name.isSameText(as: wanted.name) }) else { continue }
                members[index].value = wanted.value.aligned(to: members[index].value, &values)
            }
            return .object(members)
        default: return actual
        }
    }
}
