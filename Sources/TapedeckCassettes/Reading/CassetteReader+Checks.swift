import TapedeckCore

extension CassetteReader {
    mutating func error(_ node: YAMLNode, _ message: String) {
        self.report(.error, node, message)
    }

    mutating func warn(_ node: YAMLNode, _ message: String) {
        self.report(.warning, node, message)
    }

    private mutating func report(_ severity: Diagnostic.Severity, _ node: YAMLNode, _ message: String) {
        let position = node.position
        self.diagnostics.append(
            Diagnostic(
                severity: severity,
                path: self.path,
                line: position.line,
                column: position.column,
                message: message
            )
        )
    }

    mutating func expectMapping(_ node: YAMLNode, _ what: String) -> Bool {
        if node.kind == .mapping { return true }
        self.error(node, "\(what) is written as `key: value` lines")
        return false
    }

    mutating func expectSequence(_ node: YAMLNode, _ what: String) -> Bool {
        if node.kind == .sequence { return true }
        self.error(node, "`\(what)` is a list: begin each item with `- `")
        return false
    }

    mutating func require(_ key: String, in node: YAMLNode, of what: String) -> YAMLNode? {
        if let value = node[key] { return value }
        self.error(node, "\(what) needs `\(key)`")
        return nil
    }

    mutating func checkKeys(_ node: YAMLNode, _ known: [String], of what: String) {
        for (key, _) in node.pairs where !known.contains(key.string) {
            self.unknown(key, known, of: what)
        }
    }

    mutating func unknown(_ key: YAMLNode, _ known: [String], of what: String) {
        let name = key.string
        let hint =
            Spelling.nearest(to: name, among: known).map { "did you mean `\($0)`?" }
            ?? "it has: \(known.joined(separator: ", "))"
        self.error(key, "\(what) has no key `\(name)`; \(hint)")
    }

    /// The text of a scalar. Numbers and words such as `true` are texts as they stand.
    mutating func text(_ node: YAMLNode, _ what: String, allowsEmpty: Bool = false) -> String? {
        guard node.kind == .scalar else {
            self.error(node, "`\(what)` is a text")
            return nil
        }
        let text = node.string
        guard allowsEmpty || !text.isEmpty || what == "reason" else {
            self.error(node, "`\(what)` is empty")
            return nil
        }
        return text
    }
}
