import TapedeckPlatform

extension YAMLWriter {
    /// True if `text` can be a literal block that reads back exactly.
    ///
    /// Not: an empty text, one that is not UTF-8, and one with control characters (a carriage return too), line
    /// ends other than LF, a byte order mark, or characters of the private planes 15 and 16.
    package static func canBeLiteral(_ utf8: UnsafeRawBufferPointer) -> Bool {
        utf8.withMemoryRebound(to: UInt8.self) { buffer in
            guard let base = buffer.baseAddress, buffer.count > 0 else { return false }
            var lines = 0
            var index = 0
            while true {
                index = YAMLText.skipOrdinary(base, from: index, to: buffer.count, lines: &lines)
                guard index < buffer.count else { return true }
                guard
                    let (scalar, length) = YAMLText.decode(base, at: index, end: buffer.count),
                    YAMLScalarStyle.isSafe(scalar)
                else { return false }
                index += length
            }
        }
    }

    /// Appends `text` as a literal block: `|` with its indicators, a line end, then each line after `indent`
    /// spaces; it ends with a line end.
    ///
    /// `indent` must be `step` deeper than the key or `-` that the block belongs to, as the number after `|` is
    /// relative to that. `text` must satisfy `canBeLiteral`; any other is written as `scalar` and a line end.
    package mutating func literal(_ utf8: UnsafeRawBufferPointer, indent: Int, step: Int = 2) {
        guard Self.canBeLiteral(utf8), indent >= 1, (1...9).contains(step) else {
            self.scalar(utf8)
            self.newline()
            return
        }
        self.bytes.reserveCapacity(self.bytes.count + utf8.count + utf8.count / 16 + 8)
        self.bytes.append(YAMLByte.pipe)
        let firstOfText = utf8.first { $0 != YAMLByte.lineFeed }
        if let firstOfText, YAMLByte.isBlank(firstOfText) {
            self.int(step)
        }
        if utf8.last != YAMLByte.lineFeed {
            self.raw("-")
        } else if utf8.count == 1 || utf8[utf8.count - 2] == YAMLByte.lineFeed {
            self.raw("+")
        }
        self.newline()
        self.appendLines(utf8, indent: indent)
    }

    private mutating func appendLines(_ utf8: UnsafeRawBufferPointer, indent: Int) {
        guard let base = utf8.baseAddress else { return }
        var index = 0
        while index < utf8.count {
            let feed = memchr(base + index, 0x0A, utf8.count - index)
            let end = feed.map { UnsafeRawPointer($0) - base } ?? utf8.count
            if end > index {
                self.indent(indent)
                self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[index..<end]))
            }
            self.newline()
            index = end + 1
        }
    }
}
