import TapedeckCore

/// Fills the templates of Insomnia: `{{ _.name }}` of environments, whose values are JSON.
struct InsomniaTemplate {
    private let filler: PlaceholderFiller

    /// - Parameters:
    ///   - environments: from the outermost in; those further in override the others.
    ///   - given: values that no environment changes.
    ///   - unused: the environments of which none is used.
    init(_ environments: [ForeignNode], given: [String: String], unused: [ForeignNode]) {
        self.filler = PlaceholderFiller { (expression, repeated) throws(UnfilledPlaceholder) in
            guard let path = Self.path(expression) else {
                throw UnfilledPlaceholder("'{{\(expression.prefix(80))}}' is no name of a variable")
            }
            if repeated == 0, let value = given[path.joined(separator: ".")] { return value }
            // A value may refer to the one of its name that it overrides.
            let values = environments.reversed().compactMap { Self.value(at: path, in: $0) }.dropFirst(repeated)
            guard let value = values.first else {
                guard repeated == 0 else {
                    throw UnfilledPlaceholder("'{{\(expression.prefix(80))}}' refers to itself")
                }
                let isUnused = unused.contains { Self.value(at: path, in: $0) != nil }
                throw isUnused ? RequestValues.unused(expression, of: unused.count) : .undefined(expression)
            }
            guard let text = value.text else {
                throw UnfilledPlaceholder("'{{\(expression.prefix(80))}}' is no text or number")
            }
            return text
        }
    }

    /// Returns the text with values in the place of its templates.
    func filled(_ text: String) throws(UnfilledPlaceholder) -> String {
        let filled = try self.filler.filled(text)
        for mark in ["{%", "{#"] where filled.contains(mark) {
            let tag = filled[(filled.firstRange(of: mark)?.lowerBound ?? filled.startIndex)...].prefix(60)
            throw UnfilledPlaceholder("'\(tag)' is a template tag, whose value the file does not have")
        }
        return filled
    }

    /// Returns the names and numbers of `_.name`, `name.inner[0]` and `_['name']`; `nil` for another expression.
    private static func path(_ expression: String) -> [String]? {
        var rest = expression[...]
        var path: [String] = []
        while !rest.isEmpty {
            if rest.hasPrefix("[") {
                guard let close = rest.firstIndex(of: "]") else { return nil }
                let inner = RequestText.trimmed(rest[..<close].dropFirst())
                let isQuoted =
                    inner.count > 1 && (inner.hasPrefix("'") || inner.hasPrefix("\"")) && inner.last == inner.first
                path.append(isQuoted ? String(inner.dropFirst().dropLast()) : inner)
                rest = rest[close...].dropFirst()
            } else {
                if rest.hasPrefix(".") { rest.removeFirst() }
                let name = rest.prefix { $0.isLetter || $0.isNumber || "_-$".contains($0) }
                guard !name.isEmpty else { return nil }
                path.append(String(name))
                rest = rest[name.endIndex...]
            }
        }
        if path.first == "_" { path.removeFirst() }
        return path.isEmpty ? nil : path
    }

    private static func value(at path: [String], in node: ForeignNode) -> ForeignNode? {
        var node = node
        for name in path {
            if node.isList {
                guard let index = Int(name), node.items.indices.contains(index) else { return nil }
                node = node.items[index]
            } else {
                guard let inner = node[name] else { return nil }
                node = inner
            }
        }
        return node.isNull ? nil : node
    }
}
