/// Signs made-up JSON Web Tokens. Redaction itself knows no cryptography: who plays gives it this.
package struct TokenSigner: Sendable {
    /// Returns the signature of a signing input by an algorithm (RFC 7518 section 3.1); `nil` for one without a public key.
    package var signature: @Sendable (_ algorithm: String, _ input: [UInt8]) -> [UInt8]?
    /// Returns the left half of an algorithm's hash (OpenID Connect Core section 3.1.3.6).
    package var leftHalf: @Sendable (_ algorithm: String, _ bytes: [UInt8]) -> [UInt8]?
    /// Returns the public members of the JSON Web Key for an algorithm and their values.
    package var publicMembers: @Sendable (_ algorithm: String) -> [(name: String, value: [UInt8])]
    /// Returns a private key in PEM; `nil` for a kind that is not known.
    package var privateKey: @Sendable (_ shape: PrivateKeyShape) -> String?

    package init(
        signature: @escaping @Sendable (_ algorithm: String, _ input: [UInt8]) -> [UInt8]?,
        leftHalf: @escaping @Sendable (_ algorithm: String, _ bytes: [UInt8]) -> [UInt8]?,
        publicMembers: @escaping @Sendable (_ algorithm: String) -> [(name: String, value: [UInt8])],
        privateKey: @escaping @Sendable (_ shape: PrivateKeyShape) -> String?
    ) {
        self.signature = signature
        self.leftHalf = leftHalf
        self.publicMembers = publicMembers
        self.privateKey = privateKey
    }

    /// Signs nothing.
    package static let none = TokenSigner(
        signature: { _, _ in nil },
        leftHalf: { _, _ in nil },
        publicMembers: { _ in [] },
        privateKey: { _ in nil }
    )
}
