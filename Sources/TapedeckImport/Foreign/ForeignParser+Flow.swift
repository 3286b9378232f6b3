extension ForeignParser {
    /// Parses a list in brackets or a map in braces.
    mutating func flowCollection() throws(ForeignError) -> ForeignNode {
        try self.nested { (parser) throws(ForeignError) in
            parser.current == UInt8(ascii: "[") ? try parser.flowList() : try parser.flowMap()
        }
    }

    private mutating func flowList() throws(ForeignError) -> ForeignNode {
        let start = self.mark
        self.mark.position += 1
        var items: [ForeignNode] = []
        while try self.hasFlowItem(close: UInt8(ascii: "]"), opened: start) {
            let line = self.mark.line
            let isPair = self.takeQuestionMark()
            let (node, isJSONLike) = try self.flowNode()
            if try self.takeFlowColon(isJSONLike: isJSONLike) || isPair {
                var pairs: [ForeignPair] = []
                try self.append(node, try self.flowNode().node, to: &pairs)
                items.append(ForeignNode(.map(pairs), line: line))
            } else {
                items.append(node)
            }
            try self.finishFlowItem(close: UInt8(ascii: "]"), opened: start)
        }
        return ForeignNode(.list(items), line: start.line)
    }

    private mutating func flowMap() throws(ForeignError) -> ForeignNode {
        let start = self.mark
        self.mark.position += 1
        var pairs: [ForeignPair] = []
        while try self.hasFlowItem(close: UInt8(ascii: "}"), opened: start) {
            _ = self.takeQuestionMark()
            let (key, isJSONLike) = try self.flowNode()
            let line = self.mark.line
            let value =
                try self.takeFlowColon(isJSONLike: isJSONLike)
                ? try self.flowNode().node : ForeignNode(.scalar("", isPlain: true), line: line)
            try self.append(key, value, to: &pairs)
            try self.finishFlowItem(close: UInt8(ascii: "}"), opened: start)
        }
        return ForeignNode(.map(pairs), line: start.line)
    }

    /// Returns true if another item follows; otherwise moves past the closing bracket.
    private mutating func hasFlowItem(close: UInt8, opened: Mark) throws(ForeignError) -> Bool {
        try self.skipInFlow(opened: opened)
        guard self.current == close else { return true }
        self.mark.position += 1
        return false
    }

    private mutating func finishFlowItem(close: UInt8, opened: Mark) throws(ForeignError) {
        try self.skipInFlow(opened: opened)
        if self.current == UInt8(ascii: ",") {
            self.mark.position += 1
        } else if self.current != close {
            throw self.error("a ',' or '\(Character(Unicode.Scalar(close)))' should stand here")
        }
    }

    private mutating func skipInFlow(opened: Mark) throws(ForeignError) {
        self.skipToContent()
        guard !self.isAtDocumentEnd else {
            throw self.error("this '\(self.string(opened.position, opened.position + 1))' is not closed", at: opened)
        }
    }

    private mutating func takeQuestionMark() -> Bool {
        guard self.isIndicator("?") else { return false }
        self.mark.position += 1
        return true
    }

    /// Moves past the colon after a key. A quoted key or a collection needs no space after it, as in JSON.
    private mutating func takeFlowColon(isJSONLike: Bool) throws(ForeignError) -> Bool {
        self.skipToContent()
        guard self.current == UInt8(ascii: ":") else { return false }
        let next = self.mark.position + 1
        guard isJSONLike || self.isSpace(at: next) || Self.isFlowIndicator(self.byte(at: next)) else { return false }
        self.mark.position += 1
        return true
    }

    /// Parses one node within brackets; it may be left out.
    private mutating func flowNode() throws(ForeignError) -> (node: ForeignNode, isJSONLike: Bool) {
        var properties = Properties()
        self.skipToContent()
        while let property = try self.property(inFlow: true) {
            properties.merge(property)
            self.skipToContent()
        }
        guard !self.isAtDocumentEnd else { throw self.error("a list or map ends with the text") }
        let line = self.mark.line
        switch self.current {
        case UInt8(ascii: "*"):
            return (try self.alias(), false)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            return (self.finish(try self.flowCollection(), properties), true)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return (self.finish(ForeignNode(.scalar(try self.quoted(), isPlain: false), line: line), properties), true)
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
            return (self.finish(ForeignNode(.scalar("", isPlain: true), line: line), properties), false)
        default:
            let text = self.plain(indent: -1, inFlow: true)
            return (self.finish(ForeignNode(.scalar(text, isPlain: true), line: line), properties), false)
        }
    }
}
