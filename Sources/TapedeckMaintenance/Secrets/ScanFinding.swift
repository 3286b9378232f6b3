import TapedeckCassettes

/// Something in a file that looks like a secret.
package struct ScanFinding: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// A rule says so; the name that its placeholder would have, what it looks like, and the rule's id, `nil` for
        /// what is a secret because it is one elsewhere in the cassette.
        case secret(name: String, shape: String, rule: String?)
        /// A word that looks random, with its length.
        case random(count: Int)
        /// The text could not be searched.
        case unsearched(String)
        /// A body file with secrets in a folder that recordings do not use.
        case foreignFile
    }

    package var path: String
    /// 1-based.
    package var line: Int
    /// 1-based, in characters.
    package var column: Int
    package var kind: Kind
    /// True if it is within base64 or compressed bytes, and so has no exact place in the file.
    package var isEncoded = false

    /// `path:line:column: …`, never with the value.
    package var description: String {
        let what =
            switch self.kind {
            case .secret(let name, let shape, let rule):
                "a secret: \(name), of the shape \(shape) (\(rule.map { "rule \($0)" } ?? "one elsewhere, too"))"
            case .random(let count): "looks like a secret: \(count) characters drawn at random"
            case .unsearched(let why): "not searched: \(why)"
            case .foreignFile:
                "this file is not in the cassette's own folder, so it stays, and there are secrets in it: take them out by hand"
            }
        return "\(self.path):\(self.line):\(self.column): \(what)\(self.isEncoded ? " (in an encoded text)" : "")"
    }
}
