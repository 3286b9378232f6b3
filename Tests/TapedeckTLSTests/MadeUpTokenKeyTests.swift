import Testing

@testable import TapedeckTLS

@Suite struct MadeUpTokenKeyTests {
    @Test(arguments: MadeUpTokenKey.Kind.allCases, [false, true])
    func `a key in PEM is read`(kind: MadeUpTokenKey.Kind, isOfItsOwn: Bool) throws {
        let key = try #require(MadeUpTokenKey.of(kind))
        // PKCS #8 is its only form.
        if kind == .ed25519, isOfItsOwn { return }
        let text = try #require(key.pem(isOfItsOwn: isOfItsOwn))
        #expect(text.hasPrefix("-----BEGIN ") && text.hasSuffix(" PRIVATE KEY-----"))
        let read = try #require(try PEM.key(Array("a text in front of it\n\(text)".utf8)))
        #expect(try PEM.encode(read) == "\(try #require(key.pem(isOfItsOwn: false)))\n")
    }
}
