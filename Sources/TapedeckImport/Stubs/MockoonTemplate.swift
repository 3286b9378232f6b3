import TapedeckCore

/// Handlebars templates of Mockoon.
struct MockoonTemplate {
    /// The path of the route; `nil` for a template that is not of a route.
    let path: MockoonPath?
    /// The values that are inserted differently, in half a sentence each.
    private(set) var notes: [String] = []

    init(path: MockoonPath?) {
        self.path = path
    }

    /// The template as one of ours.
    mutating func converted(_ text: String) throws(StubTemplate.UnknownTag) -> String {
        try Self.checkBraces(text)
        var reader = self
        let result = try StubTemplate.converted(text) { reader.part($0) }
        self = reader
        return result
    }

    /// Handlebars takes no tag of two braces that ends with three.
    private static func checkBraces(_ text: String) throws(StubTemplate.UnknownTag) {
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            let inner = rest[open.upperBound...]
            guard let close = inner.firstRange(of: "}}") else { return }
            rest = inner[close.upperBound...]
            if !inner.hasPrefix("{"), rest.hasPrefix("}") {
                throw StubTemplate.UnknownTag(text: String(inner[..<close.lowerBound].prefix(80)) + "}}}")
            }
            if rest.hasPrefix("}") { rest = rest.dropFirst() }
        }
    }

    private mutating func part(_ expression: String) -> StubTemplate.Part? {
        guard !expression.hasPrefix("#"), !expression.hasPrefix("/"), !expression.hasPrefix("{"),
            let tag = TemplateWords(expression)
        else { return nil }
        let words = tag.words
        guard tag.options.isEmpty else { return Self.number(words, tag.options) }
        let isQuoted = words.count > 1 && self.isQuoted(expression, words)
        switch (words[0], words.count) {
        case ("method", 1): return .name("request.method")
        case ("hostname", 1): return .name("request.host")
        case ("body", 1), ("bodyRaw", 1): return .name("request.body")
        case ("uuid", 1), ("guid", 1): return .name("random.uuid")
        case ("faker", 2) where ["string.uuid", "datatype.uuid"].contains(words[1]): return .name("random.uuid")
        case ("newline", 1): return .text("\n")
        case ("int", 3) where !isQuoted:
            guard let from = Int(words[1]), let to = Int(words[2]), from >= 0, to >= from else { return nil }
            return .name("random.number-\(from)-\(to)")
        case ("queryParam", 2...3) where isQuoted:
            guard StubTemplate.isPlain(words[1]), !words[1].contains(".") else { return nil }
            return self.value("query.\(words[1])", default: words.count > 2 ? words[2] : nil)
        case ("urlParam", 2) where isQuoted:
            guard let path = self.path, path.captures(words[1]) else { return nil }
            self.noteEscapes()
            return .name("url.\(StubParts.gap(words[1]))")
        case ("header", 2...3) where isQuoted:
            guard StubTemplate.isPlain(words[1]) else { return nil }
            self.noteEscapes()
            return self.value("header.\(ASCII.lowercased(words[1]))", default: words.count > 2 ? words[2] : nil)
        case ("cookie", 2...3) where isQuoted:
            guard StubTemplate.isPlain(words[1]) else { return nil }
            self.noteEscapes()
            return self.value("cookie.\(words[1])", default: words.count > 2 ? words[2] : nil)
        case ("body", 2) where isQuoted:
            guard !words[1].hasPrefix("$") else { return self.json(words[1]) }
            return self.json("$." + words[1])
        default: return nil
        }
    }

    /// A random number within limits.
    private static func number(_ words: [String], _ options: [String: String]) -> StubTemplate.Part? {
        guard words == ["faker", "number.int"] || words == ["faker", "datatype.number"],
            options.keys.allSatisfy({ $0 == "min" || $0 == "max" }), let from = Int(options["min"] ?? "0"),
            let to = options["max"].flatMap({ Int($0) }), from >= 0, to >= from
        else { return nil }
        return .name("random.number-\(from)-\(to)")
    }

    private mutating func json(_ path: String) -> StubTemplate.Part? {
        guard let part = StubTemplate.json(path) else { return nil }
        StubNote.add("values of a body are taken from JSON, not from forms or XML", to: &self.notes)
        return part
    }

    private mutating func noteEscapes() {
        StubNote.add("values of its template are not escaped for HTML", to: &self.notes)
    }

    /// A value, or a text where it is missing.
    private func value(_ name: String, default text: String?) -> StubTemplate.Part? {
        guard let text, !text.isEmpty else { return .name(name) }
        guard !text.contains("{"), !text.contains("}") else { return nil }
        return .raw("{{\(name)}}{{#missing(\(name))}}\(text){{/missing(\(name))}}")
    }

    /// True if all words but the first are in quotes, so that none is a name or a number.
    private func isQuoted(_ expression: String, _ words: [String]) -> Bool {
        words.dropFirst().allSatisfy { expression.contains("'\($0)'") || expression.contains("\"\($0)\"") }
    }
}
