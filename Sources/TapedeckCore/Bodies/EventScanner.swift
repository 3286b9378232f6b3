/// Finds where the events of an event stream end, as its bytes come: behind a blank line. Lines end with LF, CR or CRLF
/// (WHATWG HTML, section 9.2.5).
package struct EventScanner: Sendable {
    /// The number of bytes seen.
    private var offset = 0
    private var lastEnd = 0
    private var isAtLineStart = true
    /// True if the current event has a line that is not blank. Blank lines before an event belong to it.
    private var hasContent = false
    private var isBehindCR = false
    /// A CR has ended an event; an LF right behind it belongs to it.
    private var isPending = false

    package init() {}

    /// The number of bytes seen so far that are whole events.
    package var wholeEnd: Int { self.isPending ? self.offset : self.lastEnd }

    /// Scans the next bytes; returns the ends of events in them, counted from the first byte of the stream. If a CR
    /// ends an event, its end is known with the following byte.
    package mutating func scan(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        var ends: [Int] = []
        for byte in bytes {
            if self.isBehindCR {
                self.isBehindCR = false
                if byte == Self.lineFeed { self.offset += 1 }
                if self.isPending { self.end(&ends) }
                if byte == Self.lineFeed { continue }
            }
            self.offset += 1
            switch byte {
            case Self.lineFeed:
                if self.isAtLineStart, self.hasContent { self.end(&ends) }
                self.isAtLineStart = true
            case Self.carriageReturn:
                if self.isAtLineStart, self.hasContent { self.isPending = true }
                self.isAtLineStart = true
                self.isBehindCR = true
            default:
                self.isAtLineStart = false
                self.hasContent = true
            }
        }
        return ends
    }

    private mutating func end(_ ends: inout [Int]) {
        self.isPending = false
        self.hasContent = false
        self.lastEnd = self.offset
        ends.append(self.offset)
    }

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
}
