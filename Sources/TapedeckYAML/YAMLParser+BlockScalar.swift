extension YAMLParser {
    /// Parses a literal or folded block at `position`, in a block of indentation `parent`.
    mutating func parseBlockScalar(parent: Int) throws(YAMLError) {
        let start = self.position
        var (record, digit) = try self.scanBlockHeader()
        let contentStart = self.position
        let outer = max(parent, 0)
        let indent: Int
        if let digit {
            indent = outer + digit
        } else {
            indent = try self.detectIndentation(from: contentStart, atLeast: max(parent + 1, 1))
        }
        var contentEnd = contentStart
        var index = contentStart
        while index < self.end {
            let lineEnd = self.lineFeed(from: index)
            let next = min(lineEnd + 1, self.end)
            let indentEnd = min(index + indent, lineEnd)
            var content = index
            while content < indentEnd && self.base[content] == YAMLByte.space {
                content += 1
            }
            let isBlankLine = YAMLByte.isBreak(self.byte(at: content))
            if !isBlankLine {
                guard content == index + indent else { break }
                contentEnd = next
            }
            index = next
        }
        self.position = index
        self.lineStart = index
        record.start = UInt32(truncatingIfNeeded: start)
        record.end = UInt32(truncatingIfNeeded: record.chomping == .keep ? index : contentEnd)
        record.count = UInt32(truncatingIfNeeded: indent)
        self.closedIndent = indent
        self.append(record)
    }

    /// Scans `|` or `>` with its indicators; leaves `position` at the start of the next line.
    private mutating func scanBlockHeader() throws(YAMLError) -> (record: YAMLRecord, digit: Int?) {
        let start = self.position
        let shape: YAMLRecord.Shape = self.base[start] == YAMLByte.pipe ? .literal : .folded
        var record = YAMLRecord(shape: shape, start: start, end: start)
        var digit: Int?
        var chomping: YAMLRecord.Chomping?
        var index = start + 1
        header: while true {
            let byte = self.byte(at: index)
            switch byte {
            case UInt8(ascii: "-") where chomping == nil: chomping = .strip
            case UInt8(ascii: "+") where chomping == nil: chomping = .keep
            case UInt8(ascii: "1")...UInt8(ascii: "9") where digit == nil: digit = Int(byte) - 0x30
            default: break header
            }
            index += 1
        }
        record.chomping = chomping ?? .clip
        let afterIndicators = index
        index = self.skipBlanks(from: index)
        if self.byte(at: index) == YAMLByte.hash && index > afterIndicators {
            index = self.lineFeed(from: index)
        }
        guard YAMLByte.isBreak(self.byte(at: index)) else {
            let sign = Character(Unicode.Scalar(self.base[start]))
            throw self.error(
                "after '\(sign)' only '-', '+' and one digit from 1 to 9 may stand on the line: begin the text "
                    + "on the next line, or quote a text that starts with '\(sign)'",
                at: index
            )
        }
        self.position = index < self.end ? self.skipBreak(at: index) : self.end
        return (record, digit)
    }

    /// Finds the indentation of a block text from its first line that is not blank.
    private func detectIndentation(from start: Int, atLeast minimum: Int) throws(YAMLError) -> Int {
        var deepest = 0
        var deepestLine = start
        var lineStart = start
        while lineStart < self.end {
            var index = lineStart
            while self.byte(at: index) == YAMLByte.space {
                index += 1
            }
            let indent = index - lineStart
            let byte = self.byte(at: index)
            guard YAMLByte.isBreak(byte) else {
                guard indent >= minimum else { break }
                guard deepest <= indent else {
                    throw self.error(
                        "this blank line has more spaces than the first line of its text: remove the spaces",
                        at: deepestLine
                    )
                }
                return indent
            }
            if indent > deepest {
                deepest = indent
                deepestLine = lineStart
            }
            guard index < self.end else { break }
            lineStart = self.skipBreak(at: index)
        }
        return max(deepest, minimum)
    }
}
