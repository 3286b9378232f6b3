import TapedeckCore
import TapedeckYAML

extension CassetteWriter {
    /// Writes a take as an item of a list with its dash in column `indent`.
    mutating func write(_ take: Take, indent: Int) {
        let inner = indent + 2
        if let fault = take.fault, take.isFaultAlone {
            self.item(indent: indent) { $0.write(fault, take.faultOptions, indent: inner) }
        } else {
            self.yaml.indent(indent)
            self.yaml.raw("- status: ")
            self.yaml.int(take.status)
            self.yaml.newline()
            if let reason = take.reason { self.pair("reason", reason, indent: inner) }
            if let fault = take.fault { self.write(fault, take.faultOptions, indent: inner) }
        }
        if take.times > 1 { self.line("times", indent: inner) { $0.yaml.int(take.times) } }
        if let error = take.urlError { self.pair("urlError", error.name, indent: inner) }
        if let detail = take.detail { self.pair("detail", detail, indent: inner) }
        if let recorded = take.recorded { self.pair("recorded", recorded, indent: inner) }
        if let request = take.request, request != Take.Request() { self.write(request, indent: inner) }
        if !take.interim.isEmpty {
            self.key("interim", indent: inner)
            for interim in take.interim {
                self.yaml.indent(inner + 2)
                self.yaml.raw("- status: ")
                self.yaml.int(interim.status)
                self.yaml.newline()
                if let reason = interim.reason { self.pair("reason", reason, indent: inner + 4) }
                self.write(interim.headers, as: "headers", indent: inner + 4)
            }
        }
        let status = CallStatus(take)
        self.write(Self.withoutDate(status?.headers ?? take.headers, of: take), as: "headers", indent: inner)
        if take.endsAtClose {
            self.yaml.indent(inner)
            self.yaml.raw("endsAtClose: true\n")
        }
        if take.isHTTP2 {
            self.yaml.indent(inner)
            self.yaml.raw("protocol: h2\n")
        }
        if let pieces = take.pieces { self.write(pieces, indent: inner) }
        self.write(take.body, indent: inner)
        if let status { self.write(status, of: take, indent: inner) }
        if let endsAfter = take.endsAfter { self.line("endsAfter", indent: inner) { $0.yaml.int(endsAfter) } }
        self.write(status?.trailers ?? take.trailers, as: "trailers", indent: inner)
    }

    /// A fault: its name, or with details a mapping.
    mutating func write(_ fault: Fault, _ options: FaultOptions, indent: Int) {
        guard options != .none else {
            self.pair("fault", fault.rawValue, indent: indent)
            return
        }
        self.key("fault", indent: indent)
        self.pair("name", fault.rawValue, indent: indent + 2)
        if let code = options.code { self.pair("code", code.name, indent: indent + 2) }
        switch options.after {
        case nil: break
        case .bytes(let count): self.line("after", indent: indent + 2) { $0.yaml.int(count) }
        case .messages(let count): self.pair("after", Plural.text(count, "message", "messages"), indent: indent + 2)
        }
        if let stream = options.lastStream { self.line("lastStream", indent: indent + 2) { $0.yaml.int(stream) } }
    }

    /// Returns the header fields, without a `Date` that equals the time in `recorded`.
    private static func withoutDate(_ fields: [HeaderField], of take: Take) -> [HeaderField] {
        guard let date = fields.firstIndex(where: { $0.isNamed("date") }), fields[date].value == take.dateWhenRecorded
        else { return fields }
        var fields = fields
        fields[date].value = Take.recordedDate
        return fields
    }

    private mutating func write(_ request: Take.Request, indent: Int) {
        self.key("request", indent: indent)
        if let url = request.url { self.pair("url", url, indent: indent + 2) }
        self.write(request.headers, as: "headers", indent: indent + 2)
        self.write(request.body, indent: indent + 2)
    }

    private mutating func write(_ fields: [HeaderField], as name: StaticString, indent: Int) {
        guard !fields.isEmpty else { return }
        self.key(name, indent: indent)
        for field in fields {
            self.yaml.indent(indent + 2)
            self.yaml.raw("- ")
            self.yaml.scalar(field.name)
            self.yaml.raw(": ")
            self.yaml.scalar(field.value)
            self.yaml.newline()
        }
    }

    // MARK: Bodies

    private mutating func write(_ body: StoredBody, indent: Int) {
        switch body {
        case .none:
            return
        case .inline(let body):
            if let messages = body.messages {
                self.write(messages, indent: indent)
                return
            }
            self.key("body", indent: indent)
            self.write(body, indent: indent + 2)
        case .file(let file):
            self.key("body", indent: indent)
            self.pair("file", file.name, indent: indent + 2)
            if let coding = file.coding { self.write(coding, indent: indent + 2) }
        }
    }

    mutating func write(_ body: InlineBody, indent: Int) {
        switch body.form {
        case .text: self.text("text", body.content, indent: indent)
        case .json: self.text("json", body.content, indent: indent)
        case .base64, .messages: self.line("base64", indent: indent) { $0.yaml.scalar(Base64.encode(body.content)) }
        }
        if let layout = body.layout { self.pair("layout", layout.rawValue, indent: indent) }
        if let coding = body.coding { self.write(coding, indent: indent) }
    }
}
