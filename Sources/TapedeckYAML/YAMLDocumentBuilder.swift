/// Makes a document node by node, from data that is not YAML text, such as JSON.
///
/// The document's source is what is added here. Positions in it count nodes: line 3 is the third node.
package struct YAMLDocumentBuilder {
    private var source: [UInt8] = []
    private var records: [YAMLRecord] = []

    /// Makes a builder of an empty document.
    package init() {}

    /// Adds a scalar: the key or the value of a pair, or an item.
    ///
    /// - Parameter text: the scalar as YAML has it on one line, in quotation marks or plain.
    package mutating func scalar(_ text: [UInt8]) {
        var record = YAMLRecord(
            shape: text.first == YAMLByte.doubleQuote ? .doubleQuoted : .plain,
            start: self.source.count,
            end: self.source.count + text.count
        )
        record.isSimple = !text.contains(YAMLByte.backslash)
        record.next = UInt32(self.records.count + 1)
        self.records.append(record)
        self.source += text
    }

    /// Adds a byte between two nodes.
    package mutating func separator(_ byte: UInt8) {
        self.source.append(byte)
    }

    /// Begins a collection. Returns its index, for ``end(_:count:)``.
    ///
    /// - Parameter kind: a mapping or a sequence.
    package mutating func begin(_ kind: YAMLNode.Kind) -> Int {
        let shape: YAMLRecord.Shape = kind == .mapping ? .mapping : .sequence
        var record = YAMLRecord(shape: shape, start: self.source.count, end: self.source.count)
        record.isSimple = true
        self.records.append(record)
        self.source.append(kind == .mapping ? YAMLByte.openBrace : YAMLByte.openBracket)
        return self.records.count - 1
    }

    /// Ends a collection, whose nodes have all been added.
    ///
    /// - Parameter count: the number of its pairs or items.
    package mutating func end(_ index: Int, count: Int) {
        let isMapping = self.records[index].shape == .mapping
        self.source.append(isMapping ? YAMLByte.closeBrace : YAMLByte.closeBracket)
        self.records[index].end = UInt32(self.source.count)
        self.records[index].next = UInt32(self.records.count)
        self.records[index].count = UInt32(count)
    }

    /// The document of what was added.
    package var document: YAMLDocument { YAMLDocument(source: self.source, records: self.records) }
}
