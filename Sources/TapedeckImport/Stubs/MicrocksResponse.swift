import TapedeckCore

/// A response of Microcks, of an example or of a snapshot.
struct MicrocksResponse {
    private let node: ForeignNode

    init(_ node: ForeignNode) {
        self.node = node
    }

    /// The text of a value, JSON of lists and maps; `nil` for a null.
    static func text(_ node: ForeignNode) -> String? {
        if let text = node.text { return text }
        return node.isMap || node.isList ? String(decoding: ForeignJSON.text(node, .dotNet), as: UTF8.self) : nil
    }

    func behaviour(line: Int) throws(LeftOut) -> Behaviour {
        var take = Take(status: try StubParts.status(self.node["status"]))
        if let type = self.node["mediaType"]?.text, !type.isEmpty {
            take.headers.append(HeaderField("Content-Type", "\(type);charset=UTF-8"))
        }
        for field in self.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ASCII.isToken) else {
                throw LeftOut("its response has a field with a name that no field can have", line: line)
            }
            if field.isNamed("content-type") { take.headers.removeAll { $0.isNamed("content-type") } }
            take.headers.append(field)
        }
        take.headers = StubParts.headers(take.headers)
        let text = (self.node["body"] ?? self.node["content"]).flatMap(Self.text) ?? ""
        take.body = StubParts.body(Array(text.utf8))
        guard text.contains("{{") || take.headers.contains(where: { $0.value.contains("{{") }) else {
            return Behaviour(.takes([take]))
        }
        do throws(StubTemplate.UnknownTag) {
            take.body = StubParts.body(Array(try Self.converted(text).utf8))
            for index in take.headers.indices {
                take.headers[index].value = try Self.converted(take.headers[index].value)
            }
        } catch {
            throw LeftOut("its template has a function without an equal: \(error.text)", line: line)
        }
        return Behaviour(.takes([take]), isTemplate: true)
    }

    /// The header fields: a map of names to values with commas, or a list of names with values.
    private var fields: [HeaderField] {
        guard let headers = self.node["headers"] else { return [] }
        if headers.isList {
            return headers.items.flatMap { item in
                (item["values"]?.items ?? []).map { HeaderField(item["name"]?.text ?? "", $0.text ?? "") }
            }
        }
        return headers.pairs.flatMap { pair -> [HeaderField] in
            var values: [String] = []
            for value in (Self.text(pair.value) ?? "").split(separator: ",").map({ RequestText.trimmed($0) })
            where !values.contains(value) { values.append(value) }
            return values.map { HeaderField(pair.key.text ?? "", $0) }
        }
    }

    // MARK: Templates

    private static func converted(_ text: String) throws(StubTemplate.UnknownTag) -> String {
        try StubTemplate.converted(text) { self.part($0) }
    }

    private static func part(_ expression: String) -> StubTemplate.Part? {
        let text = expression.filter { $0 != " " }
        switch text {
        case "uuid()", "randomUUID()": return .name("random.uuid")
        case "request.body": return .name("request.body")
        default: break
        }
        if text.hasPrefix("request.body/") {
            return StubTemplate.json("$." + text.dropFirst("request.body/".count).replacing("/", with: "."))
        }
        for (start, name) in [("request.params[", "query."), ("request.headers[", "header.")]
        where text.hasPrefix(start) && text.hasSuffix("]") {
            let inner = String(text.dropFirst(start.count).dropLast())
            guard StubTemplate.isPlain(inner) else { return nil }
            return .name(name + (name == "header." ? ASCII.lowercased(inner) : inner))
        }
        return nil
    }
}
