/// Reads JSON and YAML of other tools, as data and never as code: tags are text, aliases are counted.
///
/// YAML 1.1 as libyaml, Psych, PyYAML, SnakeYAML and go-yaml read it, and the additions of YAML 1.2, so that JSON is
/// read too. Tolerates what those tolerate, so it does not validate YAML: our own cassettes go through `TapedeckYAML`.
///
/// Rules for the extensions:
/// - `mark` is before the next byte; its column is the count of bytes since the start of its line.
/// - A method that parses a node leaves `mark` right after the node.
struct ForeignParser {
    /// A place of the text.
    struct Mark {
        var position = 0
        var line = 1
        var lineStart = 0
    }

    /// The properties of a node: its tag and its anchor.
    struct Properties {
        var tag: String?
        var anchor: String?

        mutating func merge(_ other: Properties) {
            self.tag = other.tag ?? self.tag
            self.anchor = other.anchor ?? self.anchor
        }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let limits: ForeignLimits
    var mark = Mark()
    var depth = 0
    var anchors: [String: ForeignNode] = [:]
    var handles: [String: String] = [:]
    /// The sizes of all aliases met so far, written out.
    var aliased = 0

    /// True for a text that begins like JSON, in which Java's tools take comments.
    let takesComments: Bool

    init(bytes: UnsafeBufferPointer<UInt8>, limits: ForeignLimits) {
        self.bytes = bytes
        self.limits = limits
        let first = bytes.first { !Self.isBlank($0) && $0 != 0x0A && $0 != 0x0D }
        self.takesComments =
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "/")
    }

    // MARK: Looking

    /// The byte at an offset; 0 past the end, which no text holds.
    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        index < self.bytes.count ? self.bytes[index] : 0
    }

    @inline(__always)
    var current: UInt8 {
        self.byte(at: self.mark.position)
    }

    var isAtEnd: Bool {
        self.mark.position >= self.bytes.count
    }

    var column: Int {
        self.mark.position - self.mark.lineStart
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    /// Returns the length of the line end at an offset, or 0: LF, CR, CRLF, and of YAML 1.1 also NEL, LS, PS.
    @inline(__always)
    func breakLength(at index: Int) -> Int {
        switch self.byte(at: index) {
        case 0x0A: 1
        case 0x0D: self.byte(at: index + 1) == 0x0A ? 2 : 1
        case 0xC2 where self.limits.takesUnicodeLineEnds && self.byte(at: index + 1) == 0x85: 2
        case 0xE2
        where self.limits.takesUnicodeLineEnds && self.byte(at: index + 1) == 0x80
            && (self.byte(at: index + 2) == 0xA8 || self.byte(at: index + 2) == 0xA9):
            3
        default: 0
        }
    }

    /// True if white space, a line end or the end of the text is at an offset.
    @inline(__always)
    func isSpace(at index: Int) -> Bool {
        index >= self.bytes.count || Self.isBlank(self.bytes[index]) || self.breakLength(at: index) > 0
    }

    static func isFlowIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }

    /// True if a separate `---` or `...` begins here.
    var isAtMarker: Bool {
        let first = self.current
        return self.column == 0 && (first == UInt8(ascii: "-") || first == UInt8(ascii: "."))
            && self.byte(at: self.mark.position + 1) == first && self.byte(at: self.mark.position + 2) == first
            && self.isSpace(at: self.mark.position + 3)
    }

    /// True if the document is over.
    var isAtDocumentEnd: Bool {
        self.isAtEnd || self.isAtMarker
    }

    /// True if a separate block indicator (`-`, `?` or `:`) is here.
    func isIndicator(_ character: Unicode.Scalar) -> Bool {
        self.current == UInt8(ascii: character) && self.isSpace(at: self.mark.position + 1)
    }

    // MARK: Moving

    mutating func skipBlanks() {
        while Self.isBlank(self.current) {
            self.mark.position += 1
        }
    }

    /// Skips the line end that is here. Returns its meaning: a line feed, or itself for LS and PS.
    @discardableResult
    mutating func takeBreak() -> [UInt8] {
        let length = self.breakLength(at: self.mark.position)
        let start = self.mark.position
        self.mark.position += max(length, 1)
        self.mark.line += 1
        self.mark.lineStart = self.mark.position
        return length == 3 ? Array(self.bytes[start..<start + 3]) : [0x0A]
    }

    /// Moves over white space, comments and line ends.
    mutating func skipToContent() {
        while true {
            let start = self.mark.position
            self.skipBlanks()
            if self.current == UInt8(ascii: "#"), self.mark.position > start || self.isAfterSpace {
                while !self.isAtEnd, self.breakLength(at: self.mark.position) == 0 {
                    self.mark.position += 1
                }
            }
            if self.takesComments, self.current == UInt8(ascii: "/"), self.skipComment() { continue }
            guard self.breakLength(at: self.mark.position) > 0 else { return }
            self.takeBreak()
        }
    }

    /// Moves over a comment of JavaScript; false where none begins.
    private mutating func skipComment() -> Bool {
        let kind = self.byte(at: self.mark.position + 1)
        guard kind == UInt8(ascii: "/") || kind == UInt8(ascii: "*") else { return false }
        self.mark.position += 2
        while !self.isAtEnd {
            if self.breakLength(at: self.mark.position) > 0 {
                if kind == UInt8(ascii: "/") { return true }
                self.takeBreak()
            } else if kind == UInt8(ascii: "*"), self.current == kind,
                self.byte(at: self.mark.position + 1) == UInt8(ascii: "/")
            {
                self.mark.position += 2
                return true
            } else {
                self.mark.position += 1
            }
        }
        return true
    }

    private var isAfterSpace: Bool {
        self.column == 0 || Self.isBlank(self.byte(at: self.mark.position - 1))
    }

    /// Checks that only a comment follows on the line.
    mutating func finishLine() throws(ForeignError) {
        let start = self.mark.position
        self.skipBlanks()
        guard !self.isAtEnd, self.breakLength(at: self.mark.position) == 0 else { return }
        guard self.current == UInt8(ascii: "#"), self.mark.position > start else {
            throw self.error("the value ends before this text: this is no YAML that its tool would read")
        }
    }

    // MARK: Depth, aliases, errors

    /// Runs `body` one level deeper.
    mutating func nested<Result>(
        _ body: (inout ForeignParser) throws(ForeignError) -> Result
    ) throws(ForeignError) -> Result {
        self.depth += 1
        guard self.depth <= self.limits.maximumDepth else {
            throw self.error("nested more than \(self.limits.maximumDepth) levels deep")
        }
        let result = try body(&self)
        self.depth -= 1
        return result
    }

    /// Gives a node its tag, and remembers it under its anchor.
    mutating func finish(_ node: ForeignNode, _ properties: Properties) -> ForeignNode {
        var node = node
        node.tag = properties.tag ?? node.tag
        if let anchor = properties.anchor {
            self.anchors[anchor] = node
        }
        return node
    }

    /// The node of an alias; `mark` is at its `*`.
    mutating func alias() throws(ForeignError) -> ForeignNode {
        let start = self.mark
        self.mark.position += 1
        let name = self.name()
        guard let node = self.anchors[name] else {
            throw self.error(
                "the alias *\(name) refers to nothing: no anchor &\(name) is finished before it",
                at: start
            )
        }
        try self.count(node, at: start)
        return node
    }

    /// Counts the size of a repeated node.
    mutating func count(_ node: ForeignNode, at place: Mark) throws(ForeignError) {
        let (sum, overflow) = self.aliased.addingReportingOverflow(node.weight)
        guard !overflow, sum <= self.limits.maximumAliasedBytes else {
            throw self.error(
                "the aliases up to here stand for more than \(self.limits.maximumAliasedBytes) bytes: refused",
                at: place
            )
        }
        self.aliased = sum
    }

    /// The name of an anchor or alias.
    mutating func name() -> String {
        let start = self.mark.position
        while !self.isSpace(at: self.mark.position), !Self.isFlowIndicator(self.current) {
            self.mark.position += 1
        }
        return self.string(start, self.mark.position)
    }

    /// The text between two offsets.
    func string(_ start: Int, _ end: Int) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: self.bytes[start..<max(start, end)]), as: UTF8.self)
    }

    func error(_ message: String, at place: Mark? = nil) -> ForeignError {
        let place = place ?? self.mark
        return ForeignError(message: message, line: place.line, column: place.position - place.lineStart + 1)
    }
}
