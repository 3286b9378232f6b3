import TapedeckCore

extension CassetteReader {
    mutating func readTake(_ node: YAMLNode) -> Take? {
        guard self.expectMapping(node, "a take") else { return nil }
        var take = Take()
        var hasStatus = false
        // One pass over the pairs: a take is read for every exchange of a cassette, so no key is searched for.
        for (key, value) in node.pairs {
            if key.scalarEquals("status") {
                hasStatus = true
                take.status = self.readStatus(value)
            } else if key.scalarEquals("headers") {
                take.headers = self.readFields(value, "headers")
            } else if key.scalarEquals("body") {
                take.body = self.readBody(value)
            } else if key.scalarEquals("recorded") {
                take.recorded = self.text(value, "recorded")
            } else if key.scalarEquals("reason") {
                take.reason = self.text(value, "reason")
            } else if key.scalarEquals("trailers") {
                take.trailers = self.readFields(value, "trailers")
            } else if key.scalarEquals("interim") {
                take.interim = self.readInterim(value)
            } else if key.scalarEquals("endsAtClose") {
                take.endsAtClose = self.readBool(value, "endsAtClose")
            } else if key.scalarEquals("fault") {
                take.fault = self.readFault(value)
            } else if key.scalarEquals("detail") {
                take.detail = self.text(value, "detail")
            } else if key.scalarEquals("request") {
                take.request = self.readTakeRequest(value)
            } else {
                self.unknown(key, CassetteKeys.take, of: "a take")
            }
        }
        if !hasStatus, take.fault == nil || take.fault == .truncatedBody {
            self.error(node, "a take needs a `status`, such as 200, or a `fault`")
        }
        if hasStatus, let fault = take.fault, fault != .truncatedBody {
            self.error(node, "with the fault \(fault.rawValue) there is no response, so no `status`")
        }
        return take
    }

    mutating func readFault(_ node: YAMLNode) -> Fault? {
        let text = node.kind == .scalar ? node.string : ""
        if let fault = Fault(rawValue: text) { return fault }
        let names = Fault.allCases.map(\.rawValue)
        let hint = Spelling.nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
        self.error(node, "`fault` is one of \(names.joined(separator: ", "))\(hint)")
        return nil
    }

    private mutating func readStatus(_ node: YAMLNode) -> Int {
        guard let status = node.int, (200...999).contains(status) else {
            self.error(node, "`status` is a number from 200 to 999; 1xx responses go under `interim`")
            return 200
        }
        return status
    }

    private mutating func readInterim(_ node: YAMLNode) -> [Take.Interim] {
        guard self.expectSequence(node, "interim") else { return [] }
        var responses: [Take.Interim] = []
        for item in node.items {
            guard self.expectMapping(item, "an interim response") else { continue }
            self.checkKeys(item, CassetteKeys.interim, of: "an interim response")
            guard let statusNode = self.require("status", in: item, of: "an interim response") else { continue }
            guard let status = statusNode.int, (102...199).contains(status) else {
                self.error(statusNode, "the status of an interim response is a number from 102 to 199")
                continue
            }
            let headers = item["headers"].map { self.readFields($0, "headers") } ?? []
            let reason = item["reason"].flatMap { self.text($0, "reason") }
            responses.append(Take.Interim(status: status, reason: reason, headers: headers))
        }
        return responses
    }

    /// A list of one-pair mappings keeps order and duplicates; a plain mapping is what a person writes who needs
    /// neither.
    private mutating func readFields(_ node: YAMLNode, _ what: String) -> [HeaderField] {
        var fields: [HeaderField] = []
        fields.reserveCapacity(node.count)
        switch node.kind {
        case .sequence:
            for item in node.items {
                guard self.expectMapping(item, "each of \(what)") else { continue }
                for (name, value) in item.pairs { self.readField(name, value, into: &fields) }
            }
        case .mapping:
            for (name, value) in node.pairs { self.readField(name, value, into: &fields) }
        case .scalar:
            if !node.isNull { self.error(node, "`\(what)` is a list of `- name: value`") }
        }
        return fields
    }

    private mutating func readField(_ nameNode: YAMLNode, _ valueNode: YAMLNode, into fields: inout [HeaderField]) {
        let name = nameNode.string
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            self.error(nameNode, "\"\(name)\" is no header name")
            return
        }
        let values = valueNode.kind == .sequence ? Array(valueNode.items) : [valueNode]
        for node in values {
            guard let value = self.text(node, name, allowsEmpty: true) else { continue }
            guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
                self.error(node, "the value of \(name) holds a line break or another control character")
                continue
            }
            fields.append(HeaderField(name, value))
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        // RFC 9110 section 5.6.2.
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private mutating func readTakeRequest(_ node: YAMLNode) -> Take.Request? {
        guard self.expectMapping(node, "request") else { return nil }
        self.checkKeys(node, CassetteKeys.takeRequest, of: "what was sent")
        return Take.Request(
            headers: node["headers"].map { self.readFields($0, "headers") } ?? [],
            body: node["body"].map { self.readBody($0) } ?? .none
        )
    }

    // MARK: Bodies

    /// Literal blocks beyond this size are left in the text until they are played. In bytes.
    private static var deferredSize: Int { 256 }

    mutating func readBody(_ node: YAMLNode) -> StoredBody {
        guard self.expectMapping(node, "body") else { return .none }
        var content: (form: String, node: YAMLNode)?
        var layout: JSONLayout?
        var coding: ContentCoding?
        for (key, value) in node.pairs {
            switch key.string {
            case "text", "json", "base64", "file":
                if content != nil { self.error(key, "a body has one of text, json, base64 and file") }
                content = (key.string, value)
            case "layout":
                layout = self.readChoice(value, "layout", JSONLayout.allCases)
            case "encoding":
                coding = self.readChoice(value, "encoding", ContentCoding.allCases)
            default:
                self.unknown(key, CassetteKeys.body, of: "a body")
            }
        }
        guard let content else {
            self.error(node, "a body has one of text, json, base64 and file")
            return .none
        }
        if layout != nil, content.form != "json" {
            self.error(node, "`layout` goes with `json` only")
        }
        return self.readContent(content.form, content.node, layout: layout, coding: coding)
    }

    private mutating func readContent(
        _ form: String,
        _ node: YAMLNode,
        layout: JSONLayout?,
        coding: ContentCoding?
    ) -> StoredBody {
        guard node.kind == .scalar else {
            self.error(node, "`\(form)` is a text; put what belongs to it behind `\(form): |`, indented")
            return .none
        }
        switch form {
        case "file":
            return self.readFile(node, coding: coding)
        case "base64":
            guard let bytes = node.withScalarBytes({ Base64.decode($0) }) else {
                self.error(node, "this is no base64")
                return .none
            }
            return .inline(InlineBody(form: .base64, content: bytes, coding: coding))
        default:
            let form: InlineBody.Form = form == "json" ? .json : .text
            if node.style == .literal, node.range.count > Self.deferredSize {
                let content = node.deferredBytes
                return .inline(InlineBody(form: form, layout: layout, coding: coding, content: content))
            }
            let body = InlineBody(form: form, content: node.bytes, layout: layout, coding: coding)
            return body.content.isEmpty ? .none : .inline(body)
        }
    }

    private mutating func readFile(_ node: YAMLNode, coding: ContentCoding?) -> StoredBody {
        let name = node.string
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.hasPrefix("/"), !parts.contains("..") else {
            self.error(node, "`file` names a file beside the cassette or in a folder beside it, without ..")
            return .none
        }
        let path = FilePath.join(FilePath.folder(of: self.path), name)
        guard let size = FileContents.size(path) else {
            self.error(node, "the body file \(name) is missing; put it back at \(path), or record again")
            return .none
        }
        return .file(BodyFile(name: name, path: path, size: size, coding: coding))
    }

    private mutating func readChoice<Choice: RawRepresentable<String>>(
        _ node: YAMLNode,
        _ what: String,
        _ choices: [Choice]
    ) -> Choice? {
        if node.kind == .scalar, let choice = Choice(rawValue: node.string) { return choice }
        self.error(node, "`\(what)` is one of \(choices.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    private mutating func readBool(_ node: YAMLNode, _ what: String) -> Bool {
        guard let value = node.bool else {
            self.error(node, "`\(what)` is true or false")
            return false
        }
        return value
    }
}
