extension YAMLParser {
    /// Parses the node at `position` in a block of indentation `parent`.
    ///
    /// `collections` tells whether a block mapping or sequence may begin here: yes at the start of a line and
    /// after `- `, no after `key: ` and `--- `.
    mutating func parseBlockNode(parent: Int, collections: Bool, afterMarker: Bool = false) throws(YAMLError) {
        let start = self.position
        let startColumn = self.column
        switch self.byte(at: start) {
        case YAMLByte.dash where YAMLByte.isBlankOrBreak(self.byte(at: start + 1)):
            guard collections else {
                throw self.error(
                    afterMarker
                        ? "a list cannot begin on the line of '---': begin it on the next line"
                        : "a list cannot begin on the line of its key: begin it on the next line",
                    at: start
                )
            }
            try self.parseBlockSequence(indent: startColumn, parent: parent)
        case YAMLByte.openBracket, YAMLByte.openBrace:
            try self.parseFlowCollection(parent: parent)
            try self.refuseCollectionKey(from: start)
            try self.finishLine(
                after: self.base[start] == YAMLByte.openBrace ? "closing '}'" : "closing ']'"
            )
        case YAMLByte.pipe, YAMLByte.greater:
            try self.parseBlockScalar(parent: parent)
        case YAMLByte.doubleQuote, YAMLByte.singleQuote:
            let scalar = try self.scanQuoted(parent: parent)
            guard try self.isKey(scalar, startedOnLineOf: start, column: startColumn) else {
                self.append(scalar)
                try self.finishLine(after: self.closingQuote(of: scalar))
                return
            }
            try self.checkMappingMayBegin(collections, afterMarker: afterMarker, key: scalar)
            try self.parseBlockMapping(indent: startColumn, firstKey: scalar)
        default:
            try self.checkPlainStart(inFlow: false)
            let (scalar, isKey) = try self.scanPlain(parent: parent, inFlow: false)
            guard isKey else {
                self.append(scalar)
                return
            }
            try self.checkMappingMayBegin(collections, afterMarker: afterMarker, key: scalar)
            try self.parseBlockMapping(indent: startColumn, firstKey: scalar)
        }
    }

    /// Parses a block mapping whose first key was scanned already; `position` is before its colon.
    mutating func parseBlockMapping(indent: Int, firstKey: YAMLRecord) throws(YAMLError) {
        let start = Int(firstKey.start)
        try self.descend(at: start)
        try self.refuseTabs(beforeCompactCollectionAt: start)
        let index = self.open(.mapping, at: start, isFlow: false)
        var key = firstKey
        var pairs = 0
        var end = start
        while true {
            try self.refuseMergeKey(key)
            self.append(key)
            self.position = self.skipBlanks(from: self.position) + 1
            let value = self.records.count
            try self.parseBlockValue(indent: indent)
            pairs += 1
            end = Int(self.records[value].end)
            try self.skipToContent()
            guard !self.isAtEnd, self.column >= indent else { break }
            guard self.column == indent else {
                throw self.strayLine(expected: indent)
            }
            key = try self.scanBlockKey(indent: indent)
        }
        self.closedIndent = indent
        self.depth -= 1
        try self.close(index, count: pairs, end: end)
    }

    /// Parses a block sequence; `position` is at its first `-`.
    ///
    /// `parent` is the indentation of the block around it: a sequence may share that of its parent mapping.
    mutating func parseBlockSequence(indent: Int, parent: Int) throws(YAMLError) {
        let start = self.position
        try self.descend(at: start)
        try self.refuseTabs(beforeCompactCollectionAt: start)
        let index = self.open(.sequence, at: start, isFlow: false)
        var items = 0
        var end = start
        while true {
            let dash = self.position
            self.position += 1
            let item = self.records.count
            try self.parseBlockItem(indent: indent)
            self.records[item].indicator = UInt32(truncatingIfNeeded: dash + 1)
            items += 1
            end = Int(self.records[item].end)
            try self.skipToContent()
            guard !self.isAtEnd, self.column >= indent else { break }
            guard self.column == indent else {
                throw self.strayLine(expected: indent)
            }
            guard
                self.byte(at: self.position) == YAMLByte.dash,
                YAMLByte.isBlankOrBreak(self.byte(at: self.position + 1))
            else {
                if parent == indent { break }
                throw self.error(
                    "expected '- ' here, as in the items above: add it, or change the indentation of this line",
                    at: self.position
                )
            }
        }
        self.closedIndent = indent
        self.depth -= 1
        try self.close(index, count: items, end: end)
    }

    /// Parses what follows `key:`, which may be nothing.
    private mutating func parseBlockValue(indent: Int) throws(YAMLError) {
        let afterColon = self.position
        self.position = self.skipBlanks(from: afterColon)
        guard self.isRestOfLineEmpty(since: afterColon) else {
            try self.parseBlockNode(parent: indent, collections: false)
            return
        }
        self.position = afterColon
        try self.skipToContent()
        if !self.isAtEnd, self.column > indent {
            try self.parseBlockNode(parent: indent, collections: true)
        } else if !self.isAtEnd, self.column == indent, self.byte(at: self.position) == YAMLByte.dash,
            YAMLByte.isBlankOrBreak(self.byte(at: self.position + 1))
        {
            try self.parseBlockSequence(indent: indent, parent: indent)
        } else {
            self.appendEmpty(at: afterColon)
        }
    }

    /// Parses what follows `-`, which may be nothing.
    private mutating func parseBlockItem(indent: Int) throws(YAMLError) {
        let afterDash = self.position
        self.position = self.skipBlanks(from: afterDash)
        if self.isRestOfLineEmpty(since: afterDash) {
            self.position = afterDash
            try self.skipToContent()
            guard !self.isAtEnd, self.column > indent else {
                self.appendEmpty(at: afterDash)
                return
            }
        }
        try self.parseBlockNode(parent: indent, collections: true)
    }

    /// True if only a comment is left on the line.
    private func isRestOfLineEmpty(since start: Int) -> Bool {
        let byte = self.byte(at: self.position)
        return YAMLByte.isBreak(byte) || (byte == YAMLByte.hash && self.position > start)
    }

    /// Scans the key of a further pair; leaves `position` before its colon.
    private mutating func scanBlockKey(indent: Int) throws(YAMLError) -> YAMLRecord {
        let start = self.position
        switch self.byte(at: start) {
        case YAMLByte.dash where YAMLByte.isBlankOrBreak(self.byte(at: start + 1)):
            throw self.error(
                "a list item cannot stand among the keys of a mapping: indent it under its key, or remove the '-'",
                at: start
            )
        case YAMLByte.openBracket, YAMLByte.openBrace:
            try self.parseFlowCollection(parent: indent)
            try self.refuseCollectionKey(from: start)
            throw self.missingColon(after: start..<self.position)
        case YAMLByte.pipe, YAMLByte.greater:
            throw self.error("expected 'key: value' here: quote a key that starts with this character", at: start)
        case YAMLByte.doubleQuote, YAMLByte.singleQuote:
            let scalar = try self.scanQuoted(parent: indent)
            guard try self.isKey(scalar, startedOnLineOf: start, column: indent) else {
                throw self.missingColon(after: start..<self.position)
            }
            return scalar
        default:
            try self.checkPlainStart(inFlow: false)
            let (end, stop) = self.scanPlainLine(from: start, inFlow: false)
            guard stop == .colon else {
                throw self.missingColon(after: start..<end)
            }
            self.position = end
            var scalar = YAMLRecord(shape: .plain, start: start, end: end)
            scalar.isSimple = true
            return scalar
        }
    }

    /// True if a colon makes the quoted scalar just scanned a key.
    private func isKey(_ scalar: YAMLRecord, startedOnLineOf start: Int, column: Int) throws(YAMLError) -> Bool {
        let index = self.skipBlanks(from: self.position)
        guard self.byte(at: index) == YAMLByte.colon else { return false }
        guard YAMLByte.isBlankOrBreak(self.byte(at: index + 1)) else {
            throw self.error("a space is missing after this ':'", at: index)
        }
        guard start - column == self.lineStart else {
            throw self.error("a key must be on one line", at: start)
        }
        return true
    }

    private func closingQuote(of scalar: YAMLRecord) -> String {
        scalar.shape == .singleQuoted ? "closing single quote" : "closing double quote"
    }
}
