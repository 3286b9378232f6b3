import Testing

@testable import TapedeckTLS

@Suite struct CertificateHostTests {
    @Test(
        arguments: [
            "", ".", "a..b", ".a", "*.example.com", "*", "a,b", "example.com,DNS:evil.example",
            "example.com\0.evil.example", "127.0.0.1\0.evil.example", "a b", "a/b", "a\nb", "a\\b", "a=b", "a;b",
            "[::1]", "::1%eth0", "1:2", "example.com:443", "user@host", "bücher.example", "http://a",
            String(repeating: "a", count: 64) + ".example", String(repeating: "a.", count: 127) + "b",
        ]
    )
    func `an invalid host is refused`(text: String) throws {
        let authority = try CertificateAuthority.ephemeral()
        let error = #expect(throws: TLSError.self) { try authority.issueLeaf(for: text) }
        #expect(error?.code == .invalidHost)
        let cache = LeafCache(authority: authority)
        #expect(throws: TLSError(.invalidHost, "")) { try cache.leaf(for: text) }
        #expect(cache.minted == 0)
    }

    @Test(
        arguments: [
            ("localhost", "localhost"), ("Example.COM", "example.com"), ("example.com.", "example.com"),
            ("a_b.c-d.example", "a_b.c-d.example"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("r3---sn-x.example", "r3---sn-x.example"), ("1.2.3", "1.2.3"),
            (String(repeating: "a.", count: 126) + "b", String(repeating: "a.", count: 126) + "b"),
        ]
    )
    func `names are taken in lower case and without a final dot`(text: String, name: String) throws {
        let host = try CertificateHost(text)
        #expect(host.name == name)
        #expect(host.kind == .dns)
    }

    @Test func `addresses are distinguished from names`() throws {
        #expect(try CertificateHost("10.0.0.7").kind == .address([10, 0, 0, 7]))
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255, 1, 2, 3, 4]
        #expect(try CertificateHost("::ffff:1.2.3.4").kind == .address(mapped))
        #expect(try CertificateHost("999.0.0.7").kind == .dns)
    }

    @Test func `the message shows hostile text without its control characters`() throws {
        let error = try #require(throws: TLSError.self) { try CertificateHost("a\u{1b}[31m\nb") }
        #expect(error.message.contains("\"a?[31m?b\""))
    }
}
