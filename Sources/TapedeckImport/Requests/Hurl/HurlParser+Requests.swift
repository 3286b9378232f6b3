import TapedeckCore

extension HurlParser {
    /// The sections of a request.
    private struct Sections {
        var query: [(name: String, value: String)] = []
        var form: [(name: String, value: String)] = []
        var parts: [RequestForm.Part] = []
        var cookies: [String] = []
        var user: String?
    }

    /// The longer names that sections had before Hurl 6.2.
    private static let oldNames = [
        "QueryStringParams": "Query", "FormParams": "Form", "MultipartFormData": "Multipart",
    ]

    /// Reads a request up to the end of its body.
    mutating func request() throws(LeftOut) -> ForeignRequest {
        guard self.isAtRequest else { throw LeftOut("no request begins here", line: self.line) }
        let line = self.line
        var draft = RequestDraft()
        self.skipSpaces()
        let start = self.position
        while self.current > ASCII.space { self.position += 1 }
        draft.method = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        let url = try self.value()
        guard !url.hasSpaces else { throw LeftOut("its URL has white space within", line: line) }
        var fields: [(name: HurlText, value: HurlText, line: Int)] = []
        while let field = try self.keyValue() { fields.append(field) }
        // Options are read first, because their variables count for the URL.
        let sections = try self.sections(into: &draft)
        draft.url = try self.variables.text(url, line: line)
        let names = try self.texts(fields).map { HeaderField($0.name, $0.value) }
        draft.fields = names + draft.fields
        if let user = sections.user { draft.fields.append(HeaderField("Authorization", user)) }
        if !sections.cookies.isEmpty {
            draft.fields.append(HeaderField("Cookie", sections.cookies.joined(separator: "; ")))
        }
        draft.url = RequestURL.appending(Self.encoded(sections.query), to: draft.url)
        try self.addBody(sections, to: &draft)
        return try draft.request(line: line)
    }

    private func texts(
        _ pairs: [(name: HurlText, value: HurlText, line: Int)]
    ) throws(LeftOut) -> [(name: String, value: String)] {
        var texts: [(name: String, value: String)] = []
        for pair in pairs {
            let name = try self.variables.text(pair.name, line: pair.line)
            texts.append((name, try self.variables.text(pair.value, line: pair.line)))
        }
        return texts
    }

    /// Values are encoded, names are not, as in Hurl.
    private static func encoded(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\($0.name)=\(RequestURL.component($0.value, keeping: ""))" }.joined(separator: "&")
    }

    private mutating func addBody(_ sections: Sections, to draft: inout RequestDraft) throws(LeftOut) {
        let body = try self.body()
        if let body {
            draft.body = body.bytes
        } else if !sections.form.isEmpty {
            draft.body = Array(Self.encoded(sections.form).utf8)
        }
        if !sections.form.isEmpty {
            draft.setDefault("Content-Type", "application/x-www-form-urlencoded")
        } else if !sections.parts.isEmpty, body == nil {
            let form = RequestForm.multipart(sections.parts)
            draft.body = form.body
            draft.set("Content-Type", "multipart/form-data; boundary=\(form.boundary)")
        } else if let type = body?.type {
            draft.setDefault("Content-Type", type)
        }
    }

    // MARK: Sections

    /// Reads the sections; variables and header fields of options are taken over at once.
    private mutating func sections(into draft: inout RequestDraft) throws(LeftOut) -> Sections {
        var sections = Sections()
        // Other sections may be in front of the options, whose variables they use.
        var later: [(name: String, pairs: [(name: HurlText, value: HurlText, line: Int)])] = []
        while let name = try self.sectionName() {
            var pairs: [(name: HurlText, value: HurlText, line: Int)] = []
            while let pair = try self.keyValue() { pairs.append(pair) }
            if name == "Options" {
                for pair in pairs { try self.takeOption(pair, into: &draft, &sections) }
            } else {
                later.append((name, pairs))
            }
        }
        for (name, pairs) in later {
            let texts = try self.texts(pairs)
            switch name {
            case "Query": sections.query += texts
            case "Form": sections.form += texts
            case "Cookies": sections.cookies += texts.map { "\($0.name)=\($0.value)" }
            case "BasicAuth":
                if let first = texts.first { sections.user = RequestDraft.basic(first.name, first.value) }
            default:
                for (text, pair) in zip(texts, pairs) {
                    sections.parts.append(try self.part(text.name, text.value, line: pair.line))
                }
            }
        }
        return sections
    }

    /// Reads the name of a section of a request; `nil` if none begins here.
    private mutating func sectionName() throws(LeftOut) -> String? {
        let start = self
        self.skipBlankLines()
        self.skipSpaces()
        guard self.current == ASCII.openBracket,
            let close = self.bytes[self.position...].prefix(40).firstIndex(of: ASCII.closeBracket)
        else {
            self = start
            return nil
        }
        let written = String(decoding: self.bytes[(self.position + 1)..<close], as: UTF8.self)
        let name = Self.oldNames[written] ?? written
        guard let first = name.first, first.isLetter, name.allSatisfy({ $0.isLetter || $0.isNumber }),
            name != "true", name != "false", name != "null"
        else {
            self = start
            return nil
        }
        guard ["Query", "Form", "Multipart", "Cookies", "BasicAuth", "Options"].contains(name) else {
            throw LeftOut("a request has no section [\(written)]", line: self.line)
        }
        self.position = close + 1
        guard self.takeLineEnd() else { throw LeftOut("this line does not end behind its section", line: self.line) }
        return name
    }

    /// Takes over an option that changes the request.
    private mutating func takeOption(
        _ pair: (name: HurlText, value: HurlText, line: Int),
        into draft: inout RequestDraft,
        _ sections: inout Sections
    ) throws(LeftOut) {
        let name = try self.variables.text(pair.name, line: pair.line)
        switch name {
        case "variable":
            let text = try self.variables.text(pair.value, line: pair.line)
            guard let equals = text.firstIndex(of: "=") else {
                throw LeftOut("this variable has no '='", line: pair.line)
            }
            var value = RequestText.trimmed(text[text.index(after: equals)...])
            if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            self.variables.define(RequestText.trimmed(text[..<equals]), value)
        case "user":
            let text = try self.variables.text(pair.value, line: pair.line)
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if sections.user == nil { sections.user = RequestDraft.basic(parts[0], parts.count > 1 ? parts[1] : "") }
        case "header":
            let text = try self.variables.text(pair.value, line: pair.line)
            let parts = text.split(separator: ":", maxSplits: 1).map { RequestText.trimmed($0) }
            draft.fields.append(HeaderField(parts.first ?? "", parts.count > 1 ? parts[1] : ""))
        case "aws-sigv4", "digest", "negotiate", "ntlm", "unix-socket":
            guard try self.variables.text(pair.value, line: pair.line) != "false" else { return }
            throw LeftOut("its option '\(name)' cannot be used", line: pair.line)
        case "skip":
            guard try self.variables.text(pair.value, line: pair.line) == "true" else { return }
            throw LeftOut("Hurl skips it: its option 'skip' is true", line: pair.line)
        case "connect-to", "proxy", "resolve":
            draft.notes.append("its option '\(name)' is not used")
        default: break
        }
    }

    /// Returns a part of a form; `file,NAME;` is a file beside the Hurl file.
    private func part(_ name: String, _ value: String, line: Int) throws(LeftOut) -> RequestForm.Part {
        guard value.hasPrefix("file,"), let end = value.firstIndex(of: ";") else {
            return RequestForm.Part(name: name, content: Array(value.utf8))
        }
        let path = RequestText.trimmed(value[..<end].dropFirst(5))
        let type = RequestText.trimmed(value[end...].dropFirst())
        return RequestForm.Part(
            name: name,
            content: try self.file(path, line: line),
            fileName: RequestForm.fileName(path),
            type: type.isEmpty ? RequestForm.type(ofFile: path) : type
        )
    }

    /// Returns the content of a file beside the Hurl file.
    func file(_ path: String, line: Int) throws(LeftOut) -> [UInt8] {
        guard let content = self.side(path) else {
            throw LeftOut("its file '\(path.prefix(200))' cannot be read", line: line)
        }
        return content
    }
}
