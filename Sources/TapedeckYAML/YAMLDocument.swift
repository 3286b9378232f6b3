/// A parsed document: the source bytes and a flat arena of nodes. Scalars are decoded only when asked for.
package final class YAMLDocument: Sendable {
    /// The text that was parsed, byte for byte.
    package let source: [UInt8]

    let records: [YAMLRecord]
    private let lineIndex: [UInt32]

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

    /// The outermost node; nil for a document that holds nothing but comments.
    package var root: YAMLNode? {
        self.records.isEmpty ? nil : YAMLNode(document: self, index: 0)
    }

    /// Line and column of a byte; an offset past the end counts as the end.
    package func position(ofByte offset: Int) -> YAMLPosition {
        self.source.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return YAMLPosition(line: 1, column: 1) }
            let offset = min(max(offset, 0), buffer.count)
            let entry = min(offset / YAMLText.lineIndexStride, self.lineIndex.count - 1)
            return YAMLText.position(
                base,
                of: offset,
                count: buffer.count,
                countedTo: entry * YAMLText.lineIndexStride,
                lines: Int(self.lineIndex[entry])
            )
        }
    }
}
