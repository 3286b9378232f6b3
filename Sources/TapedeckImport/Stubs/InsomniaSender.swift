import TapedeckCore
import TapedeckJSON

/// Makes the request that Insomnia sends for one of an export.
struct InsomniaSender {
    let template: InsomniaTemplate
    /// The folders that the request is in, from the outside in.
    let folders: [ForeignNode]
    let side: ImportFile.Sides

    func request(_ node: ForeignNode) throws(LeftOut) -> ForeignRequest {
        var draft = RequestDraft()
        draft.title = node["name"]?.text
        draft.method = node["method"]?.text ?? "GET"
        do throws(UnfilledPlaceholder) {
            draft.url = try self.url(node)
            try self.addFields(node, to: &draft)
            let encodes = node["settings"]?["encodeUrl"]?.bool ?? node["settingEncodeUrl"]?.bool ?? true
            var query = try self.parameters(node["parameters"])
            if let problem = try self.authorise(node, &draft, &query) { throw UnfilledPlaceholder(problem) }
            draft.url = InsomniaURL.text(draft.url, parameters: query, encodes: encodes)
            if let problem = try self.addBody(node, to: &draft) { throw UnfilledPlaceholder(problem) }
        } catch {
            throw LeftOut(error.reason, line: node.line)
        }
        if ([node] + self.folders).contains(where: Self.hasScript) {
            draft.notes.append("the script before it is not run")
        }
        return try draft.request(line: node.line)
    }

    private static func hasScript(_ node: ForeignNode) -> Bool {
        [node["scripts"]?["preRequest"], node["preRequestScript"]].contains { $0?.text?.isEmpty == false }
    }

    /// Returns the names and values of a list, without those that are disabled.
    private func fields(_ node: ForeignNode?) throws(UnfilledPlaceholder) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for item in node?.items ?? [] where item["disabled"]?.bool != true {
            let name = try self.template.filled(item["name"]?.text ?? "")
            fields.append((name, try self.template.filled(item["value"]?.text ?? "")))
        }
        return fields
    }

    private func parameters(_ node: ForeignNode?) throws(UnfilledPlaceholder) -> [InsomniaURL.Parameter] {
        var parameters: [InsomniaURL.Parameter] = []
        for item in node?.items ?? [] where item["disabled"]?.bool != true {
            let name = try self.template.filled(item["name"]?.text ?? "")
            guard let value = item["value"]?.text, item["value"]?.isNull != true else {
                parameters.append((name, nil))
                continue
            }
            parameters.append((name, try self.template.filled(value)))
        }
        return parameters
    }

    // MARK: URL

    private func url(_ node: ForeignNode) throws(UnfilledPlaceholder) -> String {
        var url = RequestText.trimmed(try self.template.filled(node["url"]?.text ?? ""))
        guard !url.isEmpty else { throw UnfilledPlaceholder("it has no URL") }
        if !url.contains("://") { url = "http://\(url)" }
        let parameters = try self.fields(node["pathParameters"])
        guard !parameters.isEmpty else { return url }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        var segments: [String] = []
        for part in url[start..<end].split(separator: "/", omittingEmptySubsequences: false) {
            let name = part.dropFirst().prefix { $0 != ":" }
            guard part.hasPrefix(":"), !segments.isEmpty, let match = parameters.first(where: { $0.name == name })
            else {
                segments.append(String(part))
                continue
            }
            guard !match.value.isEmpty else {
                throw UnfilledPlaceholder("its path parameter '\(name.prefix(80))' has no value")
            }
            segments.append(RequestURL.component(match.value) + part[name.endIndex...])
        }
        return url[..<start] + segments.joined(separator: "/") + url[end...]
    }

    // MARK: Fields

    /// Adds the fields of folders, then those of the request; of a name that may be repeated all values count.
    private func addFields(_ node: ForeignNode, to draft: inout RequestDraft) throws(UnfilledPlaceholder) {
        let single: Set<String> = ["accept", "authorization", "content-type", "host", "referer", "user-agent"]
        for source in self.folders + [node] {
            for field in try self.fields(source["headers"]) where !RequestText.isBlank(field.name) {
                if single.contains(ASCII.lowercased(field.name)) {
                    draft.set(field.name, field.value)
                } else {
                    draft.fields.append(HeaderField(field.name, field.value))
                }
            }
        }
    }

    /// Adds what proves who sends the request: its own, or that of the nearest folder. Returns the reason for which it
    /// cannot be sent.
    private func authorise(
        _ node: ForeignNode,
        _ draft: inout RequestDraft,
        _ query: inout [InsomniaURL.Parameter]
    ) throws(UnfilledPlaceholder) -> String? {
        let all = ([node] + self.folders.reversed()).compactMap { $0["authentication"] }
        guard let auth = all.first(where: { $0["type"] != nil && $0["disabled"]?.bool != true }) else { return nil }
        var values: [String: String] = [:]
        let type = auth["type"]?.text ?? "none"
        switch type {
        case "none", "": return nil
        case "apikey", "basic", "bearer":
            for pair in auth.pairs {
                guard let name = pair.key.text, let value = pair.value.text else { continue }
                values[name] = try self.template.filled(value)
            }
        default: return "its authentication '\(type.prefix(40))' cannot be sent"
        }
        let (key, value) = (values["key"] ?? "", values["value"] ?? "")
        switch (type, values["addTo"]) {
        case ("basic", _):
            draft.setDefault("Authorization", RequestDraft.basic(values["username"] ?? "", values["password"] ?? ""))
        case ("bearer", _):
            let prefix = RequestText.trimmed(values["prefix"] ?? "")
            let token = RequestText.trimmed(values["token"] ?? "")
            guard !token.isEmpty else { return nil }
            draft.setDefault("Authorization", "\(prefix.isEmpty ? "Bearer" : prefix) \(token)")
        case (_, "queryParams"): query.append((key, value))
        case (_, "cookie"): draft.fields.append(HeaderField("Cookie", "\(key)=\(value)"))
        default:
            if !key.isEmpty, !draft.fields.contains(named: "authorization") {
                draft.fields.append(HeaderField(key, value))
            }
        }
        return nil
    }

    // MARK: Body

    /// Adds the body. Returns the reason for which it cannot be sent.
    private func addBody(_ node: ForeignNode, to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        guard let body = node["body"], body.isMap else { return nil }
        let type = body["mimeType"]?.text ?? ""
        switch type {
        case "application/x-www-form-urlencoded":
            draft.body = RequestForm.encoded(try self.fields(body["params"]))
            draft.setDefault("Content-Type", type)
        case "multipart/form-data": return try self.addParts(body["params"]?.items ?? [], to: &draft)
        default:
            if let path = body["fileName"]?.text, !path.isEmpty {
                let name = try self.template.filled(path)
                guard let content = self.side(name) else { return "its file '\(name.prefix(200))' cannot be read" }
                draft.body = content
                return nil
            }
            let text = body["text"]?.text ?? ""
            let isRaw =
                node["settings"]?["renderRequestBody"]?.bool == false
                || node["settingDisableRenderRequestBody"]?.bool == true
            let filled = isRaw ? text : try self.template.filled(text)
            draft.body = Array((type == "application/graphql" ? Self.graphQL(filled) : filled).utf8)
        }
        return nil
    }

    /// Returns the body of a GraphQL request with its variables as an object, which exports have as a text.
    private static func graphQL(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard ForeignJSON.isJSON(bytes), var node = try? ForeignNode.documents(of: bytes).first,
            case .scalar(let written, isPlain: false) = node["variables"]?.content,
            ForeignJSON.isJSON(Array(written.utf8)),
            let variables = try? ForeignNode.documents(of: Array(written.utf8)).first
        else { return text }
        node.content = .map(
            node.pairs.map { $0.key.text == "variables" ? ForeignPair(key: $0.key, value: variables) : $0 }
        )
        return String(decoding: ForeignJSON.text(node, .javaScript), as: UTF8.self)
    }

    private func addParts(_ items: [ForeignNode], to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        var parts: [RequestForm.Part] = []
        for item in items where item["disabled"]?.bool != true {
            let name = try self.template.filled(item["name"]?.text ?? "")
            if item["type"]?.text == "file", let path = item["fileName"]?.text, !path.isEmpty {
                let file = try self.template.filled(path)
                guard let content = self.side(file) else { return "its file '\(file.prefix(200))' cannot be read" }
                let type = RequestForm.type(ofFile: file)
                let part = RequestForm.Part(
                    name: name,
                    content: content,
                    fileName: RequestForm.fileName(file),
                    type: type
                )
                parts.append(part)
                continue
            }
            let value = try self.template.filled(item["value"]?.text ?? "")
            guard !name.isEmpty || !value.isEmpty else { continue }
            // The type of a text of several lines is here.
            let type = item["multiline"]?.bool == nil ? item["multiline"]?.text : nil
            parts.append(RequestForm.Part(name: name, content: Array(value.utf8), type: type))
        }
        let form = RequestForm.multipart(parts)
        draft.body = form.body
        draft.set("Content-Type", "multipart/form-data; boundary=\(form.boundary)")
        return nil
    }
}
