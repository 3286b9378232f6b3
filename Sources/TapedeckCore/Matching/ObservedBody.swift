/// The body of a request, as far as matching may ask about it.
package struct ObservedBody: Sendable, Equatable {
    /// The bytes with gzip and deflate undone; `nil` when the body was too large to keep.
    package var bytes: [UInt8]?
    /// SHA-256 of the bytes as they came, in lower-case hexadecimal.
    package var sha256: String

    package init(bytes: [UInt8]?, sha256: String) {
        self.bytes = bytes
        self.sha256 = sha256
    }
}

extension BodyMatcher {
    /// Equal for conditions that the same bodies meet, as far as that can be told.
    package struct Identity: Sendable, Hashable {
        enum Kind: UInt8 {
            case bytes
            case json
            case sha256
        }

        let kind: Kind
        let content: [UInt8]

        package func hash(into hasher: inout Hasher) {
            hasher.combine(self.kind)
            self.content.withUnsafeBytes { hasher.combine(bytes: $0) }
        }

        static func bytes(_ bytes: [UInt8]) -> Identity {
            Identity(kind: .bytes, content: bytes)
        }

        /// White space between tokens does not count.
        static func json(_ json: [UInt8]) -> Identity {
            Identity(kind: .json, content: json.withUnsafeBytes { JSONLayout.compact.apply(to: $0) })
        }

        static func sha256(_ digest: String) -> Identity {
            Identity(kind: .sha256, content: Array(digest.utf8))
        }
    }

    package var identity: Identity {
        switch self {
        case .bytes(let body): .bytes(body.decoded)
        case .json(let body): .json(body.content)
        case .sha256(let digest): .sha256(digest)
        }
    }

    /// What the condition asks for, in a few words.
    package var summary: String {
        switch self {
        case .bytes(let body): "a body of \(body.decoded.count) bytes"
        case .json: "another JSON body"
        case .sha256(let digest): "a body with SHA-256 \(digest.prefix(12))…"
        }
    }
}
