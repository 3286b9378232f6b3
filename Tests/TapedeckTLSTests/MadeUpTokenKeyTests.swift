import Testing

@testable import TapedeckTLS

@Suite struct MadeUpTokenKeyTests {
    /// PKCS #8 is the only form of Ed25519.
    private static let forms = MadeUpTokenKey.Kind.allCases.flatMap { kind in
        (kind == .ed25519 ? [false] : [false, true]).map { (kind, $0) }
    }

    @Test(arguments: forms)
    func `a key in PEM is read`(kind: MadeUpTokenKey.Kind, isTraditional: Bool) throws {
        let key = try #require(MadeUpTokenKey.of(kind))
        let text = try #require(key.pem(isTraditional: isTraditional))
        #expect(text.hasPrefix("-----BEGIN ") && text.hasSuffix(" PRIVATE KEY-----"))
        let read = try #require(try PEM.key(Array("a text in front of it\n\(text)".utf8)))
        #expect(try PEM.encode(read) == "\(try #require(key.pem(isTraditional: false)))\n")
    }
}
