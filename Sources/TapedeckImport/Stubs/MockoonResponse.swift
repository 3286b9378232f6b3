import TapedeckCore

/// A response of a Mockoon route.
struct MockoonResponse {
    private let node: ForeignNode
    private let environment: ForeignNode
    private let side: ImportFile.Sides

    init(_ node: ForeignNode, environment: ForeignNode, side: @escaping ImportFile.Sides) {
        self.node = node
        self.environment = environment
        self.side = side
    }

    /// The fields that Mockoon gives to preflights, unless the environment has others.
    private static let preflightFields = [
        HeaderField("Access-Control-Allow-Origin", "*"),
        HeaderField("Access-Control-Allow-Methods", "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"),
        HeaderField(
            "Access-Control-Allow-Headers",
            "Content-Type, Origin, Accept, Authorization, Content-Length, X-Requested-With"
        ),
    ]

    /// The answer to `OPTIONS` requests of an environment with `cors`.
    func preflight(_ notes: inout [String]) throws(LeftOut) -> Behaviour {
        var take = Take(status: 200)
        for field in Self.preflightFields { Self.set(field, in: &take.headers) }
        for field in self.fields(of: self.environment) { Self.set(field, in: &take.headers) }
        return try self.behaviour(take, [], isTemplate: false, nil, &notes)
    }

    func behaviour(_ path: MockoonPath, _ notes: inout [String]) throws(LeftOut) -> Behaviour {
        var take = Take(status: try StubParts.status(self.node["statusCode"]))
        for field in self.fields(of: self.environment) { Self.set(field, in: &take.headers) }
        for field in self.fields(of: self.node) { Self.set(field, in: &take.headers) }
        let isTemplate = self.node["disableTemplating"]?.bool != true
        if self.node["callbacks"]?.items.isEmpty == false {
            StubNote.add("`callbacks` are left out: Tapedeck sends no requests of its own", to: &notes)
        }
        let file = (self.node["filePath"] ?? self.node["file"]?["path"])?.text ?? ""
        switch self.node["bodyType"]?.text ?? (file.isEmpty ? "INLINE" : "FILE") {
        case "FILE" where !file.isEmpty: return try self.fileBehaviour(take, file, isTemplate, path, &notes)
        case "DATABUCKET" where self.node["databucketID"]?.text?.isEmpty == false:
            let bytes = try self.bucket(self.node["databucketID"]?.text ?? "")
            self.setType(in: &take.headers)
            return try self.behaviour(take, bytes, isTemplate: false, path, &notes)
        default:
            self.setType(in: &take.headers)
            return try self.behaviour(
                take,
                Array((self.node["body"]?.text ?? "").utf8),
                isTemplate: isTemplate,
                path,
                &notes
            )
        }
    }

    // MARK: Header fields

    private func fields(of node: ForeignNode) -> [HeaderField] {
        let nodes = node["headers"]?.items ?? node["customHeaders"]?.items ?? []
        return nodes.compactMap { item in
            guard let name = item["key"]?.text, !name.isEmpty, let value = item["value"]?.text, !value.isEmpty,
                name.utf8.allSatisfy(ASCII.isToken)
            else { return nil }
            return HeaderField(name, value.inOneLine)
        }
    }

    /// Sets a field in place of others of its name; cookies add up.
    private static func set(_ field: HeaderField, in fields: inout [HeaderField]) {
        if !field.isNamed("set-cookie") { fields.removeAll { $0.isNamed(field.name) } }
        fields.append(field)
    }

    /// Makes the type of JSON the plain one, as Mockoon does.
    private func setType(in fields: inout [HeaderField]) {
        let own = self.fields(of: self.node).first { $0.isNamed("content-type") }
        let type = own ?? self.fields(of: self.environment).first { $0.isNamed("content-type") }
        guard let type, type.value.contains("application/json") else { return }
        Self.set(HeaderField("Content-Type", "application/json"), in: &fields)
    }

    // MARK: Bodies

    private func bucket(_ id: String) throws(LeftOut) -> [UInt8] {
        guard let bucket = self.environment["data"]?.items.first(where: { $0["id"]?.text == id }) else {
            return Array((self.node["body"]?.text ?? "").utf8)
        }
        guard let text = bucket["value"]?.text else { throw LeftOut("its data bucket has no value", line: bucket.line) }
        guard !text.contains("{{") else {
            throw LeftOut("its data bucket '\(id.prefix(80))' is a template, which has no equal", line: self.node.line)
        }
        let file = ImportFile(path: "", bytes: Array(text.utf8))
        guard (try? JSONValue(parsing: Array(text.utf8))) != nil, let json = file.document else {
            return Array(text.utf8)
        }
        if case .scalar(let text, isPlain: false) = json.content { return Array(text.utf8) }
        return ForeignJSON.text(json, .javaScript)
    }

    private func fileBehaviour(
        _ take: Take,
        _ file: String,
        _ isTemplate: Bool,
        _ path: MockoonPath,
        _ notes: inout [String]
    ) throws(LeftOut) -> Behaviour {
        var take = take
        let line = self.node["filePath"]?.line ?? self.node.line
        guard !file.contains("{{") else { throw LeftOut("the name of its body file is a template", line: line) }
        var name = file.replacing("\\", with: "/")
        while name.hasPrefix("./") { name = String(name.dropFirst(2)) }
        guard let bytes = self.side(name) else {
            throw LeftOut("its body file '\(file.prefix(200))' is not there", line: line)
        }
        let type = MediaTypes.type(of: name)
        if !self.fields(of: self.node).contains(where: { $0.isNamed("content-type") }) {
            if let type {
                Self.set(HeaderField("Content-Type", type), in: &take.headers)
            } else {
                notes.append("the type of its file '\(name.prefix(80))' is not known: it may lack a Content-Type")
            }
        }
        let sendsAsBody = self.node["sendFileAsBody"] ?? self.node["file"]?["sendAsBody"]
        if sendsAsBody?.bool != true {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            let encoded = ForeignText.formEncoded(last, keeping: "!'()*").replacing("+", with: "%20")
            let disposition = "attachment; filename=\"\(encoded)\""
            Self.set(HeaderField("Content-Disposition", disposition), in: &take.headers)
        }
        guard isTemplate, type.map(MediaTypes.mockoonTemplates.contains) ?? false || name.hasSuffix(".handlebars")
        else {
            // Bytes are sent as they are, with the type of the file.
            let isText = take.headers.mediaType.hasPrefix("text/") || take.headers.mediaType == "application/json"
            return try self.behaviour(take, bytes, isTemplate: false, isText: isText, path, &notes)
        }
        return try self.behaviour(take, bytes, isTemplate: true, path, &notes)
    }

    // MARK: Behaviours

    /// - Parameter isText: true if Express sets the character encoding.
    private func behaviour(
        _ take: Take,
        _ body: [UInt8],
        isTemplate: Bool,
        isText: Bool = true,
        _ path: MockoonPath?,
        _ notes: inout [String]
    ) throws(LeftOut) -> Behaviour {
        var take = take
        take.headers = StubParts.headers(take.headers)
        let text = isTemplate ? String(validating: body, as: UTF8.self) : nil
        let bodyHolds = text?.contains("{{") ?? false
        let fieldsHold = take.headers.contains { $0.value.contains("{{") }
        take.body = StubParts.body(body)
        var behaviour = Behaviour(.takes([take]))
        if bodyHolds || fieldsHold {
            var template = MockoonTemplate(path: path)
            do throws(StubTemplate.UnknownTag) {
                if let text, bodyHolds {
                    take.body = StubParts.body(Array(try template.converted(text).utf8))
                } else if String(decoding: body, as: UTF8.self).contains("{{") {
                    throw StubTemplate.UnknownTag(text: "of a field beside a body with braces")
                }
                for index in take.headers.indices where take.headers[index].value.contains("{{") {
                    take.headers[index].value = try template.converted(take.headers[index].value)
                }
            } catch {
                throw LeftOut("its template has a helper without an equal: \(error.text)", line: self.node.line)
            }
            for note in template.notes { StubNote.add(note, to: &notes) }
            behaviour.isTemplate = true
        }
        if [204, 304].contains(take.status) {
            take.body = .none
            take.headers.removeAll { $0.isNamed("content-type") }
        } else if isText {
            // Express sends no body with it.
            if take.status == 205 { take.body = .none }
            Self.setCharset(in: &take.headers, hasBody: path != nil)
        }
        behaviour.answer = .takes([take])
        let delay = try self.delay(self.environment["latency"]) + self.delay(self.node["latency"])
        if delay > 0 { behaviour.pacing.delay = .fixed(delay) }
        return behaviour
    }

    /// Adds the character encoding to the type, as Express does for texts; a text without a type is HTML.
    private static func setCharset(in fields: inout [HeaderField], hasBody: Bool) {
        guard let index = fields.firstIndex(where: { $0.isNamed("content-type") }) else {
            if hasBody { fields.append(HeaderField("Content-Type", "text/html; charset=utf-8")) }
            return
        }
        var parts = fields[index].value.split(separator: ";").map { String($0.drop { $0 == " " }) }
        guard let type = parts.first, type.contains("/") else { return }
        if !hasBody, parts.count > 1 || !(type.hasPrefix("text/") || type == "application/json") { return }
        parts = parts.dropFirst().filter { !ASCII.lowercased($0).hasPrefix("charset=") } + ["charset=utf-8"]
        fields[index].value = ([ASCII.lowercased(type)] + parts.sorted()).joined(separator: "; ")
    }

    private func delay(_ node: ForeignNode?) throws(LeftOut) -> Int {
        guard let node, !node.isNull else { return 0 }
        guard let delay = node.int, delay <= 86_400_000 else {
            throw LeftOut("its delay is no number", line: node.line)
        }
        return max(delay, 0)
    }
}
