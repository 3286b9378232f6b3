package import TapedeckCore
package import TapedeckRedaction
import TapedeckTLS

extension BodyDigest {
    /// Hashes by OpenSSL.
    static let openSSL: Hash = { digest, bytes in
        switch digest {
        case .md5: MessageDigest.hash("MD5", bytes)
        case .sha: MessageDigest.hash("SHA1", bytes)
        case .sha256: MessageDigest.hash("SHA256", bytes)
        case .sha512: MessageDigest.hash("SHA512", bytes)
        case .crc32, .crc32c, .crc64nvme: nil
        }
    }
}

extension Take {
    /// The take with digests of the bytes that are sent as its body in the header fields that have placeholders for them.
    package func withDigests(of body: [UInt8]) -> Take {
        var take = self
        take.headers = BodyDigest.played(self.headers, body: body, BodyDigest.openSSL)
        take.trailers = BodyDigest.played(self.trailers, body: body, BodyDigest.openSSL)
        return take
    }
}

extension TokenSigner {
    /// Signs with the key pairs that are part of the program.
    package static let madeUp = TokenSigner(
        signature: { algorithm, input in
            Self.key(algorithm)?.signature(of: input, algorithm: algorithm)
        },
        leftHalf: { algorithm, bytes in MadeUpTokenKey.leftHalf(of: bytes, algorithm: algorithm) },
        publicMembers: { algorithm in Self.key(algorithm)?.publicParts ?? [] },
        privateKey: { shape in
            switch shape {
            case .rsa: MadeUpTokenKey.of(.rsa)?.pem(isTraditional: false)
            case .traditionalRSA: MadeUpTokenKey.of(.rsa)?.pem(isTraditional: true)
            case .p256: MadeUpTokenKey.of(.p256)?.pem(isTraditional: false)
            case .traditionalP256: MadeUpTokenKey.of(.p256)?.pem(isTraditional: true)
            case .ed25519: MadeUpTokenKey.of(.ed25519)?.pem(isTraditional: false)
            }
        }
    )

    private static func key(_ algorithm: String) -> MadeUpTokenKey? {
        MadeUpTokenKey.Kind(algorithm: algorithm).flatMap { MadeUpTokenKey.of($0) }
    }
}
