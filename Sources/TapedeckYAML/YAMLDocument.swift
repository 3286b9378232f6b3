/// A parsed document: the source bytes and a flat arena of nodes. Scalars are decoded only on demand.
package final class YAMLDocument: Sendable {
    /// The text that was parsed, byte for byte.
    package let source: [UInt8]

    let records: [YAMLRecord]
    /// The line at every multiple of a number of bytes; `nil` for a document that was built, whose positions count
    /// nodes.
    private let lineIndex: [UInt32]?

    /// Parses one document of plain data.
    ///
    /// Anchors, aliases, tags, merge keys, `? ` keys, duplicate keys and a second document are refused, as is
    /// every text that is not UTF-8. Takes time in proportion to the size of the text.
    package init(parsing source: [UInt8], limits: YAMLLimits = .init()) throws(YAMLError) {
        let maximum = min(limits.maximumBytes, Int(UInt32.max) - 1)
        guard source.count <= maximum else {
            throw YAMLError(
                message: "the text has \(source.count) bytes, and at most \(maximum) are read: split it up",
                line: 1,
                column: 1
            )
        }
        let (lineIndex, records) = try source.withUnsafeBufferPointer {
            (buffer) throws(YAMLError) -> ([UInt32], [YAMLRecord]) in
            guard let base = buffer.baseAddress else { return ([0], []) }
            let lineIndex = try YAMLText.check(base, count: buffer.count)
            var parser = YAMLParser(base: base, count: buffer.count, maximumDepth: limits.maximumDepth)
            try parser.parseDocument()
            return (lineIndex, parser.records)
        }
        self.source = source
        self.lineIndex = lineIndex
        self.records = records
    }

    /// A second object for a document, for another thread: threads that count the references to one object slow each other
    /// down.
    package init(copyOf document: YAMLDocument) {
        (self.source, self.records, self.lineIndex) = (document.source, document.records, document.lineIndex)
    }

    init(source: [UInt8], records: [YAMLRecord]) {
        (self.source, self.records, self.lineIndex) = (source, records, nil)
    }

    /// The outermost node; nil for a document that contains only comments.
    package var root: YAMLNode? {
        self.records.isEmpty ? nil : YAMLNode(document: self, index: 0)
    }

    /// Line and column of a byte; an offset past the end counts as the end.
    package func position(ofByte offset: Int) -> YAMLPosition {
        guard let lineIndex = self.lineIndex else {
            return YAMLPosition(line: max(1, self.number(ofNodeAt: offset)), column: 1)
        }
        return self.source.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return YAMLPosition(line: 1, column: 1) }
            let offset = min(max(offset, 0), buffer.count)
            let entry = min(offset / YAMLText.lineIndexStride, lineIndex.count - 1)
            return YAMLText.position(
                base,
                of: offset,
                count: buffer.count,
                countedTo: entry * YAMLText.lineIndexStride,
                lines: Int(lineIndex[entry])
            )
        }
    }

    /// The number of nodes that begin at or before a byte.
    private func number(ofNodeAt offset: Int) -> Int {
        var (low, high) = (0, self.records.count)
        while low < high {
            let middle = (low + high) / 2
            if self.records[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A place in a text as people count it.
package struct YAMLPosition: Equatable, Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int

    /// The column, counted from 1, in characters (Unicode scalars).
    package let column: Int

    /// Makes a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// Limits of what the reader takes.
package struct YAMLLimits: Equatable, Sendable {
    /// The maximum size of a text, in bytes; 1 GiB by default. Values above 4 GiB count as 4 GiB.
    package var maximumBytes: Int

    /// The maximum nesting depth of collections; 64 by default.
    package var maximumDepth: Int

    /// Makes limits; both have a default.
    package init(maximumBytes: Int = 1 << 30, maximumDepth: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
    }
}
