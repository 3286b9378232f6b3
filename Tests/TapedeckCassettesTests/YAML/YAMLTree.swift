import TapedeckYAML
import Yams

/// A document reduced to structure, text and style, so that two readers can be compared.
indirect enum YAMLTree: Equatable, Sendable, CustomStringConvertible {
    case scalar(String, style: String)
    case sequence([YAMLTree])
    case mapping([Pair])

    struct Pair: Equatable, Sendable {
        let key: YAMLTree
        let value: YAMLTree
    }

    /// Returns our reader's result for a text; nil for an empty document.
    static func ours(_ text: String) throws(YAMLError) -> YAMLTree? {
        try YAMLDocument(parsing: Array(text.utf8)).root.map(YAMLTree.init)
    }

    /// Returns Yams' result for a text; nil for an empty document.
    static func oracle(_ text: String) throws -> YAMLTree? {
        try Yams.compose(yaml: text).map(YAMLTree.init)
    }

    init(_ node: YAMLNode) {
        switch node.kind {
        case .scalar:
            self = .scalar(node.string, style: node.style.map { "\($0)" } ?? "none")
        case .sequence:
            self = .sequence(node.items.map(YAMLTree.init))
        case .mapping:
            self = .mapping(node.pairs.map { Pair(key: YAMLTree($0.key), value: YAMLTree($0.value)) })
        }
    }

    init(_ node: Yams.Node) {
        switch node {
        case .scalar(let scalar):
            self = .scalar(scalar.string, style: "\(scalar.style)")
        case .sequence(let sequence):
            self = .sequence(sequence.map(YAMLTree.init))
        case .mapping(let mapping):
            self = .mapping(mapping.map { Pair(key: YAMLTree($0.key), value: YAMLTree($0.value)) })
        case .alias(let alias):
            self = .scalar("\(alias)", style: "alias")
        }
    }

    /// True if the tree has a key that is not a scalar, or that is empty and plain: we reject both.
    var hasUnusualKey: Bool {
        switch self {
        case .scalar: false
        case .sequence(let items): items.contains { $0.hasUnusualKey }
        case .mapping(let pairs):
            pairs.contains { pair in
                if case .scalar(let text, let style) = pair.key, !(text.isEmpty && style == "plain") {
                    return pair.value.hasUnusualKey
                }
                return true
            }
        }
    }

    var description: String {
        switch self {
        case .scalar(let text, let style): "\(style) \(text.debugDescription)"
        case .sequence(let items): "[\(items.map(\.description).joined(separator: ", "))]"
        case .mapping(let pairs):
            "{\(pairs.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        }
    }
}
