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

    /// No body.
    package static let empty = ObservedBody(
        bytes: [],
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
}
