/// A hash over bytes that arrive in pieces, of which nobody finds two contents with the same result.
package protocol ContentHash: AnyObject {
    func update(_ bytes: UnsafeRawBufferPointer)
    /// As lower-case hexadecimal digits.
    func finalizeHex() -> String
}

/// Makes the hash of no bytes yet.
package typealias ContentHashing = @Sendable () -> any ContentHash
