import TapedeckRedaction
import TapedeckTLS

extension TokenSigner {
    /// Signs with the key pairs that are part of the program.
    static let madeUp = TokenSigner(
        signature: { algorithm, input in
            Self.key(algorithm)?.signature(of: input, algorithm: algorithm)
        },
        leftHalf: { algorithm, bytes in MadeUpTokenKey.leftHalf(of: bytes, algorithm: algorithm) },
        publicMembers: { algorithm in Self.key(algorithm)?.publicParts ?? [] }
    )

    private static func key(_ algorithm: String) -> MadeUpTokenKey? {
        MadeUpTokenKey.Kind(algorithm: algorithm).flatMap { MadeUpTokenKey.of($0) }
    }
}
