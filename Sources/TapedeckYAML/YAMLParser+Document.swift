extension YAMLParser {
    /// Parses the one document of the text. An empty document leaves `records` empty.
    mutating func parseDocument() throws(YAMLError) {
        if YAMLText.hasByteOrderMark(self.base, count: self.count) {
            self.position = 3
            self.lineStart = 3
        }
        let markerLine = try self.parseProlog()
        if !self.isAtEnd {
            let collections = self.lineStart != markerLine
            try self.parseBlockNode(parent: -1, collections: collections, afterMarker: !collections)
            try self.skipToContent()
            if !self.isAtEnd {
                let isBlock = self.records.first.map { $0.isCollection && !$0.isSimple } ?? false
                throw self.strayLine(expected: isBlock ? self.closedIndent : nil)
            }
        }
        try self.parseEpilog()
    }

    /// Skips directives and the marker at the start, up to the first content.
    ///
    /// Returns the start of the line that the marker is on, if there is one.
    private mutating func parseProlog() throws(YAMLError) -> Int? {
        var directive: Int?
        while true {
            try self.skipToContent()
            if self.end < self.count && self.base[self.end] == YAMLByte.dash {
                let markerLine = self.lineStart
                self.end = self.count
                self.position += 3
                try self.skipToContent()
                return markerLine
            }
            guard self.byte(at: self.position) == UInt8(ascii: "%"), self.column == 0 else { break }
            guard self.isYAMLDirective(at: self.position) else {
                throw self.error(
                    "only a %YAML directive is allowed here: remove this line, or quote a text that starts with '%'",
                    at: self.position
                )
            }
            directive = self.position
            self.position = self.lineFeed(from: self.position)
        }
        if let directive {
            throw self.error("a %YAML directive needs a line '---' after it", at: directive)
        }
        return nil
    }

    private func isYAMLDirective(at index: Int) -> Bool {
        var index = index
        for expected in "%YAML".utf8 {
            guard self.byte(at: index) == expected else { return false }
            index += 1
        }
        return YAMLByte.isBlankOrBreak(self.byte(at: index))
    }

    /// Checks that nothing follows the document but `...`, comments and blank lines.
    private mutating func parseEpilog() throws(YAMLError) {
        while self.end < self.count {
            let marker = self.end
            self.end = self.count
            guard self.base[marker] == YAMLByte.dot else {
                throw self.error(self.secondDocument, at: marker)
            }
            self.position = marker + 3
            try self.finishLine(after: "'...'")
            try self.skipToContent()
            if !self.isAtEnd {
                throw self.error(self.secondDocument, at: self.position)
            }
        }
    }

    private var secondDocument: String {
        "a second document is not supported: keep one document in a file"
    }
}
