import TapedeckCore

/// A place in the bytes of a JSON text that may be cut off or malformed.
struct JSONCursor {
    let text: UnsafeRawBufferPointer
    var index = 0
    /// The end of the part that is read.
    var end: Int

    init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        self.end = text.count
    }

    /// The byte at the place; `nil` at the end.
    var byte: UInt8? { self.index < self.end ? self.text[self.index] : nil }

    mutating func skipSpace() {
        while let byte = self.byte, byte <= ASCII.space { self.index += 1 }
    }

    /// Moves past a string, at whose quotation mark it is. Returns the place of its content.
    mutating func string() -> Range<Int> {
        let start = min(self.index + 1, self.end)
        self.index = start
        while let byte = self.byte, byte != ASCII.quote { self.index += byte == ASCII.backslash ? 2 : 1 }
        let content = start..<max(start, min(self.index, self.end))
        self.index = min(content.upperBound + 1, self.end)
        return content
    }
}
