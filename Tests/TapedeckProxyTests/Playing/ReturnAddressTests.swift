import TapedeckCore
import Testing

@testable import TapedeckProxy

/// Fields of a response for clients that reach the origin at an address of the deck.
@Suite struct ReturnAddressTests {
    private static func address(prefix: String = "", isEncrypted: Bool = false) throws -> ReturnAddress {
        ReturnAddress(
            origin: try #require(Origin("https://api.example.com")),
            deck: "\(isEncrypted ? "https" : "http")://127.0.0.1:4747",
            prefix: prefix,
            isEncrypted: isEncrypted
        )
    }

    private static func value(_ address: ReturnAddress, _ name: String, _ value: String) -> String {
        address.fields([HeaderField("X", "y"), HeaderField(name, value)], of: "/p/q")?[1].value ?? value
    }

    @Test(arguments: [
        ("Location", "https://api.example.com/a?b#c", "http://127.0.0.1:4747/a?b#c"),
        ("location", "HTTPS://API.example.com:443", "http://127.0.0.1:4747"),
        ("Location", "//api.example.com/a", "http://127.0.0.1:4747/a"),
        ("Content-Location", "https://api.example.com/a", "http://127.0.0.1:4747/a"),
        (
            "Link", "<https://api.example.com/?p=2>; rel=\"next\", </x>; rel=up, <https://other.test/>; rel=a",
            "<http://127.0.0.1:4747/?p=2>; rel=\"next\", </x>; rel=up, <https://other.test/>; rel=a"
        ),
        ("Refresh", "5; URL='https://api.example.com/a'", "5; URL='http://127.0.0.1:4747/a'"),
        ("Refresh", "5;url=https://api.example.com/a", "5;url=http://127.0.0.1:4747/a"),
        ("Set-Cookie", "a=b; Domain=.example.com; Path=/; Secure; SameSite=None; HttpOnly", "a=b; Path=/; HttpOnly"),
        ("Set-Cookie", "a=b;secure;partitioned;samesite=lax", "a=b;samesite=lax"),
    ])
    func `what names the origin names the deck`(_ name: String, _ sent: String, _ received: String) throws {
        #expect(Self.value(try Self.address(), name, sent) == received)
    }

    @Test(arguments: [
        ("Location", "/a"), ("Location", "a"), ("Location", "http://api.example.com/a"),
        ("Location", "https://api.example.com:8443/"), ("Location", "https://www.example.com/"),
        ("Location", "https://api.example.com@evil.test/"), ("Location", "https://user@api.example.com/"),
        ("Location", "https://api.example.com.evil.test/"), ("Location", "mailto:a@api.example.com"),
        ("Refresh", "5"), ("Link", "<https://api.example.com"), ("X-Url", "https://api.example.com/"),
        ("Set-Cookie", "a=b; Path=/; HttpOnly"), ("Set-Cookie", "secure; Domain=other.test"),
        ("Set-Cookie", "a=b; Domain=i.example.com"),
    ])
    func `everything else stays`(_ name: String, _ value: String) throws {
        #expect(try Self.address().fields([HeaderField(name, value)], of: "/") == nil)
    }

    @Test func `a base URL comes in front of paths`() throws {
        let prefix = "/.tapedeck/default/https/api.example.com"
        let address = try Self.address(prefix: prefix)
        #expect(Self.value(address, "Location", "/a") == "\(prefix)/a")
        #expect(Self.value(address, "Location", "https://api.example.com/a") == "http://127.0.0.1:4747\(prefix)/a")
        #expect(Self.value(address, "Set-Cookie", "a=b; path=/x; secure") == "a=b; Path=\(prefix)/x")
        #expect(address.fields([HeaderField("Location", "a/b")], of: "/p/q") == nil)
    }

    @Test(arguments: [
        ("../a", "/a"), ("../../../a?b=../c#d", "/a?b=../c#d"), ("../../..", "/"), ("x/%2E%2e/../../../b/", "/b/"),
        ("/../../a", "/a"), ("/a/../../b/.", "/b/"), ("./../x", "/x"),
    ])
    func `a path does not lead out of the base URL`(_ sent: String, _ received: String) throws {
        let prefix = "/.tapedeck/default/https/api.example.com"
        let address = try Self.address(prefix: prefix)
        #expect(Self.value(address, "Location", sent) == prefix + received)
        let absolute = Self.value(address, "Location", "https://api.example.com/../x")
        #expect(absolute == "http://127.0.0.1:4747\(prefix)/x")
    }

    @Test func `over TLS a cookie stays secure`() throws {
        let address = try Self.address(isEncrypted: true)
        #expect(Self.value(address, "Location", "https://api.example.com/") == "https://127.0.0.1:4747/")
        #expect(Self.value(address, "Set-Cookie", "a=b; Secure; Domain=api.example.com") == "a=b; Secure")
    }
}
