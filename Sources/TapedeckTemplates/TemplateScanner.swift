import TapedeckCore

/// Finds the tags of a template. An error says what is wrong and where.
struct TemplateScanner {
    private static let nameLimit = 256
    private static let functionLimit = 4

    private let text: [UInt8]
    private var opening = Array("{{".utf8)
    private var closing = Array("}}".utf8)
    private var index = 0

    /// Returns the tags in the order of the text.
    static func tags(in text: [UInt8]) throws(TemplateError) -> [TemplateTag] {
        var scanner = Self(text: text)
        var tags: [TemplateTag] = []
        while let start = scanner.find(scanner.opening, from: scanner.index) {
            scanner.index = start
            tags.append(try scanner.tag())
        }
        return tags
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private mutating func tag() throws(TemplateError) -> TemplateTag {
        let start = self.index
        self.index += self.opening.count
        let kind: TemplateTag.Kind
        switch self.index < self.text.count ? self.text[self.index] : 0 {
        case UInt8(ascii: "!"):
            guard let end = self.find(self.closing, from: self.index) else { throw self.unclosed(start) }
            self.index = end + self.closing.count
            return TemplateTag(kind: .nothing, name: "", range: start..<self.index)
        case ASCII.equals:
            self.index += 1
            try self.changeDelimiters(start: start)
            return TemplateTag(kind: .nothing, name: "", range: start..<self.index)
        case ASCII.openBrace: kind = .raw
        case ASCII.ampersand: kind = .raw
        case ASCII.hash: kind = .section
        case UInt8(ascii: "^"): kind = .inverted
        case ASCII.slash: kind = .close
        case UInt8(ascii: ">"): kind = .partial
        case UInt8(ascii: "<"), UInt8(ascii: "$"):
            throw self.error("templates cannot inherit from each other: `<` and `$` are not available", at: start)
        case ASCII.percent:
            throw self.error("a template cannot choose its own escaping: `%` is not available", at: start)
        default: kind = .variable
        }
        let hasBrace = kind == .raw && self.text[self.index] == ASCII.openBrace
        if kind != .variable { self.index += 1 }
        let name = try self.name(start: start, kind: kind)
        try self.end(start: start, end: (hasBrace ? [ASCII.closeBrace] : []) + self.closing)
        if kind != .partial { try self.checkFunctions(name, start: start) }
        return TemplateTag(kind: kind, name: name, range: start..<self.index)
    }

    /// Reads a name with the white space around it.
    private mutating func name(start: Int, kind: TemplateTag.Kind) throws(TemplateError) -> String {
        self.skipSpace()
        let bytes = self.text[self.index...].prefix {
            Self.isNameByte($0) || kind == .partial && ($0 == ASCII.slash || $0 == ASCII.asterisk)
        }
        self.index += bytes.count
        self.skipSpace()
        guard self.index < self.text.count else { throw self.unclosed(start) }
        let name = String(decoding: bytes, as: UTF8.self)
        guard name.utf8.count <= Self.nameLimit else {
            throw self.error("the name in this tag is longer than \(Self.nameLimit) characters", at: start)
        }
        return name
    }

    private mutating func end(start: Int, end: [UInt8]) throws(TemplateError) {
        guard self.find(end, from: self.index) != nil else { throw self.unclosed(start) }
        guard self.text[self.index...].starts(with: end) else {
            throw self.error(
                "this is no tag: a name is letters, digits and `. - _ ?`, and ends with "
                    + "`\(String(decoding: end, as: UTF8.self))`; if it is not meant as a tag, write {{=<% %>=}} "
                    + "in front of it, after which tags are written <%name%>",
                at: start
            )
        }
        self.index += end.count
    }

    /// `uppercased(url.owner)`: every parenthesis closed at the end, and every function known.
    private func checkFunctions(_ name: String, start: Int) throws(TemplateError) {
        var parts = name.split(separator: "(", omittingEmptySubsequences: false)
        let inner = parts.removeLast()
        let closed = inner.drop { $0 != ")" }
        guard closed.count == parts.count, closed.allSatisfy({ $0 == ")" }), parts.allSatisfy({ !$0.contains(")") })
        else {
            throw self.error("the parentheses in `\(name)` do not match", at: start)
        }
        guard parts.count <= Self.functionLimit else {
            throw self.error("`\(name)` has more than \(Self.functionLimit) functions", at: start)
        }
        guard !parts.isEmpty || !inner.isEmpty else { throw self.error("this tag has no name", at: start) }
        for part in parts where TemplateFunction(rawValue: String(part)) == nil {
            let known = TemplateFunction.allCases.map(\.rawValue)
            let hint = Spelling.nearest(to: String(part), among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw self.error("there is no function `\(part)`\(hint)", at: start)
        }
    }

    /// `{{=<% %>=}}`
    private mutating func changeDelimiters(start: Int) throws(TemplateError) {
        guard let end = self.find([ASCII.equals] + self.closing, from: self.index) else { throw self.unclosed(start) }
        let words = self.text[self.index..<end].split { Self.isSpace($0) }
        guard words.count == 2, words.allSatisfy({ $0.count <= 16 && !$0.contains(ASCII.equals) }) else {
            throw self.error("write new delimiters as {{=<% %>=}}: two words without an equals sign", at: start)
        }
        self.index = end + 1 + self.closing.count
        self.opening = Array(words[0])
        self.closing = Array(words[1])
    }

    private func unclosed(_ start: Int) -> TemplateError {
        let closing = String(decoding: self.closing, as: UTF8.self)
        return self.error("a tag begins here and is never closed with `\(closing)`", at: start)
    }

    private func error(_ message: String, at index: Int) -> TemplateError {
        TemplateError(message, in: self.text, at: index)
    }

    private mutating func skipSpace() {
        while self.index < self.text.count, Self.isSpace(self.text[self.index]) { self.index += 1 }
    }

    private func find(_ needle: [UInt8], from start: Int) -> Int? {
        guard let first = needle.first, start < self.text.count else { return nil }
        var index = start
        while let next = self.text[index...].firstIndex(of: first), next + needle.count <= self.text.count {
            if self.text[next...].starts(with: needle) { return next }
            index = next + 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: ".-_?()".utf8.contains(byte)
        }
    }
}
