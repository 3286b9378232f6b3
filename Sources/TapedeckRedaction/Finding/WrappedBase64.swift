import TapedeckCore

/// Base64 that is broken into lines of one length, as in mails (RFC 2045 section 6.8) and PEM (RFC 7468 section 2).
enum WrappedBase64 {
    /// The shortest line that counts.
    private static let shortestLine = 32

    /// Returns the ranges of such lines, two or more of them, from the first character to the last. The last line may
    /// be shorter.
    static func ranges(in text: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var lines: Range<Int>?
        var length = 0
        var start = 0
        var next = text.index(of: ASCII.lineFeed, from: 0)
        guard next != nil else { return [] }
        while start < text.count {
            let end = next ?? text.count
            let line = Self.trimmed(text, start..<end)
            let isWhole = line.count >= Self.shortestLine && line.count % 4 == 0
            if let open = lines, !line.isEmpty, line.count <= length, Self.isEncoded(text, line) {
                lines = open.lowerBound..<line.upperBound
                if line.count < length { Self.close(&lines, length, &ranges) }
            } else {
                Self.close(&lines, length, &ranges)
                if isWhole, Self.isEncoded(text, line) {
                    lines = line
                    length = line.count
                }
            }
            start = end + 1
            next = start < text.count ? text.index(of: ASCII.lineFeed, from: start) : nil
        }
        Self.close(&lines, length, &ranges)
        return ranges
    }

    private static func close(_ lines: inout Range<Int>?, _ length: Int, _ ranges: inout [Range<Int>]) {
        if let lines, lines.count > length { ranges.append(lines) }
        lines = nil
    }

    private static func trimmed(_ text: UnsafeRawBufferPointer, _ line: Range<Int>) -> Range<Int> {
        let end = line.upperBound > line.lowerBound && text[line.upperBound - 1] == ASCII.carriageReturn ? 1 : 0
        return HeaderLook.trimmed(text, line.lowerBound..<(line.upperBound - end))
    }

    /// From its end, where most lines of other texts show that they are none.
    private static func isEncoded(_ text: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        var end = line.upperBound
        while end > line.lowerBound, line.upperBound - end < 2, text[end - 1] == ASCII.equals { end -= 1 }
        while end > line.lowerBound {
            let byte = text[end - 1]
            guard ByteClass.url.contains(byte) || byte == 0x2B || byte == ASCII.slash else { return false }
            end -= 1
        }
        return true
    }
}
