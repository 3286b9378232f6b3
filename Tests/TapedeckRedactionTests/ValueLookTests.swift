import TapedeckCore
import TestShare
import Testing

@testable import TapedeckRedaction

/// In many places a random look makes a value a secret. Generated values must not look like words by chance, or the
/// same traffic would be recorded differently now and then.
@Suite struct ValueLookTests {
    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let samples = rounds(2_000)

    /// Returns the number of random values of a length that a check rejects.
    private static func denied(_ alphabet: String, _ count: Int, _ check: ([UInt8]) -> Bool) -> Int {
        var random = SeededRandom(seed: UInt64(count))
        let letters = Array(alphabet.utf8)
        return (0..<Self.samples).count { _ in
            !check((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
        }
    }

    @Test(arguments: ["", "+/", "-_", "-._~"], [32, 43, 64])
    func `Random tokens look like tokens`(others: String, count: Int) {
        let alphabet = Self.alphanumeric + others
        #expect(Self.denied(alphabet, count) { ValueLook.isTokenLike($0) } <= 1)
        #expect(Self.denied(alphabet, count) { ValueLook.isSecretLike($0, isPassword: false) } <= 1)
        #expect(Self.denied(alphabet, count) { SecretCertainty.certain.isLiteral($0) } == 0)
    }

    @Test func `Random letters without digits look like tokens`() {
        let letters = String(Self.alphanumeric.prefix(52))
        // Of a thousand.
        #expect(Self.denied(letters, 32) { ValueLook.isTokenLike($0) } <= 2 * Self.samples / 1_000)
        #expect(Self.denied(letters, 32) { ValueLook.isKeyLike($0) } <= 2 * Self.samples / 1_000)
        #expect(Self.denied(letters, 32) { CookieLook.isCredential($0) } <= 2 * Self.samples / 1_000)
        #expect(Self.denied(letters, 64) { ValueLook.isTokenLike($0) } <= 1)
    }

    @Test func `A session id in a JSON cookie is a credential`() {
        let value = Array(#"{"id":"A1b2C3d4E5f6G7h8"}"#.utf8)
        #expect(CookieLook.isCredential(value))
        // So only for its run of letters and digits, although it begins as a placeholder does.
        #expect(Randomness.bits(value) < 96 && !ValueLook.isKeyLike(value))
    }

    @Test(arguments: [24, 32, 64]) func `Random hexadecimal digits look like tokens`(count: Int) {
        #expect(Self.denied("0123456789abcdef", count) { ValueLook.isTokenLike($0) } <= 1)
        #expect(Self.denied("0123456789abcdef", count) { SecretCertainty.certain.isLiteral($0) } == 0)
    }

    @Test(arguments: [
        "2024-10-10T10:00:00.123456789+00:00", "x86_64-linux-gnu", "NextMarkerOfPage", "SortOrderOfSearchResults",
        "application/vnd.api+json;v=2",
        "releases/2024-10/v2.13.4-rc1", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "abc123...",
        "your-api-key-1234567890ab",
    ])
    func `Human text is not random`(text: String) {
        #expect(!ValueLook.isTokenLike(Array(text.utf8)))
        #expect(!ValueLook.isKeyLike(Array(text.utf8)))
    }

    @Test(arguments: ["ZX5RXxXXl8ik86SqbJIzIPQl1KqqedhA", "a8Kxxxx2mZ0qYt7Lw3RbVn5Cj9DfGh1P"])
    func `Four equal letters in a random value do not make it a stand-in`(text: String) {
        #expect(ValueLook.isTokenLike(Array(text.utf8)))
    }

    @Test func `The base64 of a name and a password needs no digit`() {
        #expect(ValueLook.isBasicCredentials(Array("dXNlcjpkNElHNERTNEZRSHlwOEplQmhadQ==".utf8)))
        #expect(!ValueLook.isBasicCredentials(Array("Configuration".utf8)))
        #expect(!ValueLook.isBasicCredentials(Array("aHR0cCBvciBub3Q=".utf8)))
    }
}
