/// Parses an XML document (XML 1.0, Namespaces in XML 1.0) without a document type: no entities are expanded but the five
/// predefined ones and characters.
struct XMLParser {
    private struct Open {
        /// As it was written, with its prefix.
        var tag: ArraySlice<UInt8>
        var element: XMLElement
        var namespaces: [String: String]
        /// The text since the last child.
        var text: [UInt8] = []
        /// True if all of the text is white space that was written as such.
        var isBlank = true
    }

    private static let depthLimit = 512
    private static let instance = "http://www.w3.org/2001/XMLSchema-instance"

    private let bytes: [UInt8]
    private var index = 0
    private var open: [Open] = []
    private var root: XMLElement?

    /// Returns the root element; `nil` for anything that is not well-formed XML in UTF-8, or has a document type.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard let first = bytes.first(where: { $0 > ASCII.space }), first == UInt8(ascii: "<") || first == 0xEF else {
            return nil
        }
        guard String(validating: bytes, as: UTF8.self) != nil, self.isUnicode(bytes) else { return nil }
        var parser = XMLParser(bytes: bytes)
        return parser.parse()
    }

    /// Returns false for a declaration of another encoding than UTF-8.
    private static func isUnicode(_ bytes: [UInt8]) -> Bool {
        let declaration = ASCII.lowercased(String(decoding: bytes.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self))
        guard declaration.containsText("<?xml"), let encoding = declaration.firstRange(of: "encoding") else {
            return true
        }
        let value = declaration[encoding.upperBound...].drop { "= \t\r\n'\"".contains($0) }
        return ["utf-8", "utf8", "us-ascii", "ascii"].contains { value.hasPrefix($0) }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func parse() -> XMLElement? {
        _ = self.take("\u{FEFF}")
        while self.index < self.bytes.count {
            guard self.bytes[self.index] == UInt8(ascii: "<") ? self.markup() : self.text() else { return nil }
        }
        return self.open.isEmpty ? self.root : nil
    }

    // MARK: Markup

    private mutating func markup() -> Bool {
        if self.take("<?") { return self.skip(past: "?>") }
        if self.take("<!--") { return self.skip(past: "-->") }
        if self.take("<![CDATA[") { return self.characterData() }
        if self.take("</") { return self.endTag() }
        if self.take("<!") { return false }
        self.index += 1
        return self.startTag()
    }

    private mutating func take(_ text: String) -> Bool {
        guard self.bytes[self.index...].starts(with: text.utf8) else { return false }
        self.index += text.utf8.count
        return true
    }

    private mutating func skip(past end: String) -> Bool {
        let end = Array(end.utf8)
        while self.index + end.count <= self.bytes.count {
            if self.bytes[self.index] == end[0], self.bytes[self.index...].starts(with: end) {
                self.index += end.count
                return true
            }
            self.index += 1
        }
        return false
    }

    private mutating func skipSpace() {
        while self.index < self.bytes.count, Self.isSpace(self.bytes[self.index]) { self.index += 1 }
    }

    private mutating func name() -> ArraySlice<UInt8>? {
        let name = self.bytes[self.index...].prefix { !Self.isSpace($0) && !"/>=<\"'&".utf8.contains($0) }
        self.index = name.endIndex
        return name.isEmpty ? nil : name
    }

    private mutating func startTag() -> Bool {
        guard self.root == nil, self.open.count < Self.depthLimit, let tag = self.name() else { return false }
        var written: [(name: ArraySlice<UInt8>, value: String)] = []
        var namespaces = self.open.last?.namespaces ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
        var isEmpty = false
        while true {
            let before = self.index
            self.skipSpace()
            if self.take(">") { break }
            if self.take("/>") {
                isEmpty = true
                break
            }
            guard self.index > before, let name = self.name() else { return false }
            self.skipSpace()
            guard self.take("=") else { return false }
            self.skipSpace()
            guard let value = self.attributeValue() else { return false }
            if name.elementsEqual("xmlns".utf8) {
                namespaces[""] = value
            } else if name.starts(with: "xmlns:".utf8) {
                namespaces[ByteText.string(from: name.dropFirst(6))] = value
            } else {
                guard !written.contains(where: { $0.name == name }) else { return false }
                written.append((name, value))
            }
        }
        let attributes = written.map { name, value in
            let name = Self.name(name, namespaces, isAttribute: true)
            let isType = name.local == "type" && name.namespace == Self.instance
            return XMLElement.Attribute(name: name, value: isType ? Self.qualified(value, namespaces) : value)
        }
        let element = XMLElement(
            name: Self.name(tag, namespaces, isAttribute: false),
            attributes: attributes.sorted { ($0.name.namespace, $0.name.local) < ($1.name.namespace, $1.name.local) },
            children: []
        )
        self.endText()
        self.open.append(Open(tag: tag, element: element, namespaces: namespaces))
        return isEmpty ? self.close() : true
    }

    private mutating func endTag() -> Bool {
        guard let tag = self.name(), self.open.last?.tag == tag else { return false }
        self.skipSpace()
        return self.take(">") && self.close()
    }

    private mutating func close() -> Bool {
        self.endText()
        guard let closed = self.open.popLast() else { return false }
        if self.open.isEmpty {
            self.root = closed.element
        } else {
            self.open[self.open.count - 1].element.children.append(.element(closed.element))
        }
        return true
    }

    // MARK: Names

    /// A prefix without a declaration stays a part of the name.
    private static func name(
        _ written: ArraySlice<UInt8>,
        _ namespaces: [String: String],
        isAttribute: Bool
    ) -> XMLElement.Name {
        guard let colon = written.firstIndex(of: ASCII.colon) else {
            let namespace = isAttribute ? "" : namespaces[""] ?? ""
            return XMLElement.Name(namespace: namespace, local: ByteText.string(from: written))
        }
        guard let namespace = namespaces[ByteText.string(from: written[..<colon])] else {
            return XMLElement.Name(namespace: "", local: ByteText.string(from: written))
        }
        return XMLElement.Name(namespace: namespace, local: ByteText.string(from: written[(colon + 1)...]))
    }

    /// The name of a type with its namespace in place of its prefix.
    private static func qualified(_ value: String, _ namespaces: [String: String]) -> String {
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let namespace = namespaces[parts.count == 2 ? String(parts[0]) : ""]
        return namespace.map { "{\($0)}\(parts[parts.count - 1])" } ?? value
    }

    // MARK: Text

    private mutating func attributeValue() -> String? {
        guard self.index < self.bytes.count else { return nil }
        let quote = self.bytes[self.index]
        guard quote == ASCII.quote || quote == UInt8(ascii: "'") else { return nil }
        self.index += 1
        var value: [UInt8] = []
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            switch byte {
            case quote:
                self.index += 1
                return ByteText.string(from: value)
            case UInt8(ascii: "<"): return nil
            case ASCII.ampersand:
                guard let character = self.reference() else { return nil }
                value += character
            default:
                // XML 1.0 section 3.3.3.
                value.append(Self.isSpace(byte) ? ASCII.space : byte)
                self.index += 1
            }
        }
        return nil
    }

    private mutating func text() -> Bool {
        let isOutside = self.open.isEmpty
        while self.index < self.bytes.count, self.bytes[self.index] != UInt8(ascii: "<") {
            let byte = self.bytes[self.index]
            if isOutside {
                guard Self.isSpace(byte) else { return false }
                self.index += 1
            } else if byte == ASCII.ampersand {
                guard let character = self.reference() else { return false }
                self.append(character, isBlank: false)
            } else {
                self.index += 1
                // Line ends are line feeds (XML 1.0 section 2.11).
                if byte == ASCII.carriageReturn {
                    if self.index < self.bytes.count, self.bytes[self.index] == ASCII.lineFeed { continue }
                    self.append([ASCII.lineFeed], isBlank: true)
                } else {
                    self.append([byte], isBlank: Self.isSpace(byte))
                }
            }
        }
        return true
    }

    private mutating func characterData() -> Bool {
        guard !self.open.isEmpty else { return false }
        let start = self.index
        guard self.skip(past: "]]>") else { return false }
        let data = self.bytes[start..<(self.index - 3)]
        self.append(data.isEmpty ? [] : Array(data), isBlank: data.isEmpty)
        return true
    }

    private mutating func append(_ text: [UInt8], isBlank: Bool) {
        self.open[self.open.count - 1].text += text
        if !isBlank { self.open[self.open.count - 1].isBlank = false }
    }

    private mutating func endText() {
        guard let last = self.open.indices.last, !self.open[last].text.isEmpty else { return }
        if !self.open[last].isBlank {
            self.open[last].element.children.append(.text(ByteText.string(from: self.open[last].text)))
        }
        (self.open[last].text, self.open[last].isBlank) = ([], true)
    }

    /// The bytes of a reference to a character or a predefined entity.
    private mutating func reference() -> [UInt8]? {
        guard let end = self.bytes[self.index...].prefix(12).firstIndex(of: ASCII.semicolon) else { return nil }
        let name = ByteText.string(from: self.bytes[(self.index + 1)..<end])
        self.index = end + 1
        switch name {
        case "amp": return [ASCII.ampersand]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [ASCII.quote]
        case "apos": return [UInt8(ascii: "'")]
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
    }
}
