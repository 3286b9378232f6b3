extension YAMLParser {
    /// Refuses a first character that cannot begin a plain scalar.
    func checkPlainStart(inFlow: Bool) throws(YAMLError) {
        let index = self.position
        let byte = self.byte(at: index)
        let next = self.byte(at: index + 1)
        let standsAlone = YAMLByte.isBlankOrBreak(next) || (inFlow && YAMLByte.isFlowIndicator(next))
        let message: String
        switch byte {
        case UInt8(ascii: "&"):
            message =
                "anchors are not supported in a cassette: write the value out, or quote a text that starts with '&'"
        case UInt8(ascii: "*"):
            message =
                "aliases are not supported in a cassette: write the value out, or quote a text that starts with '*'"
        case UInt8(ascii: "!"):
            message = "tags are not supported in a cassette: remove it, or quote a text that starts with '!'"
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"):
            message = "a text cannot start with '\(Character(Unicode.Scalar(byte)))': put it in quotes"
        case YAMLByte.comma, YAMLByte.hash:
            message = "a text cannot start with '\(Character(Unicode.Scalar(byte)))' here: put it in quotes"
        case YAMLByte.closeBracket, YAMLByte.closeBrace:
            let closer = Character(Unicode.Scalar(byte))
            message = "nothing is open that this '\(closer)' could close: remove it, or put the text in quotes"
        case YAMLByte.pipe, YAMLByte.greater:
            message = "block text cannot stand inside [] or {}: put the text in quotes"
        case YAMLByte.question where standsAlone:
            message = "keys written with '? ' are not supported in a cassette: write 'key: value'"
        case YAMLByte.colon where standsAlone:
            message = "a key is missing before this ':': write 'key: value', or put the text in quotes"
        case YAMLByte.dash where standsAlone:
            message = "a '- ' list cannot stand inside [] or {}: remove the '-', or put the text in quotes"
        default:
            return
        }
        throw self.error(message, at: index)
    }

    /// Refuses `key: a: b`, and a mapping on the line of `---`.
    func checkMappingMayBegin(_ mayBegin: Bool, afterMarker: Bool, key: YAMLRecord) throws(YAMLError) {
        guard !mayBegin else { return }
        if afterMarker {
            throw self.error(
                "a mapping cannot begin on the line of '---': begin it on the next line",
                at: Int(key.start)
            )
        }
        throw self.error(self.mappingNotAllowed, at: self.skipBlanks(from: self.position))
    }

    /// The message for `: ` inside a plain text.
    var mappingNotAllowed: String {
        "mapping values are not allowed here: quote the text, or begin the mapping on a line of its own"
    }

    /// The error for `: ` on a later line of a plain text that began at `start`.
    func colonInContinuation(at colon: Int, textFrom start: Int) -> YAMLError {
        let (end, _) = self.scanPlainLine(from: start, inFlow: false)
        if let glued = self.gluedColon(in: start..<end) {
            return self.error("a space is missing after this ':': write 'key: value'", at: glued)
        }
        return self.error(
            "mapping values are not allowed here, inside the text that began on line \(self.line(of: start)): "
                + "quote that text, or indent this line like the keys of its mapping",
            at: colon
        )
    }

    /// The error for a line in a mapping that is not `key: value`.
    func missingColon(after range: Range<Int>) -> YAMLError {
        if let glued = self.gluedColon(in: range) {
            return self.error("a space is missing after this ':': write 'key: value'", at: glued)
        }
        return self.error(
            "expected ': ' after '\(self.excerpt(range))': write 'key: value', or indent this line "
                + "if it belongs to the text above",
            at: range.lowerBound
        )
    }

    /// The first colon that looks as if a space was forgotten after it; the colon of a URL does not.
    func gluedColon(in range: Range<Int>) -> Int? {
        let first = self.base[range.lowerBound]
        guard first != YAMLByte.doubleQuote, first != YAMLByte.singleQuote else { return nil }
        return range.dropFirst().first { index in
            self.base[index] == YAMLByte.colon && self.byte(at: index + 1) != UInt8(ascii: "/")
        }
    }

    /// The error for a line whose indentation fits no open block; `expected` is that of the innermost one.
    func strayLine(expected: Int?) -> YAMLError {
        let found = self.column
        guard let expected else {
            return self.error(
                "this line does not belong to the value above: remove it, or quote the text",
                at: self.position
            )
        }
        var wanted = self.spaces(expected)
        if let closed = self.closedIndent, closed > expected, closed != found {
            wanted = "\(expected) or \(self.spaces(closed))"
        }
        return self.error("bad indentation: expected \(wanted), found \(found)", at: self.position)
    }

    private func spaces(_ count: Int) -> String {
        count == 1 ? "1 space" : "\(count) spaces"
    }

    /// Refuses a tab between `-` and a block collection on the same line, whose columns it would make unclear.
    func refuseTabs(beforeCompactCollectionAt start: Int) throws(YAMLError) {
        for index in self.lineStart..<max(start, self.lineStart) where self.base[index] == YAMLByte.tab {
            throw self.error("a tab cannot indent a list or a mapping: use spaces", at: index)
        }
    }

    /// Refuses a flow collection as a key.
    func refuseCollectionKey(from start: Int) throws(YAMLError) {
        guard self.byte(at: self.skipBlanks(from: self.position)) == YAMLByte.colon else { return }
        throw self.error("a key must be a plain or quoted text, not a list or a mapping", at: start)
    }

    /// Refuses `<<`.
    func refuseMergeKey(_ key: YAMLRecord) throws(YAMLError) {
        let start = Int(key.start)
        guard
            key.shape == .plain,
            key.end - key.start == 2,
            self.base[start] == UInt8(ascii: "<"),
            self.base[start + 1] == UInt8(ascii: "<")
        else { return }
        throw self.error("merge keys are not supported in a cassette: write the keys out", at: start)
    }
}
