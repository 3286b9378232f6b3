import TapedeckCore

extension HurlParser {
    /// Reads a JSON value with placeholders in it, up to its last byte.
    ///
    /// - Parameter compact: true leaves out white space between its tokens.
    mutating func json(compact: Bool) throws(LeftOut) -> [UInt8] {
        let line = self.line
        var output: [UInt8] = []
        var depth = 0
        while !self.isAtEnd {
            switch self.current {
            case ASCII.quote: output += try self.jsonString()
            case ASCII.openBrace where self.isAt("{{"):
                guard let name = try self.takePlaceholder() else { break }
                let value = try self.variables.value(name, line: self.line)
                guard Self.isScalar(value) else {
                    throw LeftOut("'{{\(name.prefix(80))}}' is no number, boolean or null", line: self.line)
                }
                output += Array(value.utf8)
            case ASCII.openBrace, ASCII.openBracket:
                depth += 1
                output.append(self.current)
                self.position += 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth -= 1
                output.append(self.current)
                self.position += 1
            case ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed:
                if self.current == ASCII.lineFeed { self.line += 1 }
                if !compact { output.append(self.current) }
                self.position += 1
            default:
                output += self.jsonWord()
            }
            guard depth > 0 else {
                guard depth == 0, ForeignJSON.isJSON(output) else { break }
                return output
            }
        }
        throw LeftOut("its body is no JSON", line: line)
    }

    /// Reads a string with its quotes; values in it are escaped.
    private mutating func jsonString() throws(LeftOut) -> [UInt8] {
        let line = self.line
        var text = HurlText()
        text.append(self.current)
        self.position += 1
        while self.current != ASCII.quote {
            guard !self.isAtEnd, self.current != ASCII.lineFeed else {
                throw LeftOut("a string of its body is not closed", line: line)
            }
            if let placeholder = try self.takePlaceholder() {
                text.append(placeholder: placeholder)
                continue
            }
            if self.current == ASCII.backslash {
                text.append(self.current)
                self.position += 1
                guard !self.isAtEnd else { continue }
            }
            text.append(self.current)
            self.position += 1
        }
        text.append(self.current)
        self.position += 1
        let value = try self.variables.text(text, line: line) {
            String(RequestText.json(string: $0).dropFirst().dropLast())
        }
        return Array(value.utf8)
    }

    /// Reads a number, a word, or a comma or colon.
    private mutating func jsonWord() -> [UInt8] {
        let start = self.position
        self.position += 1
        guard self.bytes[start] != ASCII.comma, self.bytes[start] != ASCII.colon else { return [self.bytes[start]] }
        while !self.isAtEnd, self.current > ASCII.space, !",:]}[{\"#".utf8.contains(self.current) { self.position += 1 }
        return Array(self.bytes[start..<self.position])
    }

    private static func isScalar(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != ASCII.openBrace, first != ASCII.openBracket, first != ASCII.quote
        else { return false }
        return ForeignJSON.isJSON(Array(text.utf8))
    }

    // MARK: XML

    /// Reads XML up to the end of its element. It has no placeholders.
    mutating func xml() throws(LeftOut) -> [UInt8] {
        let line = self.line
        let start = self.position
        var depth = 0
        while self.current == UInt8(ascii: "<") {
            if self.isAt("<!--") {
                guard self.take(through: "-->") else { break }
            } else if self.isAt("<![CDATA[") {
                guard self.take(through: "]]>") else { break }
            } else if self.isAt("<?") {
                guard self.take(through: "?>") else { break }
            } else {
                let isClosing = self.byte(1) == ASCII.slash
                let isDeclaration = self.byte(1) == UInt8(ascii: "!")
                guard let isEmpty = self.takeTag() else { break }
                if !isDeclaration { depth += isClosing ? -1 : isEmpty ? 0 : 1 }
                guard depth > 0 || isDeclaration else {
                    guard depth == 0 else { break }
                    return Array(self.bytes[start..<self.position])
                }
            }
            while !self.isAtEnd, self.current != UInt8(ascii: "<") {
                if self.current == ASCII.lineFeed { self.line += 1 }
                self.position += 1
            }
        }
        throw LeftOut("its XML is not closed", line: line)
    }

    /// Moves behind a tag. Returns true for one without content, and `nil` if it is not closed.
    private mutating func takeTag() -> Bool? {
        var quote: UInt8?
        while !self.isAtEnd {
            let byte = self.current
            if byte == ASCII.lineFeed { self.line += 1 }
            self.position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == ASCII.quote || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return self.bytes[self.position - 2] == ASCII.slash
            }
        }
        return nil
    }

    private mutating func take(through end: StaticString) -> Bool {
        while !self.isAtEnd {
            if self.isAt(end) {
                self.position += end.utf8CodeUnitCount
                return true
            }
            if self.current == ASCII.lineFeed { self.line += 1 }
            self.position += 1
        }
        return false
    }
}
