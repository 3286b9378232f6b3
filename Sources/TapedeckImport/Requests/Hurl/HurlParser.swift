import TapedeckCore

/// Reads the entries of a Hurl file: requests, and as much of their responses as tells where the next request begins.
///
/// Rules for the extensions:
/// - `position` is before the next byte, `line` counts the line ends before it.
/// - A method that finds nothing of its kind leaves both as they were.
struct HurlParser {
    let bytes: [UInt8]
    let side: ImportFile.Sides
    var position = 0
    var line = 1
    var variables = HurlVariables()

    init(_ file: ImportFile) {
        self.bytes = file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.bytes[3...]) : file.bytes
        self.side = file.side
    }

    /// True if the first line that is neither blank nor a comment is a request's.
    var beginsWithRequest: Bool {
        var copy = self
        copy.skipBlankLines()
        guard copy.takeMethod() != nil else { return false }
        return copy.isAt("http://") || copy.isAt("https://") || copy.isAt("{{")
    }

    /// Reads all entries.
    mutating func entries() -> [RequestEntry] {
        var entries: [RequestEntry] = []
        while true {
            self.skipBlankLines()
            guard !self.isAtEnd else { return entries }
            let start = (position: self.position, line: self.line)
            let entry = RequestEntry.reading(line: start.line) { () throws(LeftOut) in
                let request = try self.request()
                try self.checkEnd()
                return request
            }
            entries.append(entry)
            if case .failure = entry.result {
                (self.position, self.line) = start
                self.skipLine()
            }
            self.skipResponse()
        }
    }

    // MARK: Looking

    var isAtEnd: Bool { self.position >= self.bytes.count }

    /// The next byte; 0 at the end.
    var current: UInt8 { self.byte(0) }

    func byte(_ offset: Int) -> UInt8 {
        let index = self.position + offset
        return index < self.bytes.count ? self.bytes[index] : 0
    }

    /// True if a text comes next.
    func isAt(_ text: StaticString) -> Bool {
        guard self.position + text.utf8CodeUnitCount <= self.bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { self.bytes[self.position + $0] == text.utf8Start[$0] }
    }

    /// True if the line is a request's: a method and a URL, or any word for a usual method.
    var isAtRequest: Bool {
        var copy = self
        guard let method = copy.takeMethod(), method != "HTTP" else { return false }
        let bytes = copy.bytes[copy.position...].prefix(200).prefix { $0 > ASCII.space && $0 != ASCII.hash }
        let word = String(decoding: bytes, as: UTF8.self)
        let usual = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
        return word.contains("://") || word.hasPrefix("{{") || usual.contains(method) && !word.isEmpty
    }

    /// Moves behind a method and the spaces after it, and returns it; `nil` where none is.
    private mutating func takeMethod() -> String? {
        self.skipSpaces()
        let start = self.position
        while (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self.current) { self.position += 1 }
        let end = self.position
        guard end > start, self.current == ASCII.space || self.current == ASCII.tab else { return nil }
        self.skipSpaces()
        return String(decoding: self.bytes[start..<end], as: UTF8.self)
    }

    /// True if the line is a response's: a version and a status.
    private var isAtResponse: Bool {
        var copy = self
        copy.skipSpaces()
        return copy.isAt("HTTP/") || copy.isAt("HTTP ") || copy.isAt("HTTP\t")
    }

    // MARK: Moving

    mutating func skipSpaces() {
        while self.current == ASCII.space || self.current == ASCII.tab { self.position += 1 }
    }

    /// Moves behind the line.
    mutating func skipLine() {
        while !self.isAtEnd, self.current != ASCII.lineFeed { self.position += 1 }
        guard !self.isAtEnd else { return }
        self.position += 1
        self.line += 1
    }

    /// Moves behind spaces, a comment and the end of the line; false if a text is there.
    mutating func takeLineEnd() -> Bool {
        let start = self.position
        self.skipSpaces()
        if self.current == ASCII.hash {
            self.skipLine()
            return true
        }
        if self.current == ASCII.carriageReturn, self.byte(1) == ASCII.lineFeed { self.position += 1 }
        guard self.isAtEnd || self.current == ASCII.lineFeed else {
            self.position = start
            return false
        }
        self.skipLine()
        return true
    }

    /// Moves over blank lines and comments.
    mutating func skipBlankLines() {
        while !self.isAtEnd, self.takeLineEnd() {}
    }

    /// Moves to the next request, and notes the names of captures on the way.
    ///
    /// Of a body in fences no line is a request's.
    private mutating func skipResponse() {
        var isFenced = false
        var isCapturing = false
        while !self.isAtEnd {
            if !isFenced, self.isAtRequest { return }
            let start = self.position
            self.skipLine()
            let text = RequestText.trimmed(String(decoding: self.bytes[start..<self.position], as: UTF8.self))
            if !(text.ranges(of: "```").count).isMultiple(of: 2) { isFenced.toggle() }
            if text.hasPrefix("[") {
                isCapturing = text.hasPrefix("[Captures]")
            } else if isCapturing, let colon = text.firstIndex(of: ":") {
                self.variables.capture(RequestText.trimmed(text[..<colon]))
            }
        }
    }

    /// Checks that the entry ends where the request was read to.
    private mutating func checkEnd() throws(LeftOut) {
        self.skipBlankLines()
        guard self.isAtEnd || self.isAtRequest || self.isAtResponse else {
            throw LeftOut("this line is no part of a request", line: self.line)
        }
    }

    // MARK: Pieces

    /// Reads a name and a value; `nil` if the line is none.
    mutating func keyValue() throws(LeftOut) -> (name: HurlText, value: HurlText, line: Int)? {
        let start = self
        self.skipBlankLines()
        self.skipSpaces()
        let line = self.line
        var name = HurlText()
        let first = self.current
        while first != ASCII.openBracket, first != UInt8(ascii: "<"), !self.isAtEnd {
            let byte = self.current
            if byte == ASCII.openBrace {
                guard let placeholder = try self.takePlaceholder() else { break }
                name.append(placeholder: placeholder)
            } else if byte == ASCII.backslash {
                name.append(bytes: try self.takeEscape())
            } else if byte > ASCII.space, byte != ASCII.colon, byte != ASCII.hash, byte != ASCII.quote, byte != 0x60 {
                name.append(byte)
                self.position += 1
            } else {
                break
            }
        }
        self.skipSpaces()
        guard !name.pieces.isEmpty, self.current == ASCII.colon else {
            self = start
            return nil
        }
        self.position += 1
        return (name, try self.value(), line)
    }

    /// Reads a value up to the end of the line or a comment.
    mutating func value() throws(LeftOut) -> HurlText {
        self.skipSpaces()
        let line = self.line
        var value = HurlText()
        while !self.isAtEnd, self.current != ASCII.lineFeed, self.current != ASCII.hash {
            if self.current == ASCII.openBrace, let placeholder = try self.takePlaceholder() {
                value.append(placeholder: placeholder)
            } else if self.current == ASCII.backslash {
                value.append(bytes: try self.takeEscape())
            } else if self.current == ASCII.carriageReturn, self.byte(1) == ASCII.lineFeed {
                break
            } else {
                value.append(self.current)
                self.position += 1
            }
        }
        value.trimEnd()
        guard self.takeLineEnd() else { throw LeftOut("this line does not end behind its value", line: line) }
        return value
    }

    /// Reads `{{name}}` and returns what is between the braces; `nil` if no two braces open here.
    mutating func takePlaceholder() throws(LeftOut) -> String? {
        guard self.isAt("{{") else { return nil }
        var end = self.position + 2
        while end + 1 < self.bytes.count, self.bytes[end] != ASCII.lineFeed {
            if self.bytes[end] == ASCII.closeBrace, self.bytes[end + 1] == ASCII.closeBrace {
                let name = String(decoding: self.bytes[(self.position + 2)..<end], as: UTF8.self)
                self.position = end + 2
                return name
            }
            end += 1
        }
        throw LeftOut("a '{{' on this line is not closed", line: self.line)
    }

    /// Reads a backslash and what it stands for.
    mutating func takeEscape() throws(LeftOut) -> [UInt8] {
        let kind = self.byte(1)
        self.position += 2
        switch kind {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [ASCII.lineFeed]
        case UInt8(ascii: "r"): return [ASCII.carriageReturn]
        case UInt8(ascii: "t"): return [ASCII.tab]
        case UInt8(ascii: "u"): return try self.takeUnicode()
        case ASCII.hash, ASCII.quote, 0x60, ASCII.backslash, ASCII.slash, ASCII.colon, ASCII.semicolon, ASCII.space,
            ASCII.openBrace, ASCII.closeBrace:
            return [kind]
        default: throw LeftOut("a backslash on this line escapes nothing that Hurl knows", line: self.line)
        }
    }

    /// Reads `{2708}`.
    private mutating func takeUnicode() throws(LeftOut) -> [UInt8] {
        let rest = self.bytes[self.position...].prefix(10)
        guard rest.first == ASCII.openBrace, let close = rest.firstIndex(of: ASCII.closeBrace),
            let value = UInt32(String(decoding: rest[(self.position + 1)..<close], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw LeftOut("'\\u' should have hexadecimal digits in braces behind it", line: self.line) }
        self.position = close + 1
        return Array(String(scalar).utf8)
    }
}
