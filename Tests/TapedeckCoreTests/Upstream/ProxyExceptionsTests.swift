import TapedeckCore
import Testing

/// `NO_PROXY`, as curl understands it.
@Suite struct ProxyExceptionsTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("example.com", "a.b.example.com"), (".example.com", "example.com"),
        (".example.com", "a.example.com"), ("*.example.com", "a.example.com"), ("EXAMPLE.com.", "example.com"),
        ("example.com", "example.com."), ("x, y example.com", "example.com"), ("x,*", "example.com"), ("*", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.1"), ("10.0.0.0/8", "10.200.0.1"), ("10.0.0.0/9", "10.127.255.255"),
        ("192.168.1.64/26", "192.168.1.127"), ("0.0.0.0/0", "1.2.3.4"), ("::1", "::1"), ("[::1]", "::1"),
        ("fd00::/8", "fdab::1"), ("example.com:8443", "example.com"), ("[::1]:8443", "::1"),
        ("10.0.0.1:8443", "10.0.0.1"),
    ])
    func `is contacted directly`(_ list: String, _ host: String) {
        #expect(ProxyExceptions(list).contains(host: host, port: 8443))
    }

    @Test(arguments: [
        ("", "example.com"), ("example.com", "notexample.com"), ("a.example.com", "example.com"), ("**", "example.com"),
        ("10.0.0.0/9", "10.128.0.0"), ("192.168.1.64/26", "192.168.1.128"), ("10.0.0.0/8", "a10.example"),
        ("10.0.0.0/33", "10.0.0.1"), ("fd00::/8", "fe00::1"), ("10.0.0.0/8", "fd00::1"), ("0.0.0.0/0", "::2"),
        ("example.com:443", "example.com"), ("[::1]:443", "::1"), ("com.", "example.org"), (".", "example.com"),
    ])
    func `is not contacted directly`(_ list: String, _ host: String) {
        #expect(!ProxyExceptions(list).contains(host: host, port: 8443))
    }
}
