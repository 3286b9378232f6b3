/// An error in a JSON text, with its position.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message, without the place.
    package var message: String
    /// In bytes from the start.
    package var offset: Int
    /// The first line is 1.
    package var line: Int
    /// In characters; the first one of a line is 1.
    package var column: Int

    init(_ message: String, at offset: Int, in bytes: UnsafeRawBufferPointer) {
        self.message = message
        self.offset = offset
        var line = 1
        var column = 1
        for byte in bytes[..<min(offset, bytes.count)] {
            if byte == ASCII.lineFeed {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // The other bytes of a character that has several do not count.
                column += 1
            }
        }
        self.line = line
        self.column = column
    }

    package var description: String {
        "line \(self.line), column \(self.column): \(self.message)"
    }
}
