import TapedeckCassettes
import TapedeckCore
import Testing

@Suite
struct Base64Tests {
    private func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
    }

    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func followsTheTestVectors(_ text: String, _ encoded: String) {
        #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == encoded)
        #expect(self.decode(encoded) == Array(text.utf8))
    }

    @Test func encodedBytesDecodeToTheSameBytes() {
        var generator = SeededRandom(seed: 1)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Base64.encode(bytes).withUnsafeBytes { Base64.decode($0) } == bytes)
        }
        #expect(self.decode("+/+/") == [0xFB, 0xFF, 0xBF])
    }

    @Test(arguments: ["Zm9v\nYmFy\n", " Zm9vYmFy ", "Z m 9 v\r\n\tYmFy", "Zm9vYm\nFy"])
    func whiteSpaceIsSkipped(_ text: String) {
        #expect(self.decode(text) == Array("foobar".utf8))
    }

    @Test(arguments: ["Zg", "Zm8"])
    func paddingMayBeLeftOut(_ text: String) {
        #expect(self.decode(text) == Array("foo".utf8.prefix(text.count - 1)))
    }

    @Test(arguments: [
        "Z", "Zm9vY", "=", "====", "Zg=", "Zg===", "Zm9v=", "Zm8==", "Zg==Zg==", "Z=g=", "Zm9*", "Zm-_", "Zm9é",
        "Zm9\u{0}",
    ])
    func rejectsInvalidBase64(_ text: String) {
        #expect(self.decode(text) == nil)
    }
}
