extension YAMLParser {
    /// The reason why a plain scalar ended on its line.
    enum PlainStop {
        case lineEnd
        case comment
        case colon
        case flowIndicator
    }

    /// Scans one line of a plain scalar; `end` excludes white space before the stop.
    func scanPlainLine(from start: Int, inFlow: Bool) -> (end: Int, stop: PlainStop) {
        var index = start
        var end = start
        while true {
            let byte = self.byte(at: index)
            switch byte {
            case YAMLByte.end, YAMLByte.lineFeed, YAMLByte.carriageReturn:
                return (end, .lineEnd)
            case YAMLByte.space, YAMLByte.tab:
                index += 1
                continue
            case YAMLByte.hash:
                if index > end || index == start { return (end, .comment) }
            case YAMLByte.colon:
                let next = self.byte(at: index + 1)
                if YAMLByte.isBlankOrBreak(next) || (inFlow && YAMLByte.isFlowIndicator(next)) {
                    return (end, .colon)
                }
            default:
                if inFlow && YAMLByte.isFlowIndicator(byte) { return (end, .flowIndicator) }
            }
            index += 1
            end = index
        }
    }

    /// Scans a plain scalar with all its lines, or only its first line if that is a key.
    ///
    /// Leaves `position` after the text, before white space, comment or colon.
    mutating func scanPlain(parent: Int, inFlow: Bool) throws(YAMLError) -> (scalar: YAMLRecord, isKey: Bool) {
        let start = self.position
        var (end, stop) = self.scanPlainLine(from: start, inFlow: inFlow)
        var lines = 1
        while stop == .lineEnd, let next = self.continuation(after: end, parent: parent) {
            let (nextEnd, nextStop) = self.scanPlainLine(from: next.start, inFlow: inFlow)
            if nextStop == .colon && !inFlow {
                let colon = self.skipBlanks(from: nextEnd)
                throw self.colonInContinuation(at: colon, textFrom: start)
            }
            guard nextEnd > next.start else { break }
            self.lineStart = next.lineStart
            end = nextEnd
            stop = nextStop
            lines += 1
        }
        self.position = end
        var scalar = YAMLRecord(shape: .plain, start: start, end: end)
        scalar.isSimple = lines == 1
        return (scalar, stop == .colon)
    }

    /// The start of the next line of a plain scalar, or nil if the scalar has ended.
    private func continuation(after end: Int, parent: Int) -> (start: Int, lineStart: Int)? {
        var index = self.skipBlanks(from: end)
        while index < self.end {
            let lineStart = self.skipBreak(at: index)
            index = lineStart
            while self.byte(at: index) == YAMLByte.space {
                index += 1
            }
            let indent = index - lineStart
            index = self.skipBlanks(from: index)
            if YAMLByte.isBreak(self.byte(at: index)) { continue }
            guard
                indent > parent,
                self.byte(at: index) != YAMLByte.hash,
                index > lineStart || !self.isDocumentMarker(at: index)
            else { return nil }
            return (index, lineStart)
        }
        return nil
    }

    /// Scans a quoted scalar at `position`, and checks its escapes.
    ///
    /// Further lines must be indented deeper than the block around it, so a forgotten quote is noticed early.
    mutating func scanQuoted(parent: Int) throws(YAMLError) -> YAMLRecord {
        let start = self.position
        let quote = self.base[start]
        let isDouble = quote == YAMLByte.doubleQuote
        var isSimple = true
        var index = start + 1
        while true {
            switch self.byte(at: index) {
            case quote:
                if !isDouble && self.byte(at: index + 1) == quote {
                    isSimple = false
                    index += 2
                    continue
                }
                self.position = index + 1
                var scalar = YAMLRecord(
                    shape: isDouble ? .doubleQuoted : .singleQuoted,
                    start: start,
                    end: index + 1
                )
                scalar.isSimple = isSimple
                return scalar
            case YAMLByte.backslash where isDouble:
                isSimple = false
                index = try self.checkEscape(at: index)
            case YAMLByte.lineFeed, YAMLByte.carriageReturn:
                isSimple = false
                index = try self.nextQuotedLine(after: index, opener: start, parent: parent)
            case YAMLByte.end:
                throw self.unclosedQuote(start)
            default:
                index += 1
            }
        }
    }

    private mutating func nextQuotedLine(after end: Int, opener: Int, parent: Int) throws(YAMLError) -> Int {
        var index = end
        while true {
            self.lineStart = self.skipBreak(at: index)
            index = self.lineStart
            while self.byte(at: index) == YAMLByte.space {
                index += 1
            }
            let indent = index - self.lineStart
            index = self.skipBlanks(from: index)
            let byte = self.byte(at: index)
            if byte == YAMLByte.lineFeed || byte == YAMLByte.carriageReturn { continue }
            guard
                byte != YAMLByte.end,
                indent > parent,
                index > self.lineStart || !self.isDocumentMarker(at: index)
            else {
                throw self.unclosedQuote(opener)
            }
            return index
        }
    }

    private func unclosedQuote(_ opener: Int) -> YAMLError {
        let quote = Character(Unicode.Scalar(self.base[opener]))
        return self.error(
            "this quote is not closed: end the text with \(quote), and indent its further lines",
            at: opener
        )
    }

    /// Checks the escape at `index` of a double-quoted scalar; returns the offset after it.
    private func checkEscape(at index: Int) throws(YAMLError) -> Int {
        let kind = self.byte(at: index + 1)
        let digits: Int
        switch kind {
        case UInt8(ascii: "x"): digits = 2
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        case YAMLByte.lineFeed, YAMLByte.carriageReturn:
            // The line end itself is looked at next, for the indentation of the line after it.
            return index + 1
        default:
            guard YAMLScalarDecoder.simpleEscape(kind) != nil else {
                throw self.error(
                    #"unknown escape after '\': write \\ for a backslash, or use single quotes"#,
                    at: index
                )
            }
            return index + 2
        }
        guard let escape = YAMLScalarDecoder.hexEscape(self.base, at: index, end: self.end) else {
            throw self.error(
                #"'\\#(Character(Unicode.Scalar(kind)))' needs \#(digits) hexadecimal digits of a character: "#
                    + #"correct them, or write \\ for a backslash"#,
                at: index
            )
        }
        return index + escape.length
    }
}
