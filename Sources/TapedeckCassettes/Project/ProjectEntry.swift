import TapedeckYAML

/// A setting of a project file as it is written, and where: for what is checked by those who know the options.
package struct ProjectEntry: Sendable, Equatable {
    /// Its section and its name, such as `deck.port`; a key outside of sections is its name.
    package var key: String
    /// The value, or the values of a list.
    package var values: [String]
    package var isList = false
    /// 1-based.
    package var line: Int
    /// 1-based, in characters.
    package var column: Int

    /// Returns an error with the entry's place.
    ///
    /// - Parameter path: of the file.
    package func error(_ message: String, path: String) -> CassetteError {
        CassetteError([
            Diagnostic(severity: .error, path: path, line: self.line, column: self.column, message: message)
        ])
    }
}

/// `deck:` of a project file, and what its other sections say of options.
extension CassetteReader {
    /// Reads the value of `deck:`: texts, and lists of texts. Which options there are is not known here.
    mutating func readDeck(_ node: YAMLNode) -> [ProjectEntry] {
        guard !node.isNull, self.expectMapping(node, "`deck`") else { return [] }
        return node.pairs.compactMap { key, value in
            let name = key.string
            switch value.kind {
            case .mapping:
                self.error(value, "`\(name)` is a text or a list of texts")
                return nil
            case .sequence:
                return Self.entry("deck.\(name)", key, self.texts(value, name), isList: true)
            case .scalar:
                guard !value.isNull else {
                    self.error(value, "`\(name)` is empty; leave it out, or write a value")
                    return nil
                }
                return self.text(value, name).map { Self.entry("deck.\(name)", key, [$0]) }
            }
        }
    }

    /// The settings in a section that is read and checked elsewhere, as texts.
    static func entries(in section: String, _ node: YAMLNode) -> [ProjectEntry] {
        guard node.kind == .mapping else { return [] }
        return node.pairs.map { key, value in
            let values = value.kind == .sequence ? value.items.map(self.text) : [self.text(value)]
            return self.entry("\(section).\(key.string)", key, values, isList: value.kind == .sequence)
        }
    }

    static func entry(_ name: String, _ key: YAMLNode, _ values: [String], isList: Bool = false) -> ProjectEntry {
        let position = key.position
        return ProjectEntry(key: name, values: values, isList: isList, line: position.line, column: position.column)
    }

    /// Returns a scalar, or a client certificate's mapping in the form of `--client-cert`.
    private static func text(_ node: YAMLNode) -> String {
        guard node.kind == .mapping else { return node.string }
        let files = ["cert", "key"].compactMap { node[$0]?.string }.joined(separator: ",")
        return "\(node["host"]?.string ?? "")=\(files)"
    }
}
