import TapedeckCore

/// Reads expectations of MockServer: one, or a list of them.
package struct MockServerExpectations: ImportFormat {
    package let name = "mockserver"
    package let lists: [[String]] = [[]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document, let first = document.isList ? document.items.first : document else {
            return false
        }
        return (first["httpRequest"] ?? first["httpResponse"] ?? first["specUrlOrPayload"]) != nil
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        let nodes = document.isList ? document.items : [document]
        return self.joined(
            nodes.map { node in
                var stub = StubEntry.reading(node) { (node) throws(LeftOut) in try Self.stub(node, file.side) }
                stub.id = node["id"]?.text
                return ImportedFile(stubs: [stub])
            }
        )
    }

    /// An expectation replaces an earlier one of its id.
    package func joined(_ parts: [ImportedFile]) -> ImportedFile {
        let stubs = parts.flatMap(\.stubs)
        let last = Dictionary(stubs.enumerated().map { ($1.id ?? "\($0)", $0) }) { $1 }
        var result = ImportedFile(
            stubs: stubs.enumerated().map { number, stub in
                guard let id = stub.id, let later = last[id], later != number else { return stub }
                let reason = "a later expectation has its id, and replaces it"
                return StubEntry(line: stub.line, result: .failure(LeftOut(reason, line: stub.line)))
            }
        )
        result.isOrdered = true
        return result
    }

    private static func stub(_ node: ForeignNode, _ side: ImportFile.Sides) throws(LeftOut) -> ImportedStub {
        if let description = node["specUrlOrPayload"] {
            let name = description.text.map { " '\($0.prefix(200))'" } ?? ""
            throw LeftOut("it names an OpenAPI description\(name): import that file", line: node.line)
        }
        let request = node["httpRequest"]
        var notes: [String] = []
        let matcher = try self.matcher(request, &notes, line: node.line)
        let behaviour = try self.behaviour(node, side)
        let path = request?["path"].flatMap { $0.text ?? $0["value"]?.text } ?? "any path"
        var set = ResponseSet(
            name: node["id"]?.text ?? "\(matcher.methods.first ?? "ANY") \(path)",
            request: matcher,
            variants: [Variant(name: "expectation", behaviour: behaviour)]
        )
        set.priority = node["priority"]?.int ?? 0
        for key in ["scenarioName", "scenarioState", "newScenarioState"] where node[key] != nil {
            throw LeftOut("`\(key)` cannot be stated", line: node.line)
        }
        if let share = node["percentage"]?.int, share < 100 {
            throw LeftOut("it answers a share of the requests, which cannot be stated", line: node.line)
        }
        notes += self.losses(of: node)
        if let life = node["timeToLive"], life["unlimited"]?.bool != true {
            notes.append("`timeToLive` is left out: cassettes do not age within a run")
        }
        return ImportedStub(set: set, notes: notes)
    }

    /// Parts of an answer that are played in another way.
    private static func losses(of node: ForeignNode) -> [String] {
        var notes: [String] = []
        let response = node["httpResponse"]
        if let options = response?["connectionOptions"], !options.pairs.isEmpty {
            notes.append("`connectionOptions` is left out: the answer is framed as any other")
        }
        if (response ?? node["httpError"])?["delay"]?["distribution"] != nil {
            notes.append("its delay is left out: it has a distribution")
        }
        if node["httpError"]?["responseBytes"]?.text?.isEmpty == false {
            notes.append("`responseBytes` play as bytes that are no response")
        }
        return notes
    }

    // MARK: Requests

    private static func matcher(
        _ request: ForeignNode?,
        _ notes: inout [String],
        line: Int
    ) throws(LeftOut) -> RequestMatcher {
        var matcher = RequestMatcher()
        matcher.url = .pattern(try StubParts.pattern("/.*", .whole, line: line))
        guard let request, request.isMap else { return matcher }
        if request["not"]?.bool == true || request["specUrlOrPayload"] != nil {
            throw LeftOut("its request cannot be stated", line: request.line)
        }
        try self.readMethod(request["method"], into: &matcher)
        try self.readPath(request, into: &matcher)
        for (place, key) in [
            (\RequestMatcher.query, "queryStringParameters"), (\.headers, "headers"), (\.cookies, "cookies"),
        ] {
            for field in try self.fields(request[key], &notes) {
                var part = RequestMatcher()
                part[keyPath: place] = [field]
                matcher.require(part)
            }
        }
        if let body = request["body"], !body.isNull { matcher.body = [try self.body(body, &notes)] }
        if let isSecure = request["secure"]?.bool {
            let scheme = isSecure ? "https" : "http"
            let note = try StubParts.require(scheme: scheme, in: &matcher, line: request.line)
            if let note { notes.append(note) }
        }
        for key in [
            "keepAlive", "protocol", "localAddress", "remoteAddress", "clientCertificateChain", "socketAddress",
        ]
        where request[key] != nil {
            notes.append("its condition `\(key)` is left out: it answers with and without it")
        }
        return matcher
    }

    /// Letters count in their case here, and not in MockServer.
    private static let caseNote = "letters of its path, names and values match in their case, which MockServer ignores"

    private static func readMethod(_ node: ForeignNode?, into matcher: inout RequestMatcher) throws(LeftOut) {
        guard let node, var method = node.text ?? node["value"]?.text, !method.isEmpty else {
            if let node, node.isMap { throw LeftOut("its condition on the method cannot be stated", line: node.line) }
            return
        }
        let isNegated = method.hasPrefix("!") || node["not"]?.bool == true
        if method.hasPrefix("!") { method.removeFirst() }
        guard method.utf8.allSatisfy({ ASCII.isUnreserved($0) && $0 != UInt8(ascii: ".") }) else {
            throw LeftOut("its condition on the method cannot be stated", line: node.line)
        }
        if isNegated {
            matcher.not.append(RequestMatcher(methods: [method.uppercased()]))
        } else {
            matcher.methods = [method.uppercased()]
        }
    }

    private static func readPath(_ request: ForeignNode, into matcher: inout RequestMatcher) throws(LeftOut) {
        guard let node = request["path"], !node.isNull else { return }
        guard let path = node.text ?? node["value"]?.text, !path.hasPrefix("!"), node["not"]?.bool != true,
            node["schema"] == nil
        else {
            throw LeftOut("its condition on the path cannot be stated", line: node.line)
        }
        let hasParameters = request["pathParameters"].map { !self.pairs($0).isEmpty } ?? false
        guard !hasParameters || path.contains("{") else {
            throw LeftOut("its path has none of its path parameters", line: node.line)
        }
        guard !path.isEmpty else { return }
        if let parameters = request["pathParameters"], path.contains("{") {
            try self.readParameters(parameters, of: path, into: &matcher)
        } else if self.isPattern(path) {
            let literal = StubParts.escaped(path.hasPrefix("/") ? path : "/\(path)")
            // A text that is no pattern is compared as it is.
            let source = (try? Pattern(path, scope: .whole)) == nil ? literal : "(?:\(path)|\(literal))"
            matcher.url = try StubParts.url(matching: "/{0}\(source)", isPathAlone: true, line: node.line)
        } else {
            matcher.url = .exactPath(path.hasPrefix("/") ? path : "/\(path)")
            matcher.refusesOtherQuery = false
        }
    }

    /// Reads a path with names in braces, and the conditions on these.
    private static func readParameters(
        _ node: ForeignNode,
        of path: String,
        into matcher: inout RequestMatcher
    ) throws(LeftOut) {
        var sources: [String: String] = [:]
        for (name, values) in self.pairs(node) {
            let texts = values.isList ? values.items : [values]
            var parts: [String] = []
            for item in texts {
                guard let text = item.text, !text.hasPrefix("!") else {
                    throw LeftOut(
                        "its condition on the path parameter '\(name.prefix(80))' cannot be stated",
                        line: node.line
                    )
                }
                let isPattern = self.isPattern(text) && (try? Pattern(text, scope: .whole)) != nil
                parts.append(
                    text.isEmpty ? "[^/]+" : isPattern ? PathPattern.inSegment(text) : StubParts.escaped(text)
                )
            }
            sources[name] = parts.joined(separator: "|")
        }
        var source = ""
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(
            path.hasPrefix("/") ? 1 : 0
        ) {
            let isGap = segment.hasPrefix("{") && segment.hasSuffix("}")
            source +=
                "/"
                + (isGap
                    ? "(?:\(sources[String(segment.dropFirst().dropLast())] ?? "[^/]+"))" : StubParts.escaped(segment))
        }
        matcher.url = try StubParts.url(matching: source, isPathAlone: true, line: node.line)
    }

    /// Texts are regular expressions in MockServer, unless they are equal literally.
    private static func isPattern(_ text: String) -> Bool { text.contains { "*+[](|^$\\?.{}".contains($0) } }

    /// A map of names to a value or a list of values, or a list of maps with `name` and `values`.
    private static func fields(
        _ node: ForeignNode?,
        _ notes: inout [String]
    ) throws(LeftOut) -> [RequestMatcher.Field] {
        var fields: [RequestMatcher.Field] = []
        for (name, value) in self.pairs(node) {
            let isNamePattern = self.isPattern(name) && (try? Pattern(name, scope: .whole)) != nil
            guard !name.hasPrefix("!"), !name.hasPrefix("?"),
                !isNamePattern || name.allSatisfy({ $0 != "*" && $0 != "+" }),
                !value.isMap, !value.items.contains(where: { $0.text == nil })
            else {
                throw LeftOut("its condition on '\(name.prefix(80))' cannot be stated", line: value.line)
            }
            if !notes.contains(self.caseNote) { notes.append(self.caseNote) }
            for text in (value.isList ? value.items : [value]).compactMap(\.text) {
                fields.append(.init(name, try self.value(text, line: value.line)))
            }
        }
        return fields
    }

    /// Names with their values.
    private static func pairs(_ node: ForeignNode?) -> [(name: String, value: ForeignNode)] {
        var pairs: [(name: String, value: ForeignNode)] = []
        for pair in node?.pairs ?? [] where pair.key.text != "keyMatchStyle" {
            pairs.append((pair.key.text ?? "", pair.value))
        }
        for item in node?.items ?? [] {
            guard let value = item["values"] ?? item["value"] else { continue }
            pairs.append((item["name"]?.text ?? "", value))
        }
        return pairs
    }

    private static func value(_ text: String, line: Int) throws(LeftOut) -> ValueMatcher {
        if text.hasPrefix("!") {
            let inner = try self.value(String(text.dropFirst()), line: line)
            // A name without a value does not meet it.
            return try StubParts.some(not: inner, line: line) ?? .all([.present, .not(inner)])
        }
        guard !text.isEmpty else { return .present }
        // A text that is not a pattern is compared literally.
        guard self.isPattern(text), (try? Pattern(text, scope: .whole)) != nil else { return .equals(text) }
        return try StubParts.any(
            [.equals(text), try StubParts.whole(text, lines: true, line: line)],
            line: line
        )
    }

    private static func body(_ node: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> BodyMatcher {
        if let text = node.text { return .text(.equals(text)) }
        if node["not"]?.bool == true || node["optional"]?.bool == true {
            throw LeftOut("its condition on the body cannot be stated", line: node.line)
        }
        switch node["type"]?.text?.uppercased() {
        case "STRING",
            nil where node["string"] != nil:
            let text = node["string"]?.text ?? ""
            return .text(node["subString"]?.bool == true ? .contains(text) : .equals(text))
        case "JSON",
            nil where node["json"] != nil:
            guard let json = node["json"] else { throw LeftOut("its body has no JSON", line: node.line) }
            let expected = try StubJSON.withPlaceholders(json)
            return node["matchType"]?.text == "STRICT"
                ? try StubParts.json(equal: expected) : try StubParts.json(within: expected)
        case "REGEX": return .text(try self.value(node["regex"]?.text ?? "", line: node.line))
        case "JSON_PATH":
            return try StubJSONPath.matcher(node["jsonPath"]?.text ?? "", line: node.line)
        case "XML": return try StubParts.xml(body: node["xml"]?.text ?? "", notes: &notes, line: node.line)
        case "PARAMETERS": return .form(try self.fields(node["parameters"], &notes), refusesOthers: false)
        case "BINARY":
            return .bytes(InlineBody(form: .base64, content: ForeignText.base64(node["base64Bytes"]?.text ?? "") ?? []))
        case let type:
            // A body of JSON without the words around it.
            guard type == nil, node.isMap || node.isList else {
                throw LeftOut("its condition on the body, \(type ?? ""), cannot be stated", line: node.line)
            }
            return try StubParts.json(within: try StubJSON.withPlaceholders(node))
        }
    }

    // MARK: Responses

    private static func behaviour(_ node: ForeignNode, _ side: ImportFile.Sides) throws(LeftOut) -> Behaviour {
        var behaviour: Behaviour
        if let response = node["httpResponse"], !response.isNull {
            behaviour = Behaviour(.takes([try self.take(response, side)]))
            behaviour.pacing.delay = self.delay(response["delay"])
        } else if let error = node["httpError"], error.isMap {
            let bytes = error["responseBytes"]?.text ?? ""
            behaviour = Behaviour(.takes([Take(fault: bytes.isEmpty ? .emptyResponse : .garbage)]))
            behaviour.pacing.delay = self.delay(error["delay"])
        } else {
            let action = node.pairs.compactMap(\.key.text).first { $0.hasPrefix("http") && $0 != "httpRequest" }
            throw LeftOut("it answers by `\(action ?? "nothing")`, which cannot be played", line: node.line)
        }
        if let times = node["times"], times["unlimited"]?.bool != true, let count = times["remainingTimes"]?.int,
            count > 0
        {
            guard count <= 1_000 else { return behaviour }
            behaviour.answer = .takes(Array(repeating: behaviour.allTakes[0], count: count))
            behaviour.after = .unmatched
        }
        return behaviour
    }

    private static func take(_ response: ForeignNode, _ side: ImportFile.Sides) throws(LeftOut) -> Take {
        if response["connectionOptions"]?["closeSocket"]?.bool == true, response["statusCode"] == nil {
            return Take(fault: .emptyResponse)
        }
        var take = Take(status: try StubParts.status(response["statusCode"]))
        take.reason = StubParts.reason(response["reasonPhrase"]?.text, take.status)
        let headers = (response["headers"]?.items ?? []).flatMap { item in
            (item["values"]?.items ?? []).map { HeaderField(item["name"]?.text ?? "", $0.text ?? "") }
        }
        take.headers = StubParts.headers(headers.isEmpty ? ForeignHeaders.fields(of: response["headers"]) : headers)
        for pair in response["cookies"]?.pairs ?? [] {
            take.headers.append(HeaderField("set-cookie", "\(pair.key.text ?? "")=\(pair.value.text ?? "")"))
        }
        for item in response["cookies"]?.items ?? [] {
            take.headers.append(HeaderField("set-cookie", "\(item["name"]?.text ?? "")=\(item["value"]?.text ?? "")"))
        }
        let (bytes, type) = try self.content(response["body"], side)
        if let type, !take.headers.contains(named: "content-type") {
            take.headers.append(HeaderField("content-type", type))
        }
        take.body = StubParts.body(bytes)
        return take
    }

    private static func content(
        _ node: ForeignNode?,
        _ side: ImportFile.Sides
    ) throws(LeftOut) -> (bytes: [UInt8], type: String?) {
        guard let node, !node.isNull else { return ([], nil) }
        if let text = node.text { return (Array(text.utf8), nil) }
        let type = node["contentType"]?.text
        let charset = node["charset"]?.text ?? type.flatMap { HeaderParameters($0)?["charset"] }
        /// Bytes as they were recorded, or a text in the charset that the body names.
        func bytes(_ text: String) throws(LeftOut) -> [UInt8] {
            if let raw = node["rawBytes"]?.text {
                guard let bytes = ForeignText.base64(raw) else {
                    throw LeftOut("its `rawBytes` are no base64", line: node.line)
                }
                return bytes
            }
            return charset.flatMap { ForeignText.encode(text, as: $0) } ?? Array(text.utf8)
        }
        func media(_ usual: String) -> String { type ?? charset.map { "\(usual); charset=\($0)" } ?? usual }
        switch node["type"]?.text?.uppercased() {
        case "STRING",
            nil where node["string"] != nil:
            return (try bytes(node["string"]?.text ?? ""), type ?? (charset == nil ? nil : media("text/plain")))
        case "BINARY",
            nil where node["base64Bytes"] != nil:
            guard let bytes = ForeignText.base64(node["base64Bytes"]?.text ?? "") else {
                throw LeftOut("its body is no base64", line: node.line)
            }
            return (bytes, type)
        case "JSON",
            nil where node["json"] != nil:
            guard let json = node["json"] else { return ([], type) }
            let text = json.text ?? String(decoding: ForeignJSON.text(json, .javaPretty), as: UTF8.self)
            return (try bytes(text), media("application/json"))
        case "XML",
            nil where node["xml"] != nil:
            return (try bytes(node["xml"]?.text ?? ""), media("application/xml"))
        case "FILE",
            nil where node["filePath"] != nil:
            let path = node["filePath"]?.text ?? ""
            guard let bytes = side(path) else {
                throw LeftOut("its body file '\(path.prefix(200))' is not there", line: node.line)
            }
            return (bytes, type)
        // JSON without words around it, which MockServer prints over several lines.
        case nil: return (ForeignJSON.text(node, .javaPretty), "application/json")
        case let kind?: throw LeftOut("its body is of the type \(kind.prefix(40)), which is not known", line: node.line)
        }
    }

    private static func delay(_ node: ForeignNode?) -> Pacing.Delay? {
        guard let value = node?["value"]?.int, value > 0 else { return nil }
        // A day is longer than any test waits.
        let day = 86_400_000
        let milliseconds =
            switch node?["timeUnit"]?.text?.uppercased() {
            case "SECONDS": min(value, day) * 1_000
            case "MINUTES": min(value, day) * 60_000
            case "MICROSECONDS": value / 1_000
            case "NANOSECONDS": value / 1_000_000
            default: value
            }
        return .fixed(min(milliseconds, day))
    }
}
