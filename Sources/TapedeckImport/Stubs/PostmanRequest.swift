import TapedeckCore
import TapedeckJSON

/// The request of a saved response in a Postman collection.
struct PostmanRequest {
    /// The parts in which the requests of one method and URL can differ.
    struct Parts: Equatable {
        /// Enabled parameters of the query, decoded; values with variables are `nil`.
        var query: [String: [String?]] = [:]
        /// The values of the names in the path, by these names.
        var path: [String: String] = [:]
        var body: [BodyMatcher] = []
    }

    let method: String
    /// The URL without its query; names such as `:id` and variables are gaps.
    let url: String
    private(set) var parts = Parts()
    let line: Int
    private let variables: [String: String]

    /// - Throws: ``LeftOut`` for a request without a URL, or with a body that cannot be read.
    init(_ request: ForeignNode, variables: [String: String]) throws(LeftOut) {
        self.variables = variables
        self.line = request.line
        self.method = (request["method"]?.text ?? "GET").uppercased()
        let node = request.text == nil ? request["url"] : request
        guard let node, let url = node.text ?? node["raw"]?.text ?? Self.joined(node) else {
            throw LeftOut("its request has no URL", line: request.line)
        }
        let filled = Self.filled(url, variables)
        self.url = String(filled.prefix { $0 != "?" && $0 != "#" })
        self.readQuery(node["query"], raw: filled)
        for variable in node["variable"]?.items ?? [] {
            guard let name = variable["key"]?.text ?? variable["id"]?.text, let value = variable["value"]?.text else {
                continue
            }
            let text = Self.filled(value, variables)
            if !text.isEmpty, !text.contains("{{") { self.parts.path[name] = text }
        }
        if let body = request["body"], body.isMap, body["disabled"]?.bool != true {
            self.parts.body = try self.body(body)
        }
    }

    /// The text with the values of variables that the collection has.
    static func filled(_ text: String, _ variables: [String: String]) -> String {
        var text = text
        for _ in 0..<4 where text.contains("{{") {
            for (name, value) in variables { text = text.replacing("{{\(name)}}", with: value) }
        }
        return text
    }

    /// The URL of its parts, which are texts or lists of texts; `nil` without a host.
    private static func joined(_ node: ForeignNode) -> String? {
        func text(_ node: ForeignNode?, _ separator: String) -> String? {
            guard let node else { return nil }
            return node.text ?? node.items.map { $0.text ?? $0["value"]?.text ?? "" }.joined(separator: separator)
        }
        guard let host = text(node["host"], "."), !host.isEmpty else { return nil }
        let scheme = node["protocol"]?.text.map { "\($0)://" } ?? ""
        let port = node["port"]?.text.map { ":\($0)" } ?? ""
        let path = text(node["path"], "/") ?? ""
        return "\(scheme)\(host)\(port)\(path.hasPrefix("/") || path.isEmpty ? "" : "/")\(path)"
    }

    private mutating func readQuery(_ list: ForeignNode?, raw: String) {
        func add(_ name: String, _ value: String) {
            self.parts.query[name, default: []].append(value.contains("{{") ? nil : value)
        }
        guard let list, list.isList else {
            let query = raw.split(separator: "?", maxSplits: 1).dropFirst().first?.prefix { $0 != "#" } ?? ""
            for parameter in QueryText.parameters(of: Array("?\(query)".utf8)[...]) {
                add(parameter.name, parameter.value)
            }
            return
        }
        for item in list.items where item["disabled"]?.bool != true {
            guard let name = item["key"]?.text else { continue }
            add(Self.filled(name, self.variables), Self.filled(item["value"]?.text ?? "", self.variables))
        }
    }

    // MARK: Bodies

    private func body(_ node: ForeignNode) throws(LeftOut) -> [BodyMatcher] {
        switch node["mode"]?.text {
        case "raw": return try self.raw(node["raw"]?.text ?? "")
        case "urlencoded":
            let fields = self.enabled(node["urlencoded"]).compactMap { name, item in
                self.value(item["value"]?.text ?? "").map { RequestMatcher.Field(name, $0) }
            }
            return fields.isEmpty ? [] : [.form(Self.merged(fields), refusesOthers: true)]
        case "formdata":
            let parts = self.enabled(node["formdata"]).map { name, item in
                guard item["type"]?.text == "file" else {
                    return BodyMatcher.Part(name: name, content: self.value(item["value"]?.text ?? "") ?? .present)
                }
                let file = item["src"]?.text?.split(separator: "/").last.map { ValueMatcher.equals(String($0)) }
                return BodyMatcher.Part(name: name, content: .present, filename: file)
            }
            return parts.isEmpty ? [] : [.multipart(parts)]
        case "graphql": return try self.graphQL(node["graphql"])
        // A file has no content in the collection.
        default: return []
        }
    }

    private func raw(_ text: String) throws(LeftOut) -> [BodyMatcher] {
        let text = Self.filled(text, self.variables)
        guard !text.isEmpty else { return [] }
        if text.contains("{{") {
            // Variables that nothing fills in may be anything.
            var source = ""
            var rest = text[...]
            while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
                source += StubParts.escaped(rest[..<open.lowerBound]) + "[\\s\\S]*?"
                rest = rest[close.upperBound...]
            }
            return [.text(try StubParts.whole(source + StubParts.escaped(rest), line: self.line))]
        }
        let bytes = Array(text.utf8)
        if (try? JSONValue(parsing: bytes)) != nil { return [.json(InlineBody(form: .json, content: bytes))] }
        let xml = BodyMatcher.xml(InlineBody(form: .text, content: bytes))
        return [text.first == "<" && xml.identity != nil ? xml : .text(.equals(text))]
    }

    /// By meaning: a client may send a name of the operation, too.
    private func graphQL(_ node: ForeignNode?) throws(LeftOut) -> [BodyMatcher] {
        guard let node, let query = node["query"]?.text else { return [] }
        var members = [JSONMember(name: "query", value: .string(Self.filled(query, self.variables)))]
        let text = Self.filled(node["variables"]?.text ?? "", self.variables)
        if let variables = try? JSONValue(parsing: Array(text.utf8)) {
            members.append(JSONMember(name: "variables", value: variables))
        }
        return [.jsonSubset(InlineBody(form: .json, content: JSONValue.object(members).compactText))]
    }

    private func enabled(_ list: ForeignNode?) -> [(name: String, item: ForeignNode)] {
        (list?.items ?? []).compactMap { item in
            guard item["disabled"]?.bool != true, let name = item["key"]?.text else { return nil }
            return (Self.filled(name, self.variables), item)
        }
    }

    /// `nil` for a value with variables that nothing fills in.
    private func value(_ text: String) -> ValueMatcher? {
        let text = Self.filled(text, self.variables)
        return text.contains("{{") ? nil : .equals(text)
    }

    /// Several values of one name as one condition.
    private static func merged(_ fields: [RequestMatcher.Field]) -> [RequestMatcher.Field] {
        var result: [RequestMatcher.Field] = []
        for field in fields {
            guard let index = result.firstIndex(where: { $0.name == field.name }) else {
                result.append(field)
                continue
            }
            let texts = [result[index], field].flatMap { $0.value.plainTexts ?? [] }
            result[index].value = .values(texts)
        }
        return result
    }

    // MARK: Matching

    /// The matcher of the request.
    ///
    /// - Parameter others: the parts of all requests of its method and URL: parts that are equal in all are no conditions.
    func matcher(among others: [Parts]) throws(LeftOut) -> RequestMatcher {
        var matcher = RequestMatcher(methods: [self.method])
        let differsInPath = others.contains { $0.path != self.parts.path }
        matcher.url = try PostmanURL(self.url, values: differsInPath ? self.parts.path : [:]).matcher(line: self.line)
        if case .exactPath = matcher.url { matcher.refusesOtherQuery = false }
        for name in Set(others.flatMap(\.query.keys)).sorted() {
            let own = self.parts.query[name]
            guard others.contains(where: { $0.query[name] != own }) else { continue }
            let texts = own?.compactMap { $0 }
            if own == nil {
                matcher.query.append(.init(name, .absent))
            } else if let texts, texts.count == own?.count {
                matcher.query.append(.init(name, texts.count == 1 ? .equals(texts[0]) : .values(texts)))
            } else {
                matcher.query.append(.init(name, .present))
            }
        }
        if others.contains(where: { $0.body != self.parts.body }) {
            matcher.body = self.parts.body.isEmpty ? [.text(.equals(""))] : self.parts.body
        }
        return matcher
    }
}

/// The URL of a request in a Postman collection, without its query.
struct PostmanURL {
    private let text: String
    private let values: [String: String]

    /// - Parameter values: of names in the path.
    init(_ text: String, values: [String: String]) {
        self.text = text
        self.values = values
    }

    /// A URL in which variables and `:names` are gaps; one whose host is a variable is answered on any host.
    func matcher(line: Int) throws(LeftOut) -> URLMatcher {
        var url = self.text
        if url.hasPrefix("{{") {
            url = url.firstRange(of: "}}").map { String(url[$0.upperBound...]) } ?? url
            url = url.hasPrefix("/") ? url : "/\(url)"
        } else if url.hasPrefix("/") {
            // Of a variable for the origin that is empty or a path.
            url = "/\(url.drop { $0 == "/" })"
        } else if !url.contains("://") {
            url = "http://\(url)"
        }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        var head = String(url[..<start])
        var parts = url[start...].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if !head.isEmpty, parts[0].contains("{{") {
            head = ""
            parts[0] = ""
        }
        var names = 0
        for index in parts.indices.dropFirst() {
            let isName = parts[index].hasPrefix(":") && parts[index].count > 1
            if isName, let value = self.values[String(parts[index].dropFirst())] {
                parts[index] = value
                continue
            }
            guard isName || parts[index].contains("{{") else { continue }
            names += 1
            parts[index] = "{value\(names)}"
        }
        let joined = head + parts.joined(separator: "/")
        if names > 0 { return try self.template(joined, line: line) }
        if joined.hasPrefix("/") || joined.isEmpty { return .exactPath(joined.isEmpty ? "/" : joined) }
        guard let whole = AbsoluteURL(joined) else {
            throw LeftOut("'\(self.text.prefix(200))' is no http or https URL", line: line)
        }
        // Postman answers for any query.
        do throws(PatternError) {
            return .template(try URLTemplate(whole.description))
        } catch {
            return .exact(whole)
        }
    }

    private func template(_ text: String, line: Int) throws(LeftOut) -> URLMatcher {
        do throws(PatternError) {
            return .template(try URLTemplate(text))
        } catch {
            throw LeftOut("its URL '\(self.text.prefix(200))' cannot be used: \(error)", line: line)
        }
    }
}
