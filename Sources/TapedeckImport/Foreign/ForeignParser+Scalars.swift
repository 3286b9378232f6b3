extension ForeignParser {
    // MARK: Plain

    /// The offset behind a plain scalar's text on the line, without white space at its end.
    func plainLineEnd(from start: Int, inFlow: Bool) -> Int {
        var index = start
        var end = start
        while index < self.bytes.count {
            let byte = self.bytes[index]
            switch byte {
            case 0x20, 0x09:
                index += 1
                continue
            case UInt8(ascii: "#") where index > end || index == start:
                return end
            case UInt8(ascii: ":"):
                let next = self.byte(at: index + 1)
                if self.isSpace(at: index + 1) || (inFlow && Self.isFlowIndicator(next)) { return end }
            case 0x0A, 0x0D, 0xC2, 0xE2:
                if self.breakLength(at: index) > 0 { return end }
            default:
                if inFlow, Self.isFlowIndicator(byte) { return end }
            }
            index += 1
            end = index
        }
        return end
    }

    /// Parses a plain scalar with all its lines, each deeper than `indent`.
    mutating func plain(indent: Int, inFlow: Bool) -> String {
        let start = self.mark.position
        let end = self.plainLineEnd(from: start, inFlow: inFlow)
        self.mark.position = end
        var text: [UInt8] = []
        while true {
            let before = self.mark
            self.skipBlanks()
            guard self.breakLength(at: self.mark.position) > 0 else {
                self.mark = before
                break
            }
            let folded = self.foldedBreaks()
            let lineEnd = self.plainLineEnd(from: self.mark.position, inFlow: inFlow)
            guard
                !self.isAtDocumentEnd, inFlow || self.column > indent, self.current != UInt8(ascii: "#"),
                lineEnd > self.mark.position
            else {
                self.mark = before
                break
            }
            if text.isEmpty { text = Array(self.bytes[start..<end]) }
            text += folded
            text += self.bytes[self.mark.position..<lineEnd]
            self.mark.position = lineEnd
        }
        return text.isEmpty ? self.string(start, end) : String(decoding: text, as: UTF8.self)
    }

    /// Moves over line ends and the white space around them; returns what they fold to.
    private mutating func foldedBreaks() -> [UInt8] {
        let first = self.takeBreak()
        var further: [UInt8] = []
        self.skipBlanks()
        while self.breakLength(at: self.mark.position) > 0 {
            further += self.takeBreak()
            self.skipBlanks()
        }
        guard first == [0x0A] else { return first + further }
        return further.isEmpty ? [0x20] : further
    }

    // MARK: Quoted

    /// Parses a text in single or double quotes.
    mutating func quoted() throws(ForeignError) -> String {
        let start = self.mark
        let quote = self.current
        self.mark.position += 1
        var text: [UInt8] = []
        while true {
            let run = self.mark.position
            self.skipOrdinary(quote)
            text += self.bytes[run..<self.mark.position]
            guard !self.isAtEnd else {
                throw self.error("this quote is not closed", at: start)
            }
            let byte = self.current
            if byte == quote {
                self.mark.position += 1
                guard quote == UInt8(ascii: "'"), self.current == quote else {
                    return String(decoding: text, as: UTF8.self)
                }
                text.append(quote)
                self.mark.position += 1
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try self.escape(into: &text)
            } else {
                try self.quotedSpace(into: &text, opened: start)
            }
        }
    }

    private mutating func skipOrdinary(_ quote: UInt8) {
        while self.mark.position < self.bytes.count {
            switch self.bytes[self.mark.position] {
            case quote, 0x5C, 0x20, 0x09, 0x0A, 0x0D: if self.endsRun(quote) { return }
            case 0xC2, 0xE2: if self.breakLength(at: self.mark.position) > 0 { return }
            default: break
            }
            self.mark.position += 1
        }
    }

    private func endsRun(_ quote: UInt8) -> Bool {
        self.current != 0x5C || quote == UInt8(ascii: "\"")
    }

    /// Reads white space: within a line unchanged, around line ends folded.
    private mutating func quotedSpace(into text: inout [UInt8], opened: Mark) throws(ForeignError) {
        let start = self.mark.position
        self.skipBlanks()
        if self.breakLength(at: self.mark.position) > 0 {
            text += self.foldedBreaks()
            guard self.isAtEnd || !self.isAtMarker else { throw self.error("this quote is not closed", at: opened) }
        } else {
            text += self.bytes[start..<self.mark.position]
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(ForeignError) {
        let start = self.mark
        let kind = self.byte(at: start.position + 1)
        if self.breakLength(at: start.position + 1) > 0 {
            self.mark.position += 1
            self.takeBreak()
            self.skipBlanks()
            while self.breakLength(at: self.mark.position) > 0 {
                text += self.takeBreak()
                self.skipBlanks()
            }
            return
        }
        let digits =
            switch kind {
            case UInt8(ascii: "x"): 2
            case UInt8(ascii: "u"): 4
            case UInt8(ascii: "U"): 8
            default: 0
            }
        self.mark.position += 2
        guard digits > 0 else {
            guard let scalar = Self.simpleEscape(kind) else {
                throw self.error("'\\\(Character(Unicode.Scalar(kind)))' is no escape of YAML or JSON", at: start)
            }
            text += Array(String(scalar).utf8)
            return
        }
        guard var value = self.hexadecimal(digits) else {
            throw self.error("\(digits) hexadecimal digits should follow here", at: start)
        }
        if (0xD800...0xDBFF).contains(value), self.current == UInt8(ascii: "\\"),
            self.byte(at: self.mark.position + 1) == UInt8(ascii: "u")
        {
            let afterHigh = self.mark
            self.mark.position += 2
            if let low = self.hexadecimal(4), (0xDC00...0xDFFF).contains(low) {
                value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
            } else {
                self.mark = afterHigh
            }
        }
        // Python writes a byte that is not UTF-8 as a lone surrogate (PEP 383); here it becomes that byte again.
        if (0xDC80...0xDCFF).contains(value) { value += 0x10_FF00 - 0xDC00 }
        // Any other lone surrogate is not a character, and JSON may contain one.
        text += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        let end = self.mark.position + count
        guard end <= self.bytes.count else { return nil }
        let digits = self.string(self.mark.position, end)
        guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        guard let value = UInt32(digits, radix: 16) else { return nil }
        self.mark.position = end
        return value
    }

    private static func simpleEscape(_ kind: UInt8) -> Unicode.Scalar? {
        switch kind {
        case UInt8(ascii: "0"): "\0"
        case UInt8(ascii: "a"): "\u{07}"
        case UInt8(ascii: "b"): "\u{08}"
        case UInt8(ascii: "t"), 0x09: "\t"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "v"): "\u{0B}"
        case UInt8(ascii: "f"): "\u{0C}"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "e"): "\u{1B}"
        case UInt8(ascii: " "): " "
        case UInt8(ascii: "\""): "\""
        case UInt8(ascii: "'"): "'"
        case UInt8(ascii: "/"): "/"
        case UInt8(ascii: "\\"): "\\"
        case UInt8(ascii: "N"): "\u{85}"
        case UInt8(ascii: "_"): "\u{A0}"
        case UInt8(ascii: "L"): "\u{2028}"
        case UInt8(ascii: "P"): "\u{2029}"
        default: nil
        }
    }
}
