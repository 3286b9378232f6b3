extension YAMLParser {
    /// Parses `[…]` or `{…}` at `position`, in a block of indentation `parent`.
    mutating func parseFlowCollection(parent: Int) throws(YAMLError) {
        let start = self.position
        try self.descend(at: start)
        let isMapping = self.byte(at: start) == YAMLByte.openBrace
        let closer = isMapping ? YAMLByte.closeBrace : YAMLByte.closeBracket
        let index = self.open(isMapping ? .mapping : .sequence, at: start, isFlow: true)
        var entries = 0
        self.position += 1
        while true {
            try self.skipFlowSpace(parent: parent, opener: start)
            if self.byte(at: self.position) == closer { break }
            try self.refuseStrayInFlow(opener: start, closer: closer)
            if isMapping {
                try self.parseFlowPair(parent: parent, opener: start)
            } else {
                try self.parseFlowItem(parent: parent, opener: start)
            }
            entries += 1
            try self.skipFlowSpace(parent: parent, opener: start)
            let byte = self.byte(at: self.position)
            if byte == closer { break }
            guard byte == YAMLByte.comma else {
                throw self.missingComma(opener: start, closer: closer)
            }
            self.position += 1
        }
        self.position += 1
        self.depth -= 1
        try self.close(index, count: entries, end: self.position)
    }

    /// Parses an entry of a flow sequence: a node, or the one pair of a mapping without braces.
    private mutating func parseFlowItem(parent: Int, opener: Int) throws(YAMLError) {
        let start = self.position
        guard let (scalar, isKey) = try self.scanFlowScalar(parent: parent) else {
            try self.parseFlowCollection(parent: parent)
            try self.refuseCollectionKey(from: start)
            return
        }
        guard isKey else {
            self.append(scalar)
            return
        }
        guard start >= self.lineStart else {
            throw self.error("a key must be on one line", at: start)
        }
        try self.descend(at: start)
        let index = self.open(.mapping, at: start, isFlow: true)
        let end = try self.parseFlowValue(ofKey: scalar, parent: parent, opener: opener)
        self.depth -= 1
        try self.close(index, count: 1, end: end)
    }

    /// Parses an entry of a flow mapping.
    private mutating func parseFlowPair(parent: Int, opener: Int) throws(YAMLError) {
        let start = self.position
        guard let (scalar, isKey) = try self.scanFlowScalar(parent: parent) else {
            if start == opener + 1, self.byte(at: start) == YAMLByte.openBrace {
                throw self.error("a text cannot start with '{{' unless it is quoted: put it in quotes", at: opener)
            }
            throw self.error("a key must be a plain or quoted text, not a list or a mapping", at: start)
        }
        if !isKey {
            try self.skipFlowSpace(parent: parent, opener: opener)
        }
        if self.byte(at: self.skipBlanks(from: self.position)) == YAMLByte.colon {
            _ = try self.parseFlowValue(ofKey: scalar, parent: parent, opener: opener)
            return
        }
        if scalar.shape == .plain, let glued = self.gluedColon(in: scalar.inner) {
            throw self.error("a space is missing after this ':': write 'key: value'", at: glued)
        }
        try self.refuseMergeKey(scalar)
        self.append(scalar)
        self.appendEmpty(at: Int(scalar.end))
    }

    /// Parses the colon and what follows it; returns the end of the value.
    private mutating func parseFlowValue(
        ofKey key: YAMLRecord,
        parent: Int,
        opener: Int
    ) throws(YAMLError) -> Int {
        try self.refuseMergeKey(key)
        self.append(key)
        let afterColon = self.skipBlanks(from: self.position) + 1
        self.position = afterColon
        try self.skipFlowSpace(parent: parent, opener: opener)
        let value = self.records.count
        switch self.byte(at: self.position) {
        case YAMLByte.comma, YAMLByte.closeBrace, YAMLByte.closeBracket:
            self.appendEmpty(at: afterColon)
        default:
            if let (scalar, isKey) = try self.scanFlowScalar(parent: parent) {
                guard !isKey else {
                    throw self.error(self.mappingNotAllowed, at: self.skipBlanks(from: self.position))
                }
                self.append(scalar)
            } else {
                try self.parseFlowCollection(parent: parent)
            }
        }
        return Int(self.records[value].end)
    }

    /// Scans a scalar inside a flow collection; nil where a nested collection begins.
    private mutating func scanFlowScalar(
        parent: Int
    ) throws(YAMLError) -> (scalar: YAMLRecord, isKey: Bool)? {
        switch self.byte(at: self.position) {
        case YAMLByte.openBracket, YAMLByte.openBrace:
            return nil
        case YAMLByte.doubleQuote, YAMLByte.singleQuote:
            let scalar = try self.scanQuoted(parent: parent)
            // After a quoted key the value may follow its colon without a space, as in JSON.
            return (scalar, self.byte(at: self.skipBlanks(from: self.position)) == YAMLByte.colon)
        default:
            try self.checkPlainStart(inFlow: true)
            return try self.scanPlain(parent: parent, inFlow: true)
        }
    }

    /// Moves over white space, comments and line ends inside a flow collection.
    ///
    /// A line must be indented deeper than the block around it, unless it closes a collection: so a bracket
    /// that was forgotten is noticed on the next line, not at the end of the file.
    private mutating func skipFlowSpace(parent: Int, opener: Int) throws(YAMLError) {
        while true {
            let start = self.position
            var index = start
            while self.byte(at: index) == YAMLByte.space {
                index += 1
            }
            let spaces = index - start
            index = self.skipBlanks(from: index)
            let byte = self.byte(at: index)
            if byte == YAMLByte.hash {
                guard index > start || start == self.lineStart else {
                    self.position = index
                    return
                }
                index = self.lineFeed(from: index)
            } else if !YAMLByte.isBreak(byte) {
                self.position = index
                guard start == self.lineStart else { return }
                if index == start, self.isDocumentMarker(at: index) {
                    throw self.unclosed(opener, foundAt: index)
                }
                let closes = byte == YAMLByte.closeBrace || byte == YAMLByte.closeBracket
                if spaces <= parent, !closes {
                    throw self.unclosed(opener, foundAt: index, wanted: parent + 1)
                }
                return
            }
            guard index < self.end else {
                throw self.unclosed(opener)
            }
            self.position = self.skipBreak(at: index)
            self.lineStart = self.position
        }
    }

    private func unclosed(_ opener: Int, foundAt index: Int? = nil, wanted: Int? = nil) -> YAMLError {
        let open = Character(Unicode.Scalar(self.base[opener]))
        let close = open == "[" ? "]" : "}"
        guard let index, let wanted else {
            return self.error("this '\(open)' is not closed: add the missing '\(close)'", at: opener)
        }
        return self.error(
            "the '\(open)' on line \(self.line(of: opener)) is not closed: add the missing '\(close)', "
                + "or indent this line by at least \(wanted)",
            at: index
        )
    }

    /// Refuses `[a,,b]`, `[,` and the wrong closing bracket.
    private func refuseStrayInFlow(opener: Int, closer: UInt8) throws(YAMLError) {
        switch self.byte(at: self.position) {
        case YAMLByte.comma:
            throw self.error("a value is missing before this ','", at: self.position)
        case YAMLByte.closeBrace, YAMLByte.closeBracket:
            throw self.missingComma(opener: opener, closer: closer)
        default:
            return
        }
    }

    private func missingComma(opener: Int, closer: UInt8) -> YAMLError {
        let byte = self.byte(at: self.position)
        let closing = Character(Unicode.Scalar(closer))
        let opening = Character(Unicode.Scalar(self.base[opener]))
        if byte == YAMLByte.colon {
            return self.error(self.mappingNotAllowed, at: self.position)
        }
        if byte == YAMLByte.closeBrace || byte == YAMLByte.closeBracket {
            return self.error(
                "expected '\(closing)' to close the '\(opening)' on line \(self.line(of: opener)), "
                    + "found '\(Character(Unicode.Scalar(byte)))'",
                at: self.position
            )
        }
        return self.error(
            "expected ',' or '\(closing)' here: separate the entries with ',', or put the text in quotes",
            at: self.position
        )
    }
}
