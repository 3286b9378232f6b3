import TapedeckCore
import Testing

/// The hosts that a pattern matches.
@Suite
struct HostPatternTests {
    private func origin(_ authority: String) throws -> Origin {
        try #require(Origin(scheme: .https, authority: authority))
    }

    @Test(arguments: [
        ("api.github.com", "api.github.com"), ("API.GitHub.com", "api.github.com:8443"),
        ("api.github.com:443", "api.github.com"), ("api.github.com", "api.github.com."),
        ("*.github.com", "api.github.com"), ("*.github.com", "a.b.github.com"), ("*", "anything.example"),
        ("*:8080", "localhost:8080"), ("127.0.0.1", "127.0.0.1:9"), ("10.0.0.0/8", "10.200.3.4"),
        ("10.0.0.0/8", "[::ffff:10.1.1.1]"), ("192.168.4.0/22", "192.168.7.255"), ("0.0.0.0/0", "8.8.8.8"),
        ("::1", "[::1]"), ("[::1]:443", "[::1]"), ("[::1]", "[0:0:0:0:0:0:0:1]"), ("fd00::/8", "[fd12::1]"),
        (#"/^api-\d+\./"#, "api-7.example.com"), ("/GITHUB/", "api.github.com"), ("/^a$/:8080", "a:8080"),
    ])
    func matchesItsOrigins(_ pattern: String, _ authority: String) throws {
        let origin = try self.origin(authority)
        #expect(try HostPattern(pattern).matches(origin))
    }

    @Test(arguments: [
        ("api.github.com", "github.com"), ("github.com", "api.github.com"), ("api.github.com:80", "api.github.com"),
        ("*.github.com", "github.com"), ("*.github.com", "evilgithub.com"), ("*.github.com", ".github.com"),
        ("*:8080", "localhost:8081"), ("10.0.0.0/8", "11.0.0.1"), ("10.0.0.0/8", "10.example.com"),
        ("192.168.4.0/22", "192.168.8.0"), ("0.0.0.0/0", "[::1]"), ("0.0.0.0/0", "example.com"),
        ("127.0.0.1", "127.0.0.2"), (#"/^api-\d+\./"#, "api-x.example.com"), ("/^a$/:8080", "a:8081"),
    ])
    func doesNotMatchOtherOrigins(_ pattern: String, _ authority: String) throws {
        let origin = try self.origin(authority)
        #expect(try !HostPattern(pattern).matches(origin))
    }

    @Test(arguments: [
        ("", "is no host; write one such as"), ("https://api.github.com", "write the host alone"),
        ("api.github.com/users", "write it without a path"), ("user@host", "write the host alone"),
        ("api.*.com", "a star stands alone"), ("*api.com", "a star stands alone"), ("bücher.example", "xn--bcher"),
        ("10.0.0.0/33", "a range of addresses"), ("10.0.0.0/", "a range of addresses"), ("host:99999", "is no host"),
        ("a b", "is no host"), ("/api", "ends with a slash"), ("/", "ends with a slash"), ("//", "ends with a slash"),
        ("/(/", "is no regular expression: missing closing parenthesis"), ("/a/:0", "ends with a slash"),
    ])
    func rejectsInvalidPatternsWithAMessage(_ pattern: String, _ problem: String) throws {
        let error = try #require(throws: HostPattern.Problem.self) { try HostPattern(pattern) }
        #expect(error.description.contains(problem), "\(error)")
        #expect(error.description.contains("`\(pattern)`"))
    }

    @Test(arguments: [
        ("*.bank.example", "pay.bank.example", true), ("*.bank.example", "cdn.example.com", false),
        ("*.bank.example", "*.pay.bank.example", true), ("*.bank.example", "*.shop.example", false),
        ("bank.example:443", "bank.example", true), ("bank.example:443", "bank.example:8443", false),
        ("*:8443", "*.bank.example:443", false), ("*", "/bank/", true), ("10.0.0.0/8", "*.bank.example", false),
        ("10.0.0.0/8", "10.1.2.3", true), ("/bank/", "pay.bank.example", true), ("/bank/", "cdn.example.com", false),
    ])
    func `patterns overlap only if an origin can match both`(one: String, other: String, overlap: Bool) throws {
        let (one, other) = (try HostPattern(one), try HostPattern(other))
        #expect(one.mayOverlap(other) == overlap)
        #expect(other.mayOverlap(one) == overlap)
    }
}
