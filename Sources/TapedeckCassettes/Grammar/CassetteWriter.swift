package import TapedeckCore
import TapedeckYAML

/// Writes the model as a cassette's text: the same model gives the same bytes, in time that grows with its size alone.
/// The tables of the ``CassetteGrammar`` say what is written, and in which order.
package struct CassetteWriter {
    var yaml: YAMLWriter
    /// The column of the keys or dashes that come next.
    private var column: Int
    /// True in a mapping on one line.
    private var isFlow = false
    /// True before its first key.
    private var isFirst = true

    init(column: Int = 0, reserving capacity: Int = 0) {
        self.yaml = YAMLWriter(reservingCapacity: capacity)
        self.column = column
    }

    static func text(column: Int = 0, _ write: (inout Self) -> Void) -> [UInt8] {
        var writer = Self(column: column)
        write(&writer)
        return writer.yaml.bytes
    }

    // MARK: Texts

    /// The whole file.
    package static func text(of cassette: Cassette) -> [UInt8] {
        let takes = cassette.responseSets.reduce(0) { $0 + $1.variants.reduce(0) { $0 + $1.takes.count } }
        var writer = CassetteWriter(reserving: takes * 512)
        writer.write(cassette, by: CassetteGrammar.cassette)
        return writer.yaml.bytes
    }

    /// Returns the text before the response sets in the file.
    static func text(beforeSetsOf cassette: Cassette) -> [UInt8] {
        var cassette = cassette
        return self.text { writer in
            for key in CassetteGrammar.cassette.keys.prefix(while: { $0.name != "responseSets" }) {
                key.write(&writer, &cassette)
            }
        }
    }

    /// The lines of one key of a cassette; empty if it has no such value.
    package static func text(of name: String, in cassette: Cassette) -> [UInt8] {
        var cassette = cassette
        return self.text { writer in
            for key in CassetteGrammar.cassette.keys where key.name == name { key.write(&writer, &cassette) }
        }
    }

    /// A response set as an item of a list with its dashes in column `indent`.
    package static func item(_ set: ResponseSet, indent: Int) -> [UInt8] {
        self.text(column: indent) { $0.item(SetEntry(set), by: CassetteGrammar.set) }
    }

    /// Returns a variant as an item of a list with its dashes in column `indent`.
    package static func item(_ variant: Variant, indent: Int) -> [UInt8] {
        self.text(column: indent) { $0.item(BehaviourEntry(variant), by: CassetteGrammar.variant) }
    }

    /// Returns takes as items of a list with their dashes in column `indent`.
    static func items(_ takes: [Take], indent: Int) -> [UInt8] {
        self.text(column: indent) { writer in
            for take in takes { writer.item(TakeEntry(take), by: CassetteGrammar.take) }
        }
    }

    /// The lines of a set with one variant, up to where its takes begin.
    static func start(of set: ResponseSet, _ variant: String, indent: Int) -> [UInt8] {
        self.text(column: indent) { writer in
            writer.item(SetEntry(set), by: CassetteGrammar.set)
            writer.column += 4
            writer.item { writer in
                writer.key("name")
                writer.inline { $0.yaml.scalar(variant) }
            }
            writer.column += 2
            writer.key("takes")
            writer.yaml.newline()
        }
    }

    // MARK: Lines

    mutating func key(_ name: StaticString) {
        self.startKey()
        self.yaml.raw(name)
        self.endKey()
    }

    /// A key that the user chose.
    mutating func key(_ name: String) {
        self.startKey()
        self.yaml.scalar(name)
        self.endKey()
    }

    private mutating func startKey() {
        guard self.isFlow else {
            self.yaml.indent(self.column)
            return
        }
        self.yaml.raw(self.isFirst ? " " : ", ")
        self.isFirst = false
    }

    private mutating func endKey() {
        if self.isFlow { self.yaml.raw(": ") } else { self.yaml.raw(":") }
    }

    /// Writes a value on the line of its key.
    mutating func inline(_ write: (inout Self) -> Void) {
        guard !self.isFlow else {
            write(&self)
            return
        }
        self.yaml.raw(" ")
        write(&self)
        self.yaml.newline()
    }

    /// Writes a mapping as the value of a key, each of its own keys on a line.
    mutating func block(_ write: (inout Self) -> Void) {
        guard !self.isFlow else {
            self.flowMapping(write)
            return
        }
        self.yaml.newline()
        self.column += 2
        write(&self)
        self.column -= 2
    }

    /// Writes a list as the value of a key, with its items below.
    mutating func items<Item>(_ items: [Item], _ write: (inout Self, Item) -> Void) {
        self.yaml.newline()
        self.column += 2
        for item in items { self.item { write(&$0, item) } }
        self.column -= 2
    }

    /// Writes the keys of a mapping as an item of a list.
    mutating func item(_ write: (inout Self) -> Void) {
        let start = self.yaml.bytes.count
        self.column += 2
        write(&self)
        if self.yaml.bytes.count == start { self.line { $0.yaml.raw("{}") } }
        self.column -= 2
        self.yaml.dash(at: start + self.column)
    }

    mutating func item<Owner>(_ owner: Owner, by mapping: Mapping<Owner>) {
        self.item { $0.write(owner, by: mapping) }
    }

    /// Writes a value that is all of an item.
    mutating func line(_ write: (inout Self) -> Void) {
        self.yaml.indent(self.column)
        write(&self)
        self.yaml.newline()
    }

    // MARK: Values on one line

    mutating func flowList(_ texts: [String]) {
        self.flowList(texts) { $0.yaml.scalar($1) }
    }

    mutating func flowList<Item>(_ items: [Item], _ write: (inout Self, Item) -> Void) {
        self.yaml.raw("[")
        for (index, item) in items.enumerated() {
            if index > 0 { self.yaml.raw(", ") }
            write(&self, item)
        }
        self.yaml.raw("]")
    }

    /// `{ key: value, key: value }`.
    mutating func flowMapping(_ write: (inout Self) -> Void) {
        let outer = (self.isFlow, self.isFirst)
        (self.isFlow, self.isFirst) = (true, true)
        self.yaml.raw("{")
        write(&self)
        self.yaml.raw(self.isFirst ? "}" : " }")
        (self.isFlow, self.isFirst) = outer
    }

    /// Writes one text directly, several as a list.
    mutating func oneOrList(_ texts: [String]) {
        if texts.count == 1 { self.yaml.scalar(texts[0]) } else { self.flowList(texts) }
    }

    /// A key with a value on the same line.
    mutating func pair(_ name: StaticString, _ value: (inout Self) -> Void) {
        self.key(name)
        self.inline(value)
    }

    // MARK: Values

    /// Writes a text as the value of a key: a literal block if it has several lines.
    mutating func text(_ content: [UInt8]) {
        content.withUnsafeBytes { bytes in
            if !self.isFlow, bytes.contains(ASCII.lineFeed), YAMLWriter.canBeLiteral(bytes) {
                self.yaml.raw(" ")
                self.yaml.literal(bytes, indent: self.column + 2)
            } else {
                self.inline { $0.yaml.scalar(bytes) }
            }
        }
    }

    /// Writes JSON as the value of a key: on one line, or when it is long over several.
    mutating func json(_ value: JSONValue) {
        let compact = value.compactText
        let readable = compact.count > 60 ? compact.withUnsafeBytes { JSONLayout.readable($0)?.text } : nil
        self.text(readable ?? compact)
    }

    /// In milliseconds.
    mutating func time(_ milliseconds: Int) {
        self.yaml.raw(TimeSpan(milliseconds: Int64(milliseconds)).description)
    }

    mutating func number(_ value: Double) {
        let text = value.description
        self.yaml.raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}
