import TapedeckCore

extension BrunoSender {
    private static let types = [
        "json": "application/json", "text": "text/plain", "xml": "application/xml",
        "sparql": "application/sparql-query",
    ]

    /// Adds the body to a request. Returns the reason for which it cannot be sent.
    func addBody(_ body: BrunoBody, to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        switch body.mode {
        case "none", "": return nil
        case "json", "text", "xml", "sparql":
            let text = body.mode == "json" ? RequestText.withoutComments(json: body.text) : body.text
            guard body.mode != "json" || !text.isEmpty else { return nil }
            draft.body = Array(try self.variables.filled(text).utf8)
            draft.setDefault("Content-Type", Self.types[body.mode] ?? "text/plain")
        case "formUrlEncoded":
            var fields: [(name: String, value: String)] = []
            for field in body.form where field.isEnabled {
                fields.append((field.name, try self.variables.filled(field.value)))
            }
            draft.body = RequestForm.encoded(fields)
            draft.setDefault("Content-Type", "application/x-www-form-urlencoded")
        case "graphql": return try self.addGraphQL(body, to: &draft)
        case "multipartForm": return try self.addParts(body.parts, to: &draft)
        case "file": return try self.addFile(body.parts, to: &draft)
        default: return "its body has the mode '\(body.mode.prefix(40))'"
        }
        return nil
    }

    private func addGraphQL(_ body: BrunoBody, to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        let query = try self.variables.filled(body.query)
        let text = try self.variables.filled(RequestText.withoutComments(json: body.variables))
        guard let variables = RequestText.compact(json: RequestText.isBlank(text) ? "{}" : text) else {
            return "its GraphQL variables are no JSON"
        }
        draft.body = Array("{\"query\":\(RequestText.json(string: query)),\"variables\":\(variables)}".utf8)
        draft.setDefault("Content-Type", "application/json")
        return nil
    }

    private func addParts(_ parts: [BrunoPart], to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        var filled: [RequestForm.Part] = []
        for part in parts where part.isEnabled {
            guard let files = part.files else {
                let value = try self.variables.filled(part.value)
                filled.append(RequestForm.Part(name: part.name, content: Array(value.utf8), type: part.type))
                continue
            }
            for written in files {
                let path = try self.variables.filled(written)
                guard let content = self.side(path) else { return "its file '\(path.prefix(200))' cannot be read" }
                filled.append(
                    RequestForm.Part(
                        name: part.name,
                        content: content,
                        fileName: RequestForm.fileName(path),
                        type: part.type ?? RequestForm.type(ofFile: path)
                    )
                )
            }
        }
        // A field of the request may name another kind of parts, and the boundary.
        let given = draft.fields.first(named: "content-type") ?? ""
        let isGiven = draft.fields.mediaType.hasPrefix("multipart/")
        let boundary = isGiven ? Self.boundary(of: given) : nil
        let form = RequestForm.multipart(filled, boundary: boundary)
        draft.body = form.body
        let type = isGiven ? draft.fields.mediaType : "multipart/form-data"
        draft.set("Content-Type", boundary == nil ? "\(type); boundary=\(form.boundary)" : given)
        return nil
    }

    private static func boundary(of type: String) -> String? {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { RequestText.trimmed($0) }
            guard parts.count == 2, ASCII.lowercased(parts[0]) == "boundary" else { continue }
            let boundary = parts[1].filter { $0 != "\"" }
            return boundary.isEmpty || boundary.utf8.contains(where: { $0 < 0x20 }) ? nil : boundary
        }
        return nil
    }

    private func addFile(_ parts: [BrunoPart], to draft: inout RequestDraft) throws(UnfilledPlaceholder) -> String? {
        guard let part = parts.first(where: \.isEnabled), let path = part.files?.first, !path.isEmpty else {
            return nil
        }
        let name = try self.variables.filled(path)
        guard let content = self.side(name) else { return "its file '\(name.prefix(200))' cannot be read" }
        draft.body = content
        if let type = part.type, !type.isEmpty {
            draft.set("Content-Type", type)
        } else {
            draft.setDefault("Content-Type", "application/octet-stream")
        }
        return nil
    }
}
