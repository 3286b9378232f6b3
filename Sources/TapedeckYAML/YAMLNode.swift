/// A handle on one node of a document; cheap to copy.
package struct YAMLNode: Sendable {
    /// The kind of a node.
    package enum Kind: Sendable {
        case scalar
        case mapping
        case sequence
    }

    /// The style in which a scalar was written.
    package enum ScalarStyle: Sendable {
        case plain
        case singleQuoted
        case doubleQuoted
        case literal
        case folded
    }

    /// The document that the node is part of.
    package let document: YAMLDocument

    let index: Int

    init(document: YAMLDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// The node at the same place in a copy of the node's document.
    package init(_ node: YAMLNode, of copy: YAMLDocument) {
        self.init(document: copy, index: node.index)
    }

    var record: YAMLRecord {
        self.document.records[self.index]
    }

    /// The kind of the node.
    package var kind: Kind {
        switch self.record.shape {
        case .mapping: .mapping
        case .sequence: .sequence
        default: .scalar
        }
    }

    /// The style in which the scalar was written; nil for a collection. A missing value counts as plain.
    package var style: ScalarStyle? {
        switch self.record.shape {
        case .plain: .plain
        case .singleQuoted: .singleQuoted
        case .doubleQuoted: .doubleQuoted
        case .literal: .literal
        case .folded: .folded
        case .mapping, .sequence: nil
        }
    }

    /// True if the node is a collection in brackets or braces, or a lone pair within brackets.
    package var isFlow: Bool {
        let record = self.record
        return record.isCollection && record.isSimple
    }

    /// The bytes of the source that are the node's own text.
    ///
    /// A scalar: the token with its quotes. A literal or folded block: from its `|` or `>` through the line end
    /// of its last content line, and with `+` also of the blank lines after it. A block collection: from the
    /// first byte of its first item or key to the end of its last value. A value left out: empty, right after
    /// the `:` or `-` (in a flow mapping without a colon: after the key).
    package var range: Range<Int> {
        let record = self.record
        return Int(record.start)..<Int(record.end)
    }

    /// The column of the first byte, counted from 0 in bytes; a byte order mark does not count.
    package var column: Int {
        let start = Int(self.record.start)
        return self.document.source.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return 0 }
            var lineStart = start
            while lineStart > 0, base[lineStart - 1] != YAMLByte.lineFeed {
                lineStart -= 1
            }
            let hasMark = lineStart == 0 && YAMLText.hasByteOrderMark(base, count: source.count)
            return start - lineStart - (hasMark ? 3 : 0)
        }
    }

    /// Line and column of the first byte, as people count them.
    package var position: YAMLPosition {
        self.document.position(ofByte: Int(self.record.start))
    }

    /// The number of pairs of a mapping or items of a sequence; 0 for a scalar.
    package var count: Int {
        let record = self.record
        return record.isCollection ? Int(record.count) : 0
    }

    /// For an item of a block sequence the offset of its `-`; nil for every other node.
    package var indicator: Int? {
        let indicator = self.record.indicator
        return indicator == 0 ? nil : Int(indicator) - 1
    }

    /// The items of a sequence; none for every other node.
    package var items: YAMLItems {
        YAMLItems(self)
    }

    /// The pairs of a mapping in document order; none for every other node.
    package var pairs: YAMLPairs {
        YAMLPairs(self)
    }

    /// The value of a key of a mapping; nil for every other node.
    ///
    /// Looks at one key after the other. Texts are equal when their bytes are.
    package subscript(_ key: String) -> YAMLNode? {
        var key = key
        return key.withUTF8 { wanted in
            for pair in self.pairs where pair.key.hasText(UnsafeRawBufferPointer(wanted)) {
                return pair.value
            }
            return nil
        }
    }
}
