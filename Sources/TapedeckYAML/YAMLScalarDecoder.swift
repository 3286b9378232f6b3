import TapedeckPlatform

/// Turns the source of a scalar into its text.
///
/// Only scalars that the parser accepted come here, so nothing is checked again.
struct YAMLScalarDecoder {
    private let base: UnsafePointer<UInt8>
    private let output: UnsafeMutablePointer<UInt8>
    private var count = 0

    private init(base: UnsafePointer<UInt8>, output: UnsafeMutablePointer<UInt8>) {
        self.base = base
        self.output = output
    }

    /// The text as UTF-8.
    static func bytes(of record: YAMLRecord, base: UnsafePointer<UInt8>) -> [UInt8] {
        guard !record.isCollection else { return [] }
        return [UInt8](unsafeUninitializedCapacity: self.capacity(for: record)) { buffer, count in
            count = self.decode(record, base: base, into: buffer)
        }
    }

    /// The text.
    static func string(of record: YAMLRecord, base: UnsafePointer<UInt8>) -> String {
        guard !record.isCollection else { return "" }
        if record.isSimple {
            let inner = record.inner
            return String(
                decoding: UnsafeBufferPointer(start: base + inner.lowerBound, count: inner.count),
                as: UTF8.self
            )
        }
        return String(unsafeUninitializedCapacity: self.capacity(for: record)) { buffer in
            self.decode(record, base: base, into: buffer)
        }
    }

    /// Room for the text of a scalar: never too little.
    private static func capacity(for record: YAMLRecord) -> Int {
        let length = Int(record.end - record.start)
        // Only `\L` and `\P` grow, from two bytes to three.
        return record.shape == .doubleQuoted ? length + length / 2 + 1 : length
    }

    private static func decode(
        _ record: YAMLRecord,
        base: UnsafePointer<UInt8>,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let output = buffer.baseAddress else { return 0 }
        var decoder = YAMLScalarDecoder(base: base, output: output)
        switch record.shape {
        case .plain, .singleQuoted, .doubleQuoted: decoder.decodeInline(record)
        case .literal: decoder.decodeLiteral(record)
        case .folded: decoder.decodeFolded(record)
        case .mapping, .sequence: break
        }
        return decoder.count
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        self.output[self.count] = byte
        self.count += 1
    }

    @inline(__always)
    private mutating func append(_ range: Range<Int>) {
        (self.output + self.count).update(from: self.base + range.lowerBound, count: range.count)
        self.count += range.count
    }

    private mutating func appendLineFeeds(_ count: Int) {
        for _ in 0..<count {
            self.append(YAMLByte.lineFeed)
        }
    }

    @inline(__always)
    private func lineFeed(from index: Int, to end: Int) -> Int {
        guard index < end, let found = memchr(self.base + index, 0x0A, end - index) else { return end }
        return UnsafeRawPointer(found) - UnsafeRawPointer(self.base)
    }

    // MARK: - Plain and quoted

    private mutating func decodeInline(_ record: YAMLRecord) {
        let inner = record.inner
        guard !record.isSimple else {
            self.append(inner)
            return
        }
        let end = inner.upperBound
        var index = inner.lowerBound
        while index < end {
            let byte = self.base[index]
            switch byte {
            case YAMLByte.space, YAMLByte.tab, YAMLByte.lineFeed, YAMLByte.carriageReturn:
                index = self.fold(from: index, to: end)
            case YAMLByte.backslash where record.shape == .doubleQuoted:
                index = self.unescape(at: index, end: end)
            case YAMLByte.singleQuote where record.shape == .singleQuoted:
                self.append(byte)
                index += 2
            default:
                self.append(byte)
                index += 1
            }
        }
    }

    /// Copies white space within a line; turns that around line ends into a space, or into the blank lines.
    private mutating func fold(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end && YAMLByte.isBlank(self.base[index]) {
            index += 1
        }
        guard index < end, YAMLByte.isBreak(self.base[index]) else {
            self.append(start..<index)
            return index
        }
        let (next, breaks) = self.skipBreaks(from: index, to: end)
        if breaks == 1 {
            self.append(YAMLByte.space)
        } else {
            self.appendLineFeeds(breaks - 1)
        }
        return next
    }

    private func skipBreaks(from start: Int, to end: Int) -> (next: Int, breaks: Int) {
        var index = start
        var breaks = 0
        while index < end && YAMLByte.isBlankOrBreak(self.base[index]) {
            breaks += self.base[index] == YAMLByte.lineFeed ? 1 : 0
            index += 1
        }
        return (index, breaks)
    }

    private mutating func unescape(at index: Int, end: Int) -> Int {
        let kind = self.base[index + 1]
        if YAMLByte.isBreak(kind) {
            let (next, breaks) = self.skipBreaks(from: index + 1, to: end)
            self.appendLineFeeds(breaks - 1)
            return next
        }
        if let scalar = Self.simpleEscape(kind) {
            self.append(scalar: scalar)
            return index + 2
        }
        guard let (scalar, length) = Self.hexEscape(self.base, at: index, end: end) else { return index + 2 }
        self.append(scalar: scalar)
        return index + length
    }

    private mutating func append(scalar: UInt32) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        for byte in scalar.utf8 {
            self.append(byte)
        }
    }

    /// The character of an escape without digits: YAML 1.2 section 5.7.
    static func simpleEscape(_ kind: UInt8) -> UInt32? {
        switch kind {
        case UInt8(ascii: "0"): 0x00
        case UInt8(ascii: "a"): 0x07
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"), YAMLByte.tab: 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "v"): 0x0B
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "e"): 0x1B
        case YAMLByte.space: 0x20
        case YAMLByte.doubleQuote: 0x22
        case UInt8(ascii: "/"): 0x2F
        case YAMLByte.backslash: 0x5C
        case UInt8(ascii: "N"): 0x85
        case UInt8(ascii: "_"): 0xA0
        case UInt8(ascii: "L"): 0x2028
        case UInt8(ascii: "P"): 0x2029
        default: nil
        }
    }

    /// Returns the character of `\x`, `\u` or `\U` at `index`, and the length of the escape.
    ///
    /// A pair of `\u` surrogates is one character, as in JSON; a lone one is nil.
    static func hexEscape(
        _ base: UnsafePointer<UInt8>,
        at index: Int,
        end: Int
    ) -> (scalar: UInt32, length: Int)? {
        let digits: Int
        switch base[index + 1] {
        case UInt8(ascii: "x"): digits = 2
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        default: return nil
        }
        let length = digits + 2
        guard let value = self.hexValue(base, from: index + 2, count: digits, end: end) else { return nil }
        if digits == 4, (0xD800...0xDBFF).contains(value) {
            let second = index + length
            guard
                second + 6 <= end,
                base[second] == YAMLByte.backslash,
                base[second + 1] == UInt8(ascii: "u"),
                let low = self.hexValue(base, from: second + 2, count: 4, end: end),
                (0xDC00...0xDFFF).contains(low)
            else { return nil }
            return (0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00), 12)
        }
        return Unicode.Scalar(value) == nil ? nil : (value, length)
    }

    private static func hexValue(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        end: Int
    ) -> UInt32? {
        guard start + count <= end else { return nil }
        var value: UInt32 = 0
        for index in start..<start + count {
            guard let digit = YAMLByte.hexValue(base[index]) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    // MARK: - Blocks

    /// One line of a block text without its indentation and its line end.
    private struct Line {
        let content: Range<Int>
        let hasBreak: Bool
        let next: Int
    }

    private func line(at start: Int, end: Int, indent: Int) -> Line {
        let feed = self.lineFeed(from: start, to: end)
        var contentEnd = feed
        if feed > start && self.base[feed - 1] == YAMLByte.carriageReturn {
            contentEnd -= 1
        }
        // A line shorter than the indentation is blank: the parser would have ended the text at any other.
        let contentStart = min(start + indent, contentEnd)
        return Line(content: contentStart..<contentEnd, hasBreak: feed < end, next: min(feed + 1, end))
    }

    private func contentStart(of record: YAMLRecord) -> Int {
        min(self.lineFeed(from: Int(record.start), to: Int(record.end)) + 1, Int(record.end))
    }

    private mutating func decodeLiteral(_ record: YAMLRecord) {
        let end = Int(record.end)
        let indent = Int(record.count)
        var index = self.contentStart(of: record)
        var hasBreak = false
        while index < end {
            let line = self.line(at: index, end: end, indent: indent)
            self.append(line.content)
            hasBreak = line.hasBreak
            if hasBreak {
                self.append(YAMLByte.lineFeed)
            }
            index = line.next
        }
        if record.chomping == .strip && hasBreak {
            self.count -= 1
        }
    }

    private mutating func decodeFolded(_ record: YAMLRecord) {
        let end = Int(record.end)
        let indent = Int(record.count)
        var index = self.contentStart(of: record)
        var pendingBreak = false
        var blankLines = 0
        var wasDeeper = false
        while index < end {
            let line = self.line(at: index, end: end, indent: indent)
            index = line.next
            guard let first = line.content.first else {
                blankLines += line.hasBreak ? 1 : 0
                continue
            }
            let isDeeper = YAMLByte.isBlank(self.base[first])
            if pendingBreak {
                if wasDeeper || isDeeper {
                    self.append(YAMLByte.lineFeed)
                } else if blankLines == 0 {
                    self.append(YAMLByte.space)
                }
            }
            self.appendLineFeeds(blankLines)
            blankLines = 0
            self.append(line.content)
            wasDeeper = isDeeper
            pendingBreak = line.hasBreak
        }
        if record.chomping != .strip && pendingBreak {
            self.append(YAMLByte.lineFeed)
        }
        if record.chomping == .keep {
            self.appendLineFeeds(blankLines)
        }
    }
}
