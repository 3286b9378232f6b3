import TapedeckPlatform

/// Turns bytes into the arena of a document, in one pass and without making strings.
///
/// Rules for the extensions:
/// - `lineStart` is the first byte of the line that `position` is on, so a column is their difference.
/// - A method that parses a node appends exactly that node and its descendants to `records`, and leaves `position`
///   right after the node.
/// - The bytes were checked before: they are UTF-8 without NUL, and every CR is followed by LF.
struct YAMLParser {
    let base: UnsafePointer<UInt8>
    let count: Int
    let maximumDepth: Int

    /// The end of the text; moves to the document end marker once one is found.
    var end: Int

    var position = 0
    var lineStart = 0
    var depth = 0
    var records: [YAMLRecord] = []

    /// The indentation of the block that ended last, for messages about lines that fit nowhere.
    var closedIndent: Int?

    init(base: UnsafePointer<UInt8>, count: Int, maximumDepth: Int) {
        self.base = base
        self.count = count
        self.end = count
        self.maximumDepth = maximumDepth
        // As much memory as the text takes: what is not needed of it is never touched.
        self.records.reserveCapacity(count / MemoryLayout<YAMLRecord>.stride + 8)
    }

    /// The byte at an offset; `YAMLByte.end` from the end of the document on.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        index < self.end ? self.base[index] : YAMLByte.end
    }

    /// The column of the position, counted from 0 in bytes.
    @inline(__always)
    var column: Int {
        self.position - self.lineStart
    }

    @inline(__always)
    var isAtEnd: Bool {
        self.position >= self.end
    }

    /// The offset of the next line feed, or the end.
    @inline(__always)
    func lineFeed(from index: Int) -> Int {
        guard index < self.end, let found = memchr(self.base + index, 0x0A, self.end - index) else {
            return self.end
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(self.base)
    }

    /// The offset after the line end at `index`, which is one.
    @inline(__always)
    func skipBreak(at index: Int) -> Int {
        self.byte(at: index) == YAMLByte.carriageReturn ? index + 2 : index + 1
    }

    /// The offset of the first byte from `index` on that is neither a space nor a tab.
    @inline(__always)
    func skipBlanks(from index: Int) -> Int {
        var index = index
        while YAMLByte.isBlank(self.byte(at: index)) {
            index += 1
        }
        return index
    }

    /// True if a separate `---` or `...` begins at `index`, the start of a line.
    func isDocumentMarker(at index: Int) -> Bool {
        let byte = self.byte(at: index)
        return (byte == YAMLByte.dash || byte == YAMLByte.dot)
            && self.byte(at: index + 1) == byte
            && self.byte(at: index + 2) == byte
            && YAMLByte.isBlankOrBreak(self.byte(at: index + 3))
    }

    /// Moves over white space, comments and line ends to the next content of a block, or to the end.
    mutating func skipToContent() throws(YAMLError) {
        while true {
            let start = self.position
            var index = start
            while self.byte(at: index) == YAMLByte.space {
                index += 1
            }
            let afterSpaces = index
            index = self.skipBlanks(from: index)
            let byte = self.byte(at: index)
            if byte == YAMLByte.hash && (index > start || start == self.lineStart) {
                index = self.lineFeed(from: index)
            } else if !YAMLByte.isBreak(byte) {
                if start == self.lineStart {
                    guard index == afterSpaces else {
                        throw self.error("a tab cannot indent a line: use spaces", at: afterSpaces)
                    }
                    if index == start && self.isDocumentMarker(at: index) {
                        self.end = index
                    }
                }
                self.position = index
                return
            }
            if index >= self.end {
                self.position = self.end
                return
            }
            self.position = self.skipBreak(at: index)
            self.lineStart = self.position
        }
    }

    /// Checks that only a comment follows a finished value on its line.
    func finishLine(after what: String) throws(YAMLError) {
        let index = self.skipBlanks(from: self.position)
        let byte = self.byte(at: index)
        guard !YAMLByte.isBreak(byte), byte != YAMLByte.hash || index == self.position else { return }
        if byte == YAMLByte.hash {
            throw self.error("a comment needs a space before its '#'", at: index)
        }
        throw self.error("this text after the \(what) is not part of it: \(self.quotingHint(what))", at: index)
    }

    private func quotingHint(_ what: String) -> String {
        switch what {
        case "closing single quote":
            "write '' for a ' inside single quotes, or put the whole text in quotes"
        case "closing double quote":
            #"write \" for a " inside double quotes, or put the whole text in quotes"#
        default:
            "put the whole text in quotes, or remove the rest of the line"
        }
    }

    /// Enters one level of nesting; the caller leaves it with `depth -= 1`.
    mutating func descend(at offset: Int) throws(YAMLError) {
        self.depth += 1
        guard self.depth <= self.maximumDepth else {
            throw self.error("nested more than \(self.maximumDepth) levels deep: make the document flatter", at: offset)
        }
    }

    /// Adds a scalar to the arena.
    @inline(__always)
    mutating func append(_ record: YAMLRecord) {
        var record = record
        record.next = UInt32(truncatingIfNeeded: self.records.count + 1)
        self.records.append(record)
    }

    /// Adds the scalar of a value that was left out.
    mutating func appendEmpty(at offset: Int) {
        var record = YAMLRecord(shape: .plain, start: offset, end: offset)
        record.isSimple = true
        self.append(record)
    }

    /// Adds a collection whose end is not known yet, and returns its index for `close`.
    mutating func open(_ shape: YAMLRecord.Shape, at start: Int, isFlow: Bool) -> Int {
        var record = YAMLRecord(shape: shape, start: start, end: start)
        record.isSimple = isFlow
        self.records.append(record)
        return self.records.count - 1
    }

    /// Completes a collection.
    mutating func close(_ index: Int, count: Int, end: Int) throws(YAMLError) {
        self.records[index].count = UInt32(truncatingIfNeeded: count)
        self.records[index].end = UInt32(truncatingIfNeeded: end)
        self.records[index].next = UInt32(truncatingIfNeeded: self.records.count)
        if self.records[index].shape == .mapping {
            try self.refuseDuplicateKeys(in: index)
        }
    }

    /// An error at an offset.
    func error(_ message: String, at offset: Int) -> YAMLError {
        YAMLText.error(message, self.base, at: offset, count: self.count)
    }

    /// The line of an offset, for messages that name a second place.
    func line(of offset: Int) -> Int {
        YAMLText.position(self.base, of: offset, count: self.count, countedTo: 0, lines: 0).line
    }

    /// A piece of the source for a message, cut short.
    func excerpt(_ range: Range<Int>) -> String {
        let limit = 40
        let text = String(
            decoding: UnsafeBufferPointer(start: self.base + range.lowerBound, count: range.count),
            as: UTF8.self
        )
        return text.count > limit ? text.prefix(limit) + "…" : text
    }
}
