import TapedeckCore

/// A node of a JSON or YAML file of another tool: plain data with its line.
///
/// Scalars keep their spelling: the reader of each format decides which are numbers, booleans or null. Tags are text.
/// An alias is a copy of its target, which shares its memory.
package struct ForeignNode: Sendable {
    /// The value of a node.
    package enum Content: Sendable {
        /// The text of a scalar; `isPlain` if it had no quotes and was not a block.
        case scalar(String, isPlain: Bool)
        case list([ForeignNode])
        case map([ForeignPair])
    }

    package var content: Content
    /// The tag as written, with the handle `!!` as `tag:yaml.org,2002:`; `nil` without a tag.
    package var tag: String?
    /// The line of the file, counted from 1.
    package let line: Int
    /// The size of the node with all that it holds, aliases written out, in bytes of memory, roughly.
    let weight: Int

    init(_ content: Content, tag: String? = nil, line: Int) {
        self.content = content
        self.tag = tag
        self.line = line
        self.weight =
            switch content {
            case .scalar(let text, _): text.utf8.count &+ 32
            case .list(let items): items.reduce(32) { $0 &+ $1.weight }
            case .map(let pairs): pairs.reduce(32) { $0 &+ $1.key.weight &+ $1.value.weight }
            }
    }

    /// The value of a key; the last one of that key, as the readers of YAML 1.1 and of JSON take it.
    package subscript(_ key: String) -> ForeignNode? {
        self.pairs.last { $0.key.text == key }?.value
    }

    /// The items of a list; none for every other node.
    package var items: [ForeignNode] {
        if case .list(let items) = self.content { items } else { [] }
    }

    /// The pairs of a map in the order of the file; none for every other node.
    package var pairs: [ForeignPair] {
        if case .map(let pairs) = self.content { pairs } else { [] }
    }

    /// True if the node is a list.
    package var isList: Bool {
        if case .list = self.content { true } else { false }
    }

    /// True if the node is a map.
    package var isMap: Bool {
        if case .map = self.content { true } else { false }
    }

    /// True if the node is a null: plain `~`, `null`, `Null`, `NULL`, or nothing at all.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = self.content, !self.isText else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// The text of a scalar; `nil` for a null and for collections.
    ///
    /// A text that Ruby wrote with variables of its own (`!str`, `!ruby/string`) is a map whose `str` is the text. One of a
    /// class of Python (`!!python/object/new:multidict.istr`) is a list of the text, or a map with it in `args`.
    package var text: String? {
        switch self.content {
        case .scalar(let text, _): self.isNull ? nil : text
        case .list(let items) where self.isPythonText: items.first?.text
        case .map where self.isPythonText: self["args"]?.items.first?.text
        case .map where self.isRubyText: self["str"]?.text
        case .list, .map: nil
        }
    }

    /// The whole number that a scalar spells, in quotes or not; `nil` for everything else.
    package var int: Int? {
        self.text.flatMap { Int($0) ?? Self.whole($0) }
    }

    /// The value of `true` or `false` in any case, in quotes or not; `nil` for everything else.
    package var bool: Bool? {
        switch self.text?.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// True if the tag says that the text is base64 of bytes: `!binary`, `!!binary`.
    package var isBinary: Bool {
        self.tag == "!binary" || self.tag == "tag:yaml.org,2002:binary"
    }

    /// The bytes of a scalar: decoded if its tag says base64, else its text in UTF-8.
    ///
    /// `nil` for a null, for collections, and for invalid base64.
    package var bytes: [UInt8]? {
        guard let text = self.text else { return nil }
        return self.isBinary ? ForeignText.base64(text) : ByteText.bytes(of: text)
    }

    /// True if the tag makes every scalar a text: `!`, `!!str`, `!str`, `!!python/unicode` and so on.
    private var isText: Bool {
        guard let tag = self.tag else { return false }
        return tag == "!" || tag == "!str" || tag == "tag:yaml.org,2002:str"
            || tag == "tag:yaml.org,2002:python/unicode" || tag == "tag:yaml.org,2002:python/str" || self.isBinary
    }

    private var isRubyText: Bool {
        guard let tag = self.tag else { return false }
        return tag.hasPrefix("!str") || tag.hasPrefix("!ruby/string") || tag.hasPrefix("tag:yaml.org,2002:str")
    }

    private var isPythonText: Bool {
        guard let tag = self.tag else { return false }
        return tag.hasPrefix("tag:yaml.org,2002:python/object/") && tag.hasSuffix("str")
    }

    /// Numbers such as `200.0`, which some tools write for whole ones.
    private static func whole(_ text: String) -> Int? {
        guard let number = Double(text), number.rounded() == number, abs(number) < 1e15 else { return nil }
        return Int(number)
    }
}

/// A key of a map and its value.
package struct ForeignPair: Sendable {
    package let key: ForeignNode
    package let value: ForeignNode
}
