extension ForeignParser {
    private enum Chomping {
        case clip
        case strip
        case keep
    }

    /// Parses a literal or folded block, in a block whose indentation is `indent`.
    mutating func blockScalar(indent: Int) throws(ForeignError) -> ForeignNode {
        let line = self.mark.line
        let isLiteral = self.current == UInt8(ascii: "|")
        self.mark.position += 1
        let (chomping, digit) = try self.blockHeader()
        let outer = max(indent, 0)
        let depth = digit.map { outer + $0 } ?? self.detectedIndentation(atLeast: indent + 1)
        var text: [UInt8] = []
        var pending: [UInt8] = []
        var blankLines = self.skipBlankLines(depth: depth)
        var wasSpaced = false
        while !self.isAtEnd, self.column == depth, depth > 0 || !self.isAtMarker {
            let isSpaced = Self.isBlank(self.current)
            if !isLiteral, pending == [0x0A], !wasSpaced, !isSpaced {
                if blankLines.isEmpty { text.append(0x20) }
            } else {
                text += pending
            }
            text += blankLines
            wasSpaced = isSpaced
            let start = self.mark.position
            self.skipLine()
            text += self.bytes[start..<self.mark.position]
            pending = self.isAtEnd ? [] : self.takeBreak()
            blankLines = self.skipBlankLines(depth: depth)
        }
        if chomping != .strip { text += pending }
        if chomping == .keep { text += blankLines }
        return ForeignNode(.scalar(String(decoding: text, as: UTF8.self), isPlain: false), line: line)
    }

    /// Reads the signs after `|` or `>`; leaves `mark` at the start of the next line.
    private mutating func blockHeader() throws(ForeignError) -> (Chomping, digit: Int?) {
        var chomping = Chomping.clip
        var digit: Int?
        while true {
            switch self.current {
            case UInt8(ascii: "-"): chomping = .strip
            case UInt8(ascii: "+"): chomping = .keep
            case UInt8(ascii: "1")...UInt8(ascii: "9"): digit = Int(self.current) - 0x30
            default:
                try self.finishLine()
                self.skipLine()
                if !self.isAtEnd { self.takeBreak() }
                return (chomping, digit)
            }
            self.mark.position += 1
        }
    }

    private mutating func skipLine() {
        while !self.isAtEnd, self.breakLength(at: self.mark.position) == 0 {
            self.mark.position += 1
        }
    }

    /// The indentation of the first line that is not blank.
    private func detectedIndentation(atLeast minimum: Int) -> Int {
        var ahead = self
        while true {
            while ahead.current == 0x20 {
                ahead.mark.position += 1
            }
            guard ahead.breakLength(at: ahead.mark.position) > 0 else { return max(ahead.column, minimum) }
            ahead.takeBreak()
        }
    }

    /// Moves over blank lines and the indentation of the line after them; returns the line ends.
    private mutating func skipBlankLines(depth: Int) -> [UInt8] {
        var ends: [UInt8] = []
        while true {
            while self.column < depth, self.current == 0x20 {
                self.mark.position += 1
            }
            guard self.breakLength(at: self.mark.position) > 0 else { return ends }
            ends += self.takeBreak()
        }
    }
}
