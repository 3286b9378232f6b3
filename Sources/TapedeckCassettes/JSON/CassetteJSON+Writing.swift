package import TapedeckCore
package import TapedeckYAML

extension CassetteJSON {
    /// A response set as JSON; ``responseSet(_:name:)`` reads it back as it was, unless a body is in a file.
    package static func json(of set: ResponseSet) -> [UInt8] {
        let text = CassetteWriter.text(of: Cassette(name: "", responseSets: [set]))
        // The writer's output is always valid YAML, but the compiler does not know that.
        let root = try? YAMLDocument(parsing: text).root
        let node = root?["responseSets"]?.items.first { _ in true }
        return node.map { self.value(of: $0, under: [], unfolds: true).compactText } ?? Array("null".utf8)
    }

    /// Returns a whole cassette file as JSON. Unquoted numbers, `true`, `false` and `null` keep their types, everything
    /// else is a string; comments are lost.
    ///
    /// - Throws: ``YAMLError`` if the file is not YAML.
    package static func json(ofFile text: [UInt8]) throws(YAMLError) -> [UInt8] {
        let root = try YAMLDocument(parsing: text).root
        return root.map { self.value(of: $0, under: [], unfolds: false).compactText } ?? Array("null".utf8)
    }

    /// - Parameters:
    ///   - keys: the last two keys on the path to the node.
    ///   - unfolds: true to return JSON in its own compact text as JSON, as the client sent it.
    private static func value(of node: YAMLNode, under keys: [String], unfolds: Bool) -> JSONValue {
        switch node.kind {
        case .mapping:
            return .object(
                node.pairs.map { key, value in
                    let name = key.string
                    let keys = unfolds ? keys.suffix(1) + [name] : []
                    return JSONMember(name: name, value: self.value(of: value, under: keys, unfolds: unfolds))
                }
            )
        case .sequence:
            return .array(node.items.map { self.value(of: $0, under: [], unfolds: unfolds) })
        case .scalar:
            if node.isNull { return .null }
            if let value = node.bool { return .bool(value) }
            let text = node.string
            if node.style == .plain, let number = JSONNumber(text) { return .number(number) }
            return (unfolds && self.jsonKeys.contains(keys) ? self.unfolded(text) : nil) ?? .string(text)
        }
    }

    /// The only keys in a response set under which JSON may be written directly.
    private static let jsonKeys: Set<[String]> = [
        ["body", "json"], ["body", "jsonSubset"], ["graphql", "variables"], ["messages", "json"],
        ["messages", "jsonSubset"],
    ]

    /// The JSON of a text that is compact and, as YAML must be, without two members of one name.
    private static func unfolded(_ text: String) -> JSONValue? {
        let bytes = Array(text.utf8)
        guard bytes.first == ASCII.openBrace || bytes.first == ASCII.openBracket,
            let value = try? JSONValue(parsing: bytes), value.compactText == bytes
        else { return nil }
        // Some levels are around it.
        return JSONNodes(value, at: "", depth: JSONNodes.depthLimit / 2).problems.isEmpty ? value : nil
    }
}
