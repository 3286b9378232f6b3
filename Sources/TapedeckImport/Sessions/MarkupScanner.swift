import TapedeckCore

/// Reads an XML file as a row of tags and texts, byte by byte.
///
/// Texts need not be UTF-8, as Burp writes messages into CDATA sections as they came. A document type is skipped: no entity
/// is expanded but the five predefined ones and characters, so nothing grows.
struct MarkupScanner {
    /// A part of the file.
    enum Token {
        case start(Tag)
        case end(name: String)
        /// The bytes of a text without references, or of a CDATA section.
        case text([UInt8])
    }

    /// The start of an element.
    struct Tag {
        let name: String
        let attributes: [(name: String, value: String)]
        /// True if the element ends with the tag.
        let isEmpty: Bool
        /// The line that it begins on, counted from 1.
        let line: Int

        /// The value of an attribute; `nil` if there is none of that name.
        subscript(_ name: String) -> String? {
            self.attributes.first { $0.name == name }?.value
        }
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The line of `index`, counted from 1.
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
    }

    /// Returns the next tag or text, or `nil` at the end of the file.
    ///
    /// - Throws: ``ForeignError`` for markup that is not closed, and for entities that a document type would have to define.
    mutating func next() throws(ForeignError) -> Token? {
        while self.index < self.bytes.count {
            guard self.bytes[self.index] == UInt8(ascii: "<") else { return .text(try self.text()) }
            if self.starts(with: "<!--") {
                try self.skip(past: "-->", of: "a comment")
            } else if self.starts(with: "<?") {
                try self.skip(past: "?>", of: "an instruction")
            } else if self.starts(with: "<![CDATA[") {
                let start = self.index + 9
                try self.skip(past: "]]>", of: "a CDATA section")
                return .text(start <= self.index - 3 ? Array(self.bytes[start..<(self.index - 3)]) : [])
            } else if self.starts(with: "<!") {
                try self.skipDocumentType()
            } else if self.starts(with: "</") {
                return .end(name: try self.endTag())
            } else {
                return .start(try self.startTag())
            }
        }
        return nil
    }

    /// Moves to the next start tag of a name, to go on behind a tag that cannot be read; returns false if there is none.
    mutating func skip(toTag name: String) -> Bool {
        let start = Array("<\(name)".utf8)
        var place = self.index
        while place + start.count < self.bytes.count {
            if self.bytes[place] == start[0], self.bytes[place...].starts(with: start),
                Self.isSpace(self.bytes[place + start.count]) || self.bytes[place + start.count] == UInt8(ascii: ">")
            {
                self.move(to: place)
                return true
            }
            place += 1
        }
        return false
    }

    // MARK: Bytes

    private func starts(with text: String) -> Bool {
        self.bytes[self.index...].starts(with: text.utf8)
    }

    private mutating func move(to end: Int) {
        for byte in self.bytes[self.index..<end] where byte == 0x0A { self.line += 1 }
        self.index = end
    }

    private func error(_ message: String) -> ForeignError {
        ForeignError(message: message, line: self.line, column: 1)
    }

    private mutating func skip(past end: String, of what: String) throws(ForeignError) {
        guard let place = self.place(of: end, from: self.index) else { throw self.unclosed(what) }
        self.move(to: place + end.utf8.count)
    }

    /// An error for a part that the file ends in. Nothing behind it can be read.
    private mutating func unclosed(_ what: String) -> ForeignError {
        let error = self.error("\(what) is not closed")
        self.index = self.bytes.count
        return error
    }

    /// Skips `<!DOCTYPE …>` with the declarations in its brackets.
    private mutating func skipDocumentType() throws(ForeignError) {
        var place = self.index + 2
        var depth = 0
        var quote: UInt8?
        while place < self.bytes.count {
            let byte = self.bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else if self.bytes[place...].starts(with: "<!--".utf8) {
                guard let end = self.place(of: "-->", from: place + 4) else { break }
                place = end + 2
            } else {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ">") where depth <= 0:
                    self.move(to: place + 1)
                    return
                default: break
                }
            }
            place += 1
        }
        throw self.unclosed("a document type")
    }

    private func place(of text: String, from start: Int) -> Int? {
        let text = Array(text.utf8)
        var place = start
        while place + text.count <= self.bytes.count {
            if self.bytes[place] == text[0], self.bytes[place...].starts(with: text) { return place }
            place += 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    // MARK: Tags

    private mutating func name() -> String {
        let name = self.bytes[self.index...].prefix { !Self.isSpace($0) && !"/>=<\"'".utf8.contains($0) }
        self.index = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func skipSpace() {
        let space = self.bytes[self.index...].prefix(while: Self.isSpace)
        self.move(to: space.endIndex)
    }

    private mutating func endTag() throws(ForeignError) -> String {
        self.index += 2
        let name = self.name()
        try self.skip(past: ">", of: "an end tag")
        return name
    }

    private mutating func startTag() throws(ForeignError) -> Tag {
        let line = self.line
        self.index += 1
        let name = self.name()
        guard !name.isEmpty else { throw self.error("a tag has no name") }
        var attributes: [(name: String, value: String)] = []
        while true {
            self.skipSpace()
            guard self.index < self.bytes.count else { throw self.unclosed("the tag '\(name.prefix(40))'") }
            let isEmpty = self.starts(with: "/>")
            if isEmpty || self.bytes[self.index] == UInt8(ascii: ">") {
                self.index += isEmpty ? 2 : 1
                return Tag(name: name, attributes: attributes, isEmpty: isEmpty, line: line)
            }
            let attribute = self.name()
            self.skipSpace()
            guard !attribute.isEmpty, self.index < self.bytes.count, self.bytes[self.index] == UInt8(ascii: "=") else {
                throw self.error("the tag '\(name.prefix(40))' has an attribute without a value")
            }
            self.index += 1
            self.skipSpace()
            attributes.append((attribute, try self.attributeValue(of: name)))
        }
    }

    private mutating func attributeValue(of tag: String) throws(ForeignError) -> String {
        guard self.index < self.bytes.count else { throw self.unclosed("the tag '\(tag.prefix(40))'") }
        let quote = self.bytes[self.index]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw self.error("the tag '\(tag.prefix(40))' has an attribute without quotes")
        }
        guard let end = self.bytes[(self.index + 1)...].firstIndex(of: quote) else {
            throw self.unclosed("the tag '\(tag.prefix(40))'")
        }
        let value = try self.plain(self.bytes[(self.index + 1)..<end])
        self.move(to: end + 1)
        return ByteText.string(from: value)
    }

    // MARK: Texts

    private mutating func text() throws(ForeignError) -> [UInt8] {
        let text = self.bytes[self.index...].prefix { $0 != UInt8(ascii: "<") }
        let plain = try self.plain(text)
        self.move(to: text.endIndex)
        return plain
    }

    /// The bytes of a text with characters in the place of references.
    private func plain(_ text: ArraySlice<UInt8>) throws(ForeignError) -> [UInt8] {
        guard text.contains(ASCII.ampersand) else { return Array(text) }
        var plain: [UInt8] = []
        var place = text.startIndex
        while place < text.endIndex {
            guard text[place] == ASCII.ampersand, let end = text[place...].prefix(34).firstIndex(of: ASCII.semicolon)
            else {
                plain.append(text[place])
                place += 1
                continue
            }
            plain += try self.reference(String(decoding: text[(place + 1)..<end], as: UTF8.self))
            place = end + 1
        }
        return plain
    }

    private func reference(_ name: String) throws(ForeignError) -> [UInt8] {
        switch name {
        case "amp": return [ASCII.ampersand]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [ASCII.quote]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        if name.hasPrefix("#") {
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            if let scalar = number.flatMap(Unicode.Scalar.init) { return Array(String(scalar).utf8) }
            throw self.error("'&\(name.prefix(32));' is no character")
        }
        // URLs that were written without escapes: `?a=1&b=2;`.
        guard !name.isEmpty, name.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == ASCII.colon }) else {
            return Array("&\(name);".utf8)
        }
        throw self.error("the entity '&\(name.prefix(32));' is not known: those of a document type are not expanded")
    }
}
