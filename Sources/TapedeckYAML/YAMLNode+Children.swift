/// The items of a sequence.
package struct YAMLItems: Sequence, Sendable {
    private let node: YAMLNode

    init(_ node: YAMLNode) {
        self.node = node
    }

    /// The number of items.
    package var underestimatedCount: Int {
        self.node.kind == .sequence ? self.node.count : 0
    }

    /// Starts at the first item.
    package func makeIterator() -> Iterator {
        Iterator(self.node)
    }

    /// Walks over the items.
    package struct Iterator: IteratorProtocol, Sendable {
        private let document: YAMLDocument
        private var index: Int
        private let end: Int

        fileprivate init(_ node: YAMLNode) {
            let record = node.record
            self.document = node.document
            self.index = node.index + 1
            self.end = record.shape == .sequence ? Int(record.next) : 0
        }

        /// The next item.
        package mutating func next() -> YAMLNode? {
            guard self.index < self.end else { return nil }
            let item = YAMLNode(document: self.document, index: self.index)
            self.index = Int(self.document.records[self.index].next)
            return item
        }
    }
}

/// The pairs of a mapping.
package struct YAMLPairs: Sequence, Sendable {
    private let node: YAMLNode

    init(_ node: YAMLNode) {
        self.node = node
    }

    /// The number of pairs.
    package var underestimatedCount: Int {
        self.node.kind == .mapping ? self.node.count : 0
    }

    /// Starts at the first pair.
    package func makeIterator() -> Iterator {
        Iterator(self.node)
    }

    /// Walks over the pairs.
    package struct Iterator: IteratorProtocol, Sendable {
        private let document: YAMLDocument
        private var index: Int
        private let end: Int

        fileprivate init(_ node: YAMLNode) {
            let record = node.record
            self.document = node.document
            self.index = node.index + 1
            self.end = record.shape == .mapping ? Int(record.next) : 0
        }

        /// The next pair.
        package mutating func next() -> (key: YAMLNode, value: YAMLNode)? {
            guard self.index < self.end else { return nil }
            let value = Int(self.document.records[self.index].next)
            defer { self.index = Int(self.document.records[value].next) }
            return (
                YAMLNode(document: self.document, index: self.index),
                YAMLNode(document: self.document, index: value)
            )
        }
    }
}
