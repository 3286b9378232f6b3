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
    /// What the condition asks for, in a few words.
    package var summary: String {
        switch self {
        case .bytes(let body): "a body of \(body.decoded.count) bytes"
        case .json: "another JSON body"
        case .sha256(let digest): "a body with SHA-256 \(digest.prefix(12))…"
        }
    }
}
