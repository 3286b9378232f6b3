import Testing

@testable import TapedeckCassettes

/// What looks as if it had been drawn at random, and what only seems so.
@Suite struct EntropyTests {
    @Test(arguments: [
        "x8Kq2LmZ9vRt4WpYc7Nb1JdF", "key=Qm9vV3hZ7Tt2Kk9Lp0sDfGh4Jr6Nn8Xc;", "AbCd-9xZqW3kLmP7vT2nRy8sUf4Hj6Gd",
    ])
    func `a random word is found`(text: String) {
        #expect(Entropy.words(in: Array(text.utf8)).count == 1)
    }

    @Test(arguments: [
        "", "short", "7f3c1a9b-e2d4-4c6f-8a1b-0c2d4e6f8a9b", "7F3C1A9BE2D44C6F8A1B0C2D4E6F8A9B7F3C1A9B",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the-quick-brown-fox-jumps-over-the-lazy-dog",
        "/v1/Users/List2/WithAllOfTheirThings", "aaaaaaaaaaaaaaaaAAAAAAAAAAAA11111111",
        "123456789012345678901234567890",
        "applicationDidFinishLaunchingWithOptions",
    ])
    func `words, digests, identifiers and paths are not`(text: String) {
        #expect(Entropy.words(in: Array(text.utf8)).isEmpty)
    }
}
