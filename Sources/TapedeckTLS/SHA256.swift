import COpenSSL

/// SHA-256 (FIPS 180-4) over bytes that arrive in pieces.
///
/// Not `Sendable`: one hash belongs to one feeder.
package final class SHA256 {
    private let context: OpaquePointer

    /// The hash of no bytes yet.
    package init() {
        // Both calls fail only when memory is exhausted, where every other allocation traps as well.
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("OpenSSL could not allocate a SHA-256 context")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(self.context)
    }

    /// Adds `bytes`.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        let status = EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
        precondition(status == 1, "a SHA-256 context refused bytes")
    }

    /// Adds `bytes`; without a copy where they lie in one piece, as those of `ByteBufferView` do.
    package func update(_ bytes: some Collection<UInt8>) {
        let contiguous: Void? = bytes.withContiguousStorageIfAvailable { self.update(UnsafeRawBufferPointer($0)) }
        if contiguous == nil {
            Array(bytes).withUnsafeBytes { self.update($0) }
        }
    }

    /// The 32 bytes of the hash. Starts afresh: what is added next belongs to a new hash.
    package func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let ended = EVP_DigestFinal_ex(self.context, &digest, nil)
        let restarted = EVP_DigestInit_ex(self.context, EVP_sha256(), nil)
        precondition(ended == 1 && restarted == 1, "a SHA-256 context refused to end")
        return digest
    }

    /// ``finalize()`` as 64 lower-case hexadecimal digits.
    package func finalizeHex() -> String {
        Self.hex(self.finalize())
    }

    /// `bytes` as lower-case hexadecimal digits.
    package static func hex(_ bytes: some Collection<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            digits.append(Self.digit(byte >> 4))
            digits.append(Self.digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The hash of `bytes` as 64 lower-case hexadecimal digits.
    package static func hexDigest(of bytes: some Collection<UInt8>) -> String {
        let hash = SHA256()
        hash.update(bytes)
        return hash.finalizeHex()
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

@available(*, unavailable)
extension SHA256: Sendable {}

/// Hashes of bytes in memory by OpenSSL's names: `MD5`, `SHA1`, `SHA256`, `SHA512`.
package enum MessageDigest {
    /// Returns `nil` where OpenSSL does not offer the hash, as MD5 in FIPS mode.
    package static func hash(_ name: String, _ bytes: [UInt8]) -> [UInt8]? {
        guard let kind = EVP_get_digestbyname(name) else { return nil }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var size: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &size, kind, nil) == 1 else { return nil }
        return Array(digest.prefix(Int(size)))
    }
}
