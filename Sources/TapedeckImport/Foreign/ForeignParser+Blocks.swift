extension ForeignParser {
    /// The place of a node in a block.
    enum Place {
        /// After `- ` or at the start of a line: a map or a list may begin on this very line.
        case item
        /// After `key:` or `---`: a map or a list begins on a separate line, and a list may be as deep as its key.
        case value
        /// After `? `, and after the `: ` of the value of that key: both.
        case explicit
    }

    /// Parses the node that follows in a block whose indentation is `indent`; it may be left out.
    mutating func blockNode(indent: Int, place: Place) throws(ForeignError) -> ForeignNode {
        let start = self.mark
        var outer = Properties()
        var inner = Properties()
        var mayCollect = place != .value
        while true {
            let line = self.mark.line
            self.skipToContent()
            if self.mark.line != line {
                let isListOfKey = place != .item && self.column == indent && self.isIndicator("-")
                guard !self.isAtDocumentEnd, self.column > indent || isListOfKey else {
                    outer.merge(inner)
                    return self.finish(ForeignNode(.scalar("", isPlain: true), line: start.line), outer)
                }
                outer.merge(inner)
                inner = Properties()
                mayCollect = true
            }
            guard let property = try self.property(inFlow: false) else { break }
            inner.merge(property)
        }
        if self.isIndicator("-") {
            guard mayCollect else { throw self.error("a list cannot begin on this line") }
            outer.merge(inner)
            return self.finish(try self.nested { (parser) throws(ForeignError) in try parser.blockList() }, outer)
        }
        if self.isIndicator("?") || self.isIndicator(":") {
            guard mayCollect else { throw self.error("a map cannot begin on this line") }
            outer.merge(inner)
            let map = try self.nested { (parser) throws(ForeignError) in
                try parser.blockMap(column: parser.column, firstKey: nil)
            }
            return self.finish(map, outer)
        }
        if self.current == UInt8(ascii: "|") || self.current == UInt8(ascii: ">") {
            outer.merge(inner)
            return self.finish(try self.blockScalar(indent: indent), outer)
        }
        return try self.inlineOrMap(indent: indent, mayCollect: mayCollect, outer: outer, inner: inner)
    }

    /// Parses a scalar, an alias or a flow collection, or the map that begins with it as a key.
    private mutating func inlineOrMap(
        indent: Int,
        mayCollect: Bool,
        outer: Properties,
        inner: Properties
    ) throws(ForeignError) -> ForeignNode {
        let start = self.mark
        let column = self.column
        let node = try self.inlineNode(indent: indent)
        let end = self.mark
        self.skipBlanks()
        guard self.isIndicator(":"), !self.isAtEnd else {
            self.mark = end
            try self.finishLine()
            var properties = outer
            properties.merge(inner)
            return self.finish(node, properties)
        }
        guard mayCollect, self.mark.line == start.line else {
            throw self.error("a ': ' is within a value here: its tool would not read this YAML")
        }
        let key = self.finish(node, inner)
        let map = try self.nested { (parser) throws(ForeignError) in
            try parser.blockMap(column: column, firstKey: key)
        }
        return self.finish(map, outer)
    }

    /// Parses an alias, a flow collection, a quoted or a plain scalar.
    private mutating func inlineNode(indent: Int) throws(ForeignError) -> ForeignNode {
        let line = self.mark.line
        switch self.current {
        case UInt8(ascii: "*"):
            return try self.alias()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            return try self.flowCollection()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return ForeignNode(.scalar(try self.quoted(), isPlain: false), line: line)
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: ","):
            throw self.error("no value can begin with this character")
        default:
            return ForeignNode(.scalar(self.plain(indent: indent, inFlow: false), isPlain: true), line: line)
        }
    }

    private mutating func blockList() throws(ForeignError) -> ForeignNode {
        let column = self.column
        let line = self.mark.line
        var items: [ForeignNode] = []
        while true {
            self.mark.position += 1
            items.append(try self.blockNode(indent: column, place: .item))
            guard try self.hasMore(column: column), self.isIndicator("-") else { break }
        }
        return ForeignNode(.list(items), line: line)
    }

    /// Parses a map whose first key was read already, with `mark` at the colon; or with no key read, at `?` or `:`.
    private mutating func blockMap(column: Int, firstKey: ForeignNode?) throws(ForeignError) -> ForeignNode {
        var pairs: [ForeignPair] = []
        let line = firstKey?.line ?? self.mark.line
        var next = firstKey
        repeat {
            let isExplicit = next == nil && self.isIndicator("?")
            let key: ForeignNode
            if let known = next {
                key = known
            } else {
                key = try self.blockKey(column: column)
            }
            next = nil
            let value: ForeignNode
            if !self.isAtDocumentEnd, self.column >= column, self.isIndicator(":") {
                self.mark.position += 1
                value = try self.blockNode(indent: column, place: isExplicit ? .explicit : .value)
            } else {
                value = ForeignNode(.scalar("", isPlain: true), line: self.mark.line)
            }
            try self.append(key, value, to: &pairs)
        } while try self.hasMore(column: column) && !self.isIndicator("-")
        return ForeignNode(.map(pairs), line: line)
    }

    /// Returns true if the collection at a column continues. Rejects a deeper line.
    private mutating func hasMore(column: Int) throws(ForeignError) -> Bool {
        self.skipToContent()
        guard !self.isAtDocumentEnd, self.column >= column else { return false }
        guard self.column == column else { throw self.error("this line is indented too far") }
        return true
    }

    /// Parses a further key of a map; leaves `mark` at its colon, or behind a `?` key that has none.
    private mutating func blockKey(column: Int) throws(ForeignError) -> ForeignNode {
        if self.isIndicator("?") {
            self.mark.position += 1
            let key = try self.blockNode(indent: column, place: .explicit)
            let end = self.mark
            self.skipToContent()
            if self.isAtDocumentEnd || self.column != column || !self.isIndicator(":") { self.mark = end }
            return key
        }
        guard !self.isIndicator(":") else { return ForeignNode(.scalar("", isPlain: true), line: self.mark.line) }
        var properties = Properties()
        while let property = try self.property(inFlow: false) {
            properties.merge(property)
            self.skipBlanks()
        }
        let start = self.mark
        let isPlain: Bool
        switch self.current {
        case UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            isPlain = false
        default:
            isPlain = true
        }
        let key: ForeignNode
        if isPlain {
            let end = self.plainLineEnd(from: start.position, inFlow: false)
            key = ForeignNode(.scalar(self.string(start.position, end), isPlain: true), line: start.line)
            self.mark.position = end
        } else {
            key = try self.inlineNode(indent: column)
        }
        self.skipBlanks()
        guard self.isIndicator(":"), !self.isAtEnd, self.mark.line == start.line else {
            throw self.error("a key and ': ' should stand here", at: start)
        }
        return self.finish(key, properties)
    }

    /// Adds a pair to a map; the key `<<` adds the pairs of its maps instead, where their keys are not there yet.
    mutating func append(
        _ key: ForeignNode,
        _ value: ForeignNode,
        to pairs: inout [ForeignPair]
    ) throws(ForeignError) {
        guard case .scalar("<<", isPlain: true) = key.content, value.isMap || value.items.contains(where: \.isMap)
        else {
            pairs.append(ForeignPair(key: key, value: value))
            return
        }
        try self.count(value, at: self.mark)
        var merged: [ForeignPair] = []
        var names: Set<String?> = []
        for map in value.isMap ? [value] : value.items {
            let more = map.pairs.filter { !names.contains($0.key.text) }
            names.formUnion(more.map(\.key.text))
            merged += more
        }
        // In front, because of two equal keys the last one counts, and a map's own keys override those of `<<` in any
        // position.
        pairs.insert(contentsOf: merged, at: 0)
    }
}
