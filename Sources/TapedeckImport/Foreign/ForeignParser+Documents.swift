extension ForeignNode {
    /// Reads the documents of a text in UTF-8 or, with a byte order mark, UTF-16. An empty text has none.
    ///
    /// - Throws: what is wrong and where: invalid UTF-8, a NUL, nesting or aliases beyond the limits, no YAML.
    package static func documents(
        of text: [UInt8],
        limits: ForeignLimits = ForeignLimits()
    ) throws(ForeignError) -> [ForeignNode] {
        let text = try Self.checked(text)
        var limits = limits
        // JSON has no such line ends: they are characters of its texts.
        let first = text.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { limits.takesUnicodeLineEnds = false }
        return try text.withUnsafeBufferPointer { [limits] (bytes) throws(ForeignError) -> [ForeignNode] in
            var parser = ForeignParser(bytes: bytes, limits: limits)
            return try parser.documents()
        }
    }

    private static func checked(_ text: [UInt8]) throws(ForeignError) -> [UInt8] {
        if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            return self.fromUTF16(text)
        }
        if let nul = text.firstIndex(of: 0) {
            throw ForeignError(message: "the text has a NUL byte", line: self.line(of: nul, in: text), column: 1)
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            var line = 1
            for content in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
                guard String(validating: content, as: UTF8.self) != nil else { break }
                line += 1
            }
            throw ForeignError(message: "the text is not valid UTF-8", line: line, column: 1)
        }
        return text
    }

    private static func fromUTF16(_ text: [UInt8]) -> [UInt8] {
        let isLittle = text[0] == 0xFF
        let units = stride(from: 2, to: text.count - 1, by: 2).lazy.map { index in
            let (first, second) = (UInt16(text[index]), UInt16(text[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: Array(units), as: UTF16.self).utf8.filter { $0 != 0 })
    }

    private static func line(of offset: Int, in text: [UInt8]) -> Int {
        text[..<offset].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    }
}

extension ForeignParser {
    /// Parses all documents of the text.
    fileprivate mutating func documents() throws(ForeignError) -> [ForeignNode] {
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.mark.position = 3
            self.mark.lineStart = 3
        }
        var documents: [ForeignNode] = []
        while true {
            self.skipToContent()
            guard !self.isAtEnd else { return documents }
            if self.column == 0, self.current == UInt8(ascii: "%") {
                self.directive()
            } else if self.isAtMarker, self.current == UInt8(ascii: ".") {
                self.mark.position += 3
            } else {
                documents.append(try self.document())
            }
        }
    }

    private mutating func document() throws(ForeignError) -> ForeignNode {
        let isMarked = self.isAtMarker
        if isMarked { self.mark.position += 3 }
        let node = try self.blockNode(indent: -1, place: isMarked ? .value : .item)
        self.skipToContent()
        guard self.isAtDocumentEnd else {
            throw self.error("this text belongs to nothing above: check the indentation")
        }
        self.anchors = [:]
        self.handles = [:]
        return node
    }

    /// Reads `%TAG`, and skips every other directive.
    private mutating func directive() {
        let start = self.mark.position
        while !self.isAtEnd, self.breakLength(at: self.mark.position) == 0 {
            self.mark.position += 1
        }
        let words = self.string(start, self.mark.position).split(separator: " ")
        if words.count >= 3, words[0] == "%TAG" {
            self.handles[String(words[1])] = String(words[2])
        }
    }

    /// Parses one tag or anchor, or returns `nil`.
    mutating func property(inFlow: Bool) throws(ForeignError) -> Properties? {
        switch self.current {
        case UInt8(ascii: "&"):
            self.mark.position += 1
            return Properties(anchor: self.name())
        case UInt8(ascii: "!"):
            return Properties(tag: try self.tag(inFlow: inFlow))
        default:
            return nil
        }
    }

    private mutating func tag(inFlow: Bool) throws(ForeignError) -> String {
        let start = self.mark
        let isVerbatim = self.byte(at: start.position + 1) == UInt8(ascii: "<")
        while !self.isSpace(at: self.mark.position) {
            if isVerbatim, self.current == UInt8(ascii: ">") {
                self.mark.position += 1
                return self.string(start.position + 2, self.mark.position - 1)
            }
            if inFlow, !isVerbatim, Self.isFlowIndicator(self.current) { break }
            self.mark.position += 1
        }
        guard !isVerbatim else { throw self.error("this tag has no closing '>'", at: start) }
        let tag = self.string(start.position, self.mark.position)
        guard let end = tag.dropFirst().firstIndex(of: "!") else { return tag }
        let handle = String(tag[...end])
        let prefix = self.handles[handle] ?? (handle == "!!" ? "tag:yaml.org,2002:" : handle)
        return prefix + tag[tag.index(after: end)...]
    }
}
