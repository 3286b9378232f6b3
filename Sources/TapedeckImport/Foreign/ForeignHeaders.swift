import TapedeckCore

/// Header fields in the forms in which other tools write them.
enum ForeignHeaders {
    /// The fields of a node, in its order.
    ///
    /// A map of names to a value or a list of values; a list of `name: value` lines, of pairs of a name and its value or
    /// values, or of maps with `name` and `value`, which may be a list, too; a list with one such list in it, as Python's
    /// frozensets are written.
    static func fields(of node: ForeignNode?) -> [HeaderField] {
        guard let node else { return [] }
        if node.isMap { return node.pairs.flatMap { self.fields(self.text($0.key), $0.value) } }
        if node.items.count == 1, node.items[0].isList, node.items[0].items.allSatisfy(\.isList) {
            return self.fields(of: node.items[0])
        }
        return node.items.flatMap { item -> [HeaderField] in
            if item.items.count == 2 { return self.fields(self.text(item.items[0]), item.items[1]) }
            if let name = item["name"] {
                return item["value"].map { self.fields(self.text(name), $0) } ?? [HeaderField(self.text(name), "")]
            }
            return self.line(self.text(item))
        }
    }

    /// Names and values that alternate, as Node's `rawHeaders` have them.
    static func alternating(_ items: [ForeignNode]) -> [HeaderField] {
        stride(from: 0, to: items.count - 1, by: 2).flatMap { self.fields(self.text(items[$0]), items[$0 + 1]) }
    }

    private static func fields(_ name: String, _ value: ForeignNode) -> [HeaderField] {
        value.isList
            ? value.items.map { HeaderField(name, self.text($0)) } : [HeaderField(name, self.text(value))]
    }

    private static func line(_ line: String) -> [HeaderField] {
        guard let colon = line.dropFirst().firstIndex(of: ":") else { return [] }
        return [HeaderField(String(line[..<colon]), String(line[line.index(after: colon)...]))]
    }

    /// Returns the text of a scalar, or its bytes if it is base64.
    private static func text(_ node: ForeignNode?) -> String {
        guard let node else { return "" }
        if node.isBinary, let bytes = node.bytes { return ByteText.string(from: bytes) }
        return node.text ?? ""
    }
}
