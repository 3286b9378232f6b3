import TapedeckPlatform

/// Scans raw bytes: characters that a document may contain, and the line of an offset.
enum YAMLText {
    /// The number of bytes per entry of the line index.
    static var lineIndexStride: Int { 16_384 }

    /// The offset of the first byte from `start` on that is not printable ASCII, a tab or a line feed.
    ///
    /// Reads eight bytes at a time. Line feeds passed on the way are added to `lines`.
    static func skipOrdinary(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        lines: inout Int
    ) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index + 8 <= end {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            // With the top bit set beforehand no subtraction borrows from the next byte, so each test is exact.
            let controls = ~((word | high) &- (ones &* 0x20)) & high
            let feeds = ~(((word ^ (ones &* 0x0A)) | high) &- ones) & high
            let tabs = ~(((word ^ (ones &* 0x09)) | high) &- ones) & high
            let deletes = ~(((word ^ (ones &* 0x7F)) | high) &- ones) & high
            if (word & high) | (controls ^ (feeds | tabs)) | deletes != 0 {
                break
            }
            lines &+= feeds.nonzeroBitCount
            index += 8
        }
        while index < end {
            let byte = base[index]
            if byte == YAMLByte.lineFeed {
                lines += 1
            } else if byte != YAMLByte.tab && !(0x20...0x7E).contains(byte) {
                return index
            }
            index += 1
        }
        return index
    }

    /// The character at `index` and its length in bytes, or nil where the bytes are not UTF-8.
    static func decode(_ base: UnsafePointer<UInt8>, at index: Int, end: Int) -> (scalar: UInt32, length: Int)? {
        let first = UInt32(base[index])
        let length: Int
        let smallest: UInt32
        var scalar: UInt32
        switch first {
        case 0..<0x80: return (first, 1)
        case 0xC2...0xDF: (length, smallest, scalar) = (2, 0x80, first & 0x1F)
        case 0xE0...0xEF: (length, smallest, scalar) = (3, 0x800, first & 0x0F)
        case 0xF0...0xF4: (length, smallest, scalar) = (4, 0x1_0000, first & 0x07)
        default: return nil
        }
        guard index + length <= end else { return nil }
        for offset in 1..<length {
            let byte = UInt32(base[index + offset])
            guard byte & 0xC0 == 0x80 else { return nil }
            scalar = scalar << 6 | byte & 0x3F
        }
        guard scalar >= smallest, scalar <= 0x10_FFFF, !(0xD800...0xDFFF).contains(scalar) else { return nil }
        return (scalar, length)
    }

    /// True if a document may contain the character unescaped: YAML 1.2 section 5.1, without the byte order mark.
    static func isPrintable(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// Checks the encoding and the characters of a whole text.
    ///
    /// Returns, for each stretch of `lineIndexStride` bytes, how many line feeds come before it.
    static func check(_ base: UnsafePointer<UInt8>, count: Int) throws(YAMLError) -> [UInt32] {
        var lineIndex: [UInt32] = [0]
        lineIndex.reserveCapacity(count / self.lineIndexStride + 1)
        var boundary = self.lineIndexStride
        var lines = 0
        var index = self.hasByteOrderMark(base, count: count) ? 3 : 0
        while index < count {
            index = self.skipOrdinary(base, from: index, to: min(boundary, count), lines: &lines)
            if index >= boundary {
                lineIndex.append(UInt32(truncatingIfNeeded: lines))
                boundary += self.lineIndexStride
                continue
            }
            guard index < count else { break }
            guard let (scalar, length) = self.decode(base, at: index, end: count) else {
                throw self.error("this is not valid UTF-8: save the file as UTF-8", base, at: index, count: count)
            }
            if scalar == 0x0D {
                guard index + 1 < count, base[index + 1] == YAMLByte.lineFeed else {
                    throw self.error(
                        #"a carriage return alone does not end a line: end lines with LF or CRLF, or write "\r""#,
                        base,
                        at: index,
                        count: count
                    )
                }
            } else if !self.isPrintable(scalar) {
                let digits = String(scalar, radix: 16, uppercase: true)
                let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                throw self.error(
                    "the character U+\(code) cannot be written as it is: "
                        + #"write it as "\u\#(code)" in double quotes"#,
                    base,
                    at: index,
                    count: count
                )
            }
            index += length
        }
        return lineIndex
    }

    /// True if the text starts with a UTF-8 byte order mark.
    static func hasByteOrderMark(_ base: UnsafePointer<UInt8>, count: Int) -> Bool {
        count >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF
    }

    /// An error at an offset.
    static func error(
        _ message: String,
        _ base: UnsafePointer<UInt8>,
        at offset: Int,
        count: Int
    ) -> YAMLError {
        let place = self.position(base, of: offset, count: count, countedTo: 0, lines: 0)
        return YAMLError(message: message, line: place.line, column: place.column)
    }

    /// Line and column of an offset, given that `lines` line feeds come before the offset `known`.
    static func position(
        _ base: UnsafePointer<UInt8>,
        of offset: Int,
        count: Int,
        countedTo known: Int,
        lines: Int
    ) -> YAMLPosition {
        let offset = min(max(offset, 0), count)
        var line = lines + 1
        var index = known
        while index < offset, let found = memchr(base + index, 0x0A, offset - index) {
            line += 1
            index = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
        }
        var start = offset
        while start > 0, base[start - 1] != YAMLByte.lineFeed {
            start -= 1
        }
        if start == 0, self.hasByteOrderMark(base, count: count) {
            start = min(3, offset)
        }
        var column = 1
        for index in start..<offset where base[index] & 0xC0 != 0x80 {
            column += 1
        }
        return YAMLPosition(line: line, column: column)
    }
}
