import TapedeckCore
import TapedeckYAML

/// The lines and values that everything else is made of.
extension CassetteWriter {
    mutating func key(_ name: StaticString, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(":\n")
    }

    /// A key that the user chose.
    mutating func key(_ name: String, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.scalar(name)
        self.yaml.raw(":\n")
    }

    mutating func pair(_ name: StaticString, _ value: String, indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(": ")
        self.yaml.scalar(value)
        self.yaml.newline()
    }

    /// A key with a value on the same line.
    mutating func line(_ name: String, indent: Int, _ value: (inout Self) -> Void) {
        self.yaml.indent(indent)
        self.yaml.scalar(name)
        self.yaml.raw(": ")
        value(&self)
        self.yaml.newline()
    }

    /// Writes an item of a list with its dash in column `indent`; `write` writes its lines two columns further in.
    mutating func item(indent: Int, _ write: (inout Self) -> Void) {
        let start = self.yaml.bytes.count
        write(&self)
        self.yaml.dash(at: start + indent)
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
    mutating func flowMapping(_ pairs: [(key: String, write: (inout Self) -> Void)]) {
        guard !pairs.isEmpty else {
            self.yaml.raw("{}")
            return
        }
        self.yaml.raw("{ ")
        for (index, pair) in pairs.enumerated() {
            if index > 0 { self.yaml.raw(", ") }
            self.yaml.scalar(pair.key)
            self.yaml.raw(": ")
            pair.write(&self)
        }
        self.yaml.raw(" }")
    }

    /// Writes one text directly, several as a list.
    mutating func oneOrList(_ texts: [String]) {
        if texts.count == 1 {
            self.yaml.scalar(texts[0])
        } else {
            self.flowList(texts)
        }
    }

    // MARK: State

    mutating func write(_ entries: [StateEntry], as name: String, indent: Int) {
        guard !entries.isEmpty else { return }
        self.line(name, indent: indent) { writer in
            writer.flowMapping(entries.map { entry in (entry.key, { $0.write(entry.value) }) })
        }
    }

    /// The value of a key of a session's state.
    mutating func write(_ value: String?) {
        if let value {
            self.yaml.scalar(value)
        } else {
            self.yaml.raw("null")
        }
    }

    // MARK: JSON

    /// A JSON value as the value of a key: on one line, or when it is long over several.
    mutating func line(_ name: StaticString, _ value: JSONValue, indent: Int) {
        let compact = value.compactText
        let readable = compact.count > 60 ? compact.withUnsafeBytes { JSONLayout.readable($0)?.text } : nil
        self.text(name, readable ?? compact, indent: indent)
    }

    /// Writes a text as the value of a key: a literal block if it has several lines.
    mutating func text(_ name: StaticString, _ content: [UInt8], indent: Int) {
        self.yaml.indent(indent)
        self.yaml.raw(name)
        self.yaml.raw(": ")
        content.withUnsafeBytes { bytes in
            if bytes.contains(ASCII.lineFeed), YAMLWriter.canBeLiteral(bytes) {
                self.yaml.literal(bytes, indent: indent + 2)
            } else {
                self.yaml.scalar(bytes)
                self.yaml.newline()
            }
        }
    }
}
