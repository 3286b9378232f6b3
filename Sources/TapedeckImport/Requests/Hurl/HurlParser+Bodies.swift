import TapedeckCore

extension HurlParser {
    /// A body, and the content type that Hurl sends with one of its kind.
    struct Body {
        let bytes: [UInt8]
        var type: String?
    }

    /// Reads a body; `nil` if none is there.
    mutating func body() throws(LeftOut) -> Body? {
        self.skipBlankLines()
        self.skipSpaces()
        let line = self.line
        guard let body = try self.bodyBytes() else { return nil }
        guard self.takeLineEnd() else { throw LeftOut("a text follows its body", line: line) }
        return body
    }

    private mutating func bodyBytes() throws(LeftOut) -> Body? {
        if self.isAt("```") { return try self.fenced() }
        switch self.current {
        case 0x60: return Body(bytes: Array(try self.variables.text(try self.oneLine(), line: self.line).utf8))
        case UInt8(ascii: "<"): return Body(bytes: try self.xml(), type: "application/xml")
        case ASCII.openBrace, ASCII.openBracket, ASCII.quote, UInt8(ascii: "-"), 0x30...0x39:
            return Body(bytes: try self.json(compact: false), type: "application/json")
        default: break
        }
        if self.isAt("true") || self.isAt("false") || self.isAt("null") {
            return Body(bytes: try self.json(compact: false), type: "application/json")
        }
        if self.isAt("base64,") { return Body(bytes: try self.encoded("base64,", Self.base64)) }
        if self.isAt("hex,") { return Body(bytes: try self.encoded("hex,", ForeignText.hex)) }
        guard self.isAt("file,") else { return nil }
        let line = self.line
        self.position += 5
        self.skipSpaces()
        var name = HurlText()
        while !self.isAtEnd, self.current != ASCII.semicolon, self.current != ASCII.lineFeed {
            if let placeholder = try self.takePlaceholder() {
                name.append(placeholder: placeholder)
            } else if self.current == ASCII.backslash {
                name.append(bytes: try self.takeEscape())
            } else {
                name.append(self.current)
                self.position += 1
            }
        }
        guard self.current == ASCII.semicolon else { throw LeftOut("its file has no ';' behind it", line: line) }
        self.position += 1
        name.trimEnd()
        return Body(bytes: try self.file(try self.variables.text(name, line: line), line: line))
    }

    /// Reads `base64,…;` or `hex,…;`.
    private mutating func encoded(
        _ prefix: StaticString,
        _ decode: (String) -> [UInt8]?
    ) throws(LeftOut) -> [UInt8] {
        let line = self.line
        self.position += prefix.utf8CodeUnitCount
        let start = self.position
        while !self.isAtEnd, self.current != ASCII.semicolon {
            if self.current == ASCII.lineFeed { self.line += 1 }
            self.position += 1
        }
        let text = String(decoding: self.bytes[start..<self.position].filter { $0 > ASCII.space }, as: UTF8.self)
        guard !self.isAtEnd, let bytes = decode(text) else { throw LeftOut("its body cannot be decoded", line: line) }
        self.position += 1
        return bytes
    }

    private static func base64(_ text: String) -> [UInt8]? {
        let isDigit = { (byte: UInt8) in
            ASCII.isUnreserved(byte) && !"-._~".utf8.contains(byte) || "+/=".utf8.contains(byte)
        }
        return text.utf8.allSatisfy(isDigit) ? ForeignText.base64(text) : nil
    }

    /// Reads a text in backticks.
    private mutating func oneLine() throws(LeftOut) -> HurlText {
        self.position += 1
        var text = HurlText()
        while self.current != 0x60 {
            guard !self.isAtEnd, self.current != ASCII.lineFeed else {
                throw LeftOut("its text in backticks is not closed", line: self.line)
            }
            if let placeholder = try self.takePlaceholder() {
                text.append(placeholder: placeholder)
            } else if self.current == ASCII.backslash {
                text.append(bytes: try self.takeEscape())
            } else {
                text.append(self.current)
                self.position += 1
            }
        }
        self.position += 1
        return text
    }

    // MARK: Fences

    /// Reads a text between two lines of three backticks, or within one line.
    private mutating func fenced() throws(LeftOut) -> Body {
        let line = self.line
        self.position += 3
        guard let end = self.firstFence(from: self.position) else {
            throw LeftOut("its text in backticks is not closed", line: line)
        }
        let head = self.bytes[self.position..<end].prefix { $0 != ASCII.lineFeed }
        var words: [String] = []
        var start = self.position
        if head.endIndex < end {
            words = String(decoding: head, as: UTF8.self).split(separator: ",").map { RequestText.trimmed($0) }
            start = head.endIndex + 1
        }
        let language = words.first ?? ""
        guard ["", "escape", "graphql", "json", "novariable", "raw", "text", "xml"].contains(language) else {
            throw LeftOut("its text has the language '\(language.prefix(40))', which Hurl does not know", line: line)
        }
        let isLiteral = words.contains("novariable")
        let (content, lines) = try self.content(start..<end, isLiteral: isLiteral, hasEscapes: words.contains("escape"))
        self.position = end + 3
        self.line = line + lines + (start > head.startIndex ? 1 : 0)
        switch language {
        case "json":
            return Body(bytes: Array(try self.variables.text(content, line: line).utf8), type: "application/json")
        case "xml":
            return Body(bytes: Array(try self.variables.text(content, line: line).utf8), type: "application/xml")
        case "graphql":
            let text = try self.graphQL(start..<end, line: line)
            return Body(bytes: Array(text.utf8), type: "application/json")
        default: return Body(bytes: Array(try self.variables.text(content, line: line).utf8))
        }
    }

    private func firstFence(from start: Int) -> Int? {
        var index = start
        while index + 2 < self.bytes.count {
            if self.bytes[index] == 0x60, self.bytes[index + 1] == 0x60, self.bytes[index + 2] == 0x60 { return index }
            index += 1
        }
        return nil
    }

    /// Returns the text of a range with its placeholders, and the count of its line ends.
    private func content(
        _ range: Range<Int>,
        isLiteral: Bool = false,
        hasEscapes: Bool = false
    ) throws(LeftOut) -> (HurlText, lines: Int) {
        var copy = self
        copy.position = range.lowerBound
        var text = HurlText()
        var lines = 0
        while copy.position < range.upperBound {
            if !isLiteral, let placeholder = try copy.takePlaceholder() {
                text.append(placeholder: placeholder)
            } else if hasEscapes, copy.current == ASCII.backslash {
                text.append(bytes: try copy.takeEscape())
            } else {
                if copy.current == ASCII.lineFeed { lines += 1 }
                text.append(copy.current)
                copy.position += 1
            }
        }
        return (text, lines)
    }

    /// Returns the JSON of a query and its variables, which follow the word `variables` at the start of a line.
    private func graphQL(_ range: Range<Int>, line: Int) throws(LeftOut) -> String {
        var copy = self
        copy.position = range.lowerBound
        copy.line = line
        var end = range.upperBound
        var variables: String?
        while copy.position < range.upperBound {
            if copy.isAt("variables") {
                end = copy.position
                copy.position += 9
                copy.skipSpaces()
                guard copy.current == ASCII.openBrace else {
                    throw LeftOut("its GraphQL variables are no JSON object", line: line)
                }
                variables = String(decoding: try copy.json(compact: true), as: UTF8.self)
                break
            }
            copy.skipLine()
        }
        let query = RequestText.trimmed(try self.variables.text(try self.content(range.lowerBound..<end).0, line: line))
        let json = RequestText.json(string: query)
        return variables.map { "{\"query\":\(json),\"variables\":\($0)}" } ?? "{\"query\":\(json)}"
    }
}
