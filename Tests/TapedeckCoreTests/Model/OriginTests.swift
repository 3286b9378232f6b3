import TapedeckCore
import Testing

@Suite
struct OriginTests {
    @Test(
        arguments: [
            ("example.com", "example.com", nil), ("example.com:8080", "example.com", 8080),
            ("EXAMPLE.com:1", "EXAMPLE.com", 1), ("example.com:65535", "example.com", 65_535),
            ("example.com:", "example.com", nil), ("127.0.0.1:80", "127.0.0.1", 80), ("a_b-c.~d", "a_b-c.~d", nil),
            ("[::1]", "::1", nil), ("[::1]:443", "::1", 443), ("[::1]:", "::1", nil),
            ("[::FFFF:127.0.0.1]:9", "::FFFF:127.0.0.1", 9),
        ] as [(String, String, Int?)]
    )
    func takesAuthoritiesApart(_ authority: String, _ host: String, _ port: Int?) throws {
        let split = try #require(Origin.split(authority: authority))
        #expect(split.host == host)
        #expect(split.port == port)
    }

    @Test(arguments: [
        "", ":", ":80", "user@example.com", "user:secret@example.com", "user:80@example.com:80", "example.com:x",
        "example.com:-1", "example.com:+1", "example.com:0", "example.com:65536", "example.com:99999999999999999999",
        "example.com:8 0", "example.com, evil.com", "a,b", "exa mple.com", " example.com", "example.com ",
        "example.com\t", "example.com\r\nX: y", "a:b:80", "::1", "[::1", "[::1]x", "[::1]80", "[]", "[]:80",
        "[localhost]", "[::g]", "[::1%25eth0]", "]", "[", "exam\u{0}ple.com", "exämple.com", "a;b", "a/b", "a\\b",
        "a'b", "a\"b", "<a>", "a=b", "a&b", "a*", "a!b", "(a)",
    ])
    func rejectsInvalidAuthorities(_ authority: String) {
        #expect(Origin.split(authority: authority) == nil)
        #expect(Origin(scheme: .https, authority: authority) == nil)
    }

    @Test func comparesHostsWithoutCaseAndFillsInThePort() throws {
        let origin = try #require(Origin(scheme: .https, authority: "Example.COM"))
        #expect(origin == Origin(scheme: .https, host: "example.com", port: 443))
        #expect(origin != Origin(scheme: .http, host: "example.com", port: 443))
        #expect(origin != Origin(scheme: .https, host: "example.com", port: 80))
        #expect(Origin(scheme: .http, host: "A").port == 80)
        #expect(Origin.Scheme.https.defaultPort == 443)
    }

    @Test(arguments: [
        ("https://example.com", "example.com", "https://example.com"),
        ("https://example.com:443", "example.com", "https://example.com"),
        ("https://example.com:80", "example.com:80", "https://example.com:80"),
        ("http://example.com:80/", "example.com", "http://example.com"),
        ("http://[::1]", "[::1]", "http://[::1]"),
        ("http://[::1]:8080", "[::1]:8080", "http://[::1]:8080"),
    ])
    func isWrittenAsAHostHeaderAndAsAURL(_ text: String, _ authority: String, _ description: String) throws {
        let origin = try #require(Origin(text))
        #expect(origin.authority == authority)
        #expect(origin.description == description)
        #expect(Origin(description) == origin)
    }

    @Test(arguments: ["https://example.com/path", "https://example.com?q", "example.com", "ftp://example.com", ""])
    func rejectsAURLThatIsNotAnOrigin(_ text: String) {
        #expect(Origin(text) == nil)
    }
}

@Suite
struct AbsoluteURLTests {
    @Test(
        arguments: [
            ("https://example.com", "/", "/", nil), ("https://example.com/", "/", "/", nil),
            ("HTTP://example.com/a/b?c=d&e", "/a/b?c=d&e", "/a/b", "c=d&e"),
            ("https://example.com?q=1", "/?q=1", "/", "q=1"), ("https://example.com/a?", "/a?", "/a", ""),
            ("https://example.com/a#b", "/a", "/a", nil), ("https://example.com#a/b?c", "/", "/", nil),
            ("https://example.com/a?b#c?d", "/a?b", "/a", "b"), ("https://example.com//a", "//a", "//a", nil),
            ("https://example.com/a?b?c=/d", "/a?b?c=/d", "/a", "b?c=/d"),
            ("https://example.com/http://x/@y:z", "/http://x/@y:z", "/http://x/@y:z", nil),
            ("https://example.com/Grüße?ß", "/Grüße?ß", "/Grüße", "ß"),
        ] as [(String, String, String, String?)]
    )
    func takesURLsApart(_ text: String, _ target: String, _ path: String, _ query: String?) throws {
        let url = try #require(AbsoluteURL(text))
        #expect(url.origin.host == "example.com")
        #expect(url.target == target)
        #expect(url.path == path)
        #expect(url.query == query)
        #expect(AbsoluteURL(url.description) == url)
    }

    @Test(arguments: [
        "", "/", "/path", "*", "example.com/a", "//example.com/a", "ftp://example.com/", "file:///etc/passwd",
        "https:/example.com", "https//example.com", "https:", "https://", "https:///path", "http://?q", "http://#f",
        "https://user@example.com/", "https://user:pw@example.com/", "https://example.com:port/",
        "https://example.com:70000/", "https://exa mple.com/", "https://a,b/", " https://example.com/",
        "xhttps://example.com/", "h ttps://example.com/", "https://[::1/", "https://example.com\\@evil.com/",
    ])
    func rejectsInvalidURLs(_ text: String) {
        #expect(AbsoluteURL(text) == nil)
    }

    /// A recorded URL goes into the cassette as text and comes back from it.
    @Test(arguments: ["/", "/a", "/a?b", "/?", "//", "/*"])
    func everyTargetReadsBackAsWritten(_ target: String) {
        let url = AbsoluteURL(origin: Origin(scheme: .https, host: "example.com"), target: target)
        #expect(AbsoluteURL(url.description) == url)
    }
}
