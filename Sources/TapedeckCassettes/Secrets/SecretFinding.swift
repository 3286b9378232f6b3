/// Something in a file that looks like a secret.
package struct SecretFinding: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// A rule says so; the name that its placeholder would have, and what it looks like.
        case secret(name: String, shape: String)
        /// A word that looks as if it had been drawn at random; so many characters.
        case random(count: Int)
        /// What stands here could not be searched.
        case unsearched(String)
    }

    package var path: String
    /// 1-based.
    package var line: Int
    /// 1-based, in characters.
    package var column: Int
    package var kind: Kind
    /// Whether it stands within base64, compressed bytes or an escaped text, which has no place of its own in the file.
    package var isEncoded: Bool

    /// `path:line:column: …`, never with the value.
    package var description: String {
        let what =
            switch self.kind {
            case .secret(let name, let shape): "a secret: \(name), of the shape \(shape)"
            case .random(let count): "looks like a secret: \(count) characters drawn at random"
            case .unsearched(let why): "not searched: \(why)"
            }
        return "\(self.path):\(self.line):\(self.column): \(what)\(self.isEncoded ? " (in an encoded text)" : "")"
    }
}
