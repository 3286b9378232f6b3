import TapedeckCore

/// Reads expectations of MockServer: one, or a list of them.
package struct MockServerExpectations: ImportFormat {
    package let name = "mockserver"

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
        return ImportedFile(
            stubs: nodes.map { node in
                StubEntry.reading(node) { (node) throws(LeftOut) in try Self.stub(node, file.side) }
            }
        )
    }

    private static func stub(_ node: ForeignNode, _ side: ImportFile.Sides) throws(LeftOut) -> ImportedStub {
        if let description = node["specUrlOrPayload"] {
            let name = description.text.map { " '\($0.prefix(200))'" } ?? ""
            throw LeftOut("it names an OpenAPI description\(name): import that file", line: node.line)
        }
        let request = node["httpRequest"]
        let matcher = try self.matcher(request, line: node.line)
        let behaviour = try self.behaviour(node, side)
        let path = request?["path"].flatMap { $0.text ?? $0["value"]?.text } ?? "any path"
        var set = ResponseSet(
            name: node["id"]?.text ?? "\(matcher.methods.first ?? "ANY") \(path)",
            request: matcher,
            variants: [Variant(name: "expectation", behaviour: behaviour)]
        )
        set.priority = node["priority"]?.int ?? 0
        var notes: [String] = []
        if request?["body"]?["type"]?.text?.uppercased() == "XML" { notes.append(StubParts.xmlNote) }
        if let life = node["timeToLive"], life["unlimited"]?.bool != true {
            notes.append("`timeToLive` is left out: cassettes do not age within a run")
        }
        return ImportedStub(set: set, notes: notes)
    }

    // MARK: Requests

    private static func matcher(_ request: ForeignNode?, line: Int) throws(LeftOut) -> RequestMatcher {
        var matcher = RequestMatcher()
        matcher.url = .pattern(try StubParts.pattern("/.*", .whole, line: line))
        guard let request, request.isMap else { return matcher }
        if request["not"]?.bool == true || request["specUrlOrPayload"] != nil {
            throw LeftOut("its request cannot be stated", line: request.line)
        }
        if let method = request["method"]?.text, !method.isEmpty {
            guard !method.hasPrefix("!"), method.utf8.allSatisfy({ ASCII.isUnreserved($0) }) else {
                throw LeftOut("its condition on the method cannot be stated", line: request.line)
            }
            matcher.methods = [method.uppercased()]
        }
        if let path = request["path"] { try self.readPath(path, into: &matcher) }
        matcher.query = try self.fields(request["queryStringParameters"])
        matcher.headers = try self.fields(request["headers"])
        matcher.cookies = try self.fields(request["cookies"])
        if let body = request["body"], !body.isNull { matcher.body = [try self.body(body)] }
        return matcher
    }

    private static func readPath(_ node: ForeignNode, into matcher: inout RequestMatcher) throws(LeftOut) {
        guard let path = node.text ?? node["value"]?.text, !path.hasPrefix("!"), node["not"]?.bool != true else {
            throw LeftOut("its condition on the path cannot be stated", line: node.line)
        }
        if path.contains("{") {
            do throws(PatternError) {
                matcher.url = .template(try URLTemplate(path))
            } catch {
                throw LeftOut("its path cannot be used: \(error)", line: node.line)
            }
        } else if self.isPattern(path) {
            matcher.url = try StubParts.url(matching: path, isPathAlone: true, line: node.line)
        } else {
            matcher.url = .exactPath(path.hasPrefix("/") ? path : "/\(path)")
            matcher.refusesOtherQuery = false
        }
    }

    /// Texts are regular expressions in MockServer, unless they are equal literally.
    private static func isPattern(_ text: String) -> Bool { text.contains { "*+[](|^$\\?".contains($0) } }

    /// A map of names to a value or a list of values, or a list of maps with `name` and `values`.
    private static func fields(_ node: ForeignNode?) throws(LeftOut) -> [RequestMatcher.Field] {
        var pairs: [(name: String, value: ForeignNode)] = []
        for pair in node?.pairs ?? [] where pair.key.text != "keyMatchStyle" {
            pairs.append((pair.key.text ?? "", pair.value))
        }
        for item in node?.items ?? [] {
            guard let value = item["values"] ?? item["value"] else { continue }
            pairs.append((item["name"]?.text ?? "", value))
        }
        var fields: [RequestMatcher.Field] = []
        for (name, value) in pairs {
            guard !name.hasPrefix("!"), !name.hasPrefix("?"), !value.isMap else {
                throw LeftOut("its condition on '\(name.prefix(80))' cannot be stated", line: value.line)
            }
            var values: [ValueMatcher] = []
            for text in (value.isList ? value.items : [value]).compactMap(\.text) {
                values.append(try self.value(text, line: value.line))
            }
            fields.append(.init(name, try StubParts.all(values, isOneValue: false, line: value.line)))
        }
        return fields
    }

    private static func value(_ text: String, line: Int) throws(LeftOut) -> ValueMatcher {
        if text.hasPrefix("!") { return .not(try self.value(String(text.dropFirst()), line: line)) }
        guard self.isPattern(text) else { return .equals(text) }
        // A text that is not a pattern is compared literally.
        guard let pattern = try? Pattern("\\A(?:\(text))\\z", scope: .anywhere) else { return .equals(text) }
        return try StubParts.any([.equals(text), .pattern(pattern)], line: line)
    }

    private static func body(_ node: ForeignNode) throws(LeftOut) -> BodyMatcher {
        if let text = node.text { return .text(.equals(text)) }
        if node["not"]?.bool == true { throw LeftOut("its condition on the body cannot be stated", line: node.line) }
        switch node["type"]?.text?.uppercased() {
        case "STRING",
            nil where node["string"] != nil:
            let text = node["string"]?.text ?? ""
            return .text(node["subString"]?.bool == true ? .contains(text) : .equals(text))
        case "JSON",
            nil where node["json"] != nil:
            guard let json = node["json"] else { throw LeftOut("its body has no JSON", line: node.line) }
            return node["matchType"]?.text == "STRICT"
                ? try StubParts.json(equal: json) : try StubParts.json(within: json)
        case "REGEX": return .text(try StubParts.whole(node["regex"]?.text ?? "", line: node.line))
        case "JSON_PATH":
            return try StubJSONPath.matcher(node["jsonPath"]?.text ?? "", line: node.line)
        case "XML": return .text(try StubParts.xml(node["xml"]?.text ?? "", line: node.line))
        case "PARAMETERS": return .form(try self.fields(node["parameters"]), refusesOthers: false)
        case "BINARY":
            return .bytes(InlineBody(form: .base64, content: ForeignText.base64(node["base64Bytes"]?.text ?? "") ?? []))
        case let type:
            // A body of JSON without the words around it.
            guard type == nil, node.isMap || node.isList else {
                throw LeftOut("its condition on the body, \(type ?? ""), cannot be stated", line: node.line)
            }
            return try StubParts.json(within: node)
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
        let charset = node["charset"]?.text
        let type = node["contentType"]?.text
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
        switch node?["timeUnit"]?.text?.uppercased() {
        case "SECONDS": return .fixed(value * 1_000)
        case "MINUTES": return .fixed(value * 60_000)
        case "MICROSECONDS": return .fixed(value / 1_000)
        case "NANOSECONDS": return .fixed(value / 1_000_000)
        default: return .fixed(value)
        }
    }
}
