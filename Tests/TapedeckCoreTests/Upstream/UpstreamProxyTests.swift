import TapedeckCore
import Testing

/// The proxy for each origin.
@Suite struct UpstreamProxyTests {
    @Test(
        arguments: [
            ("http://proxy.corp:3128", "http://proxy.corp:3128", nil),
            ("proxy.corp:3128", "http://proxy.corp:3128", nil),
            ("HTTPS://Proxy.corp/", "https://proxy.corp", nil), ("http://[::1]:8080", "http://[::1]:8080", nil),
            ("http://me:p%40ss%3A@proxy.corp:3128/x", "http://proxy.corp:3128", "me p@ss:"),
            ("http://me@proxy.corp", "http://proxy.corp", "me "),
            ("http://a@b:c@proxy.corp", "http://proxy.corp", "a@b c"),
            ("http://@proxy.corp", "http://proxy.corp", nil),
        ] as [(String, String, String?)]
    )
    func `a proxy is named by its URL`(_ text: String, _ origin: String, _ credentials: String?) throws {
        let proxy = try UpstreamProxy(text, from: "x")
        #expect("\(proxy.origin)" == origin)
        #expect(proxy.credentials.map { "\($0.user) \($0.password)" } == credentials)
    }

    @Test(arguments: [
        ("socks5://proxy:1080", "X names a SOCKS proxy"), ("ftp://proxy", "X names no proxy that"),
        ("http://", "X names no proxy;"), ("http://a:99999", "X names no proxy;"),
        ("http://me:100%@proxy", "percent-encoded"),
    ])
    func `an invalid proxy is refused with a message`(_ text: String, _ words: String) throws {
        let error = try #require(throws: UpstreamOptionError.self) { try UpstreamProxy(text, from: "X") }
        #expect(error.description.contains(words))
    }

    @Test(arguments: [
        "http://me:hunter2@proxy:1", "http://me:hunter2%@proxy:1", "socks5://me:hunter2@proxy:1", "me:hunter2@",
    ])
    func `the texts of a proxy do not contain its password`(_ text: String) {
        var shown = ""
        do {
            let proxy = try UpstreamProxy(text, from: "X")
            dump(proxy, to: &shown)
            shown += "\(proxy) \(String(reflecting: proxy)) \(Optional(proxy).debugDescription)"
            dump(UpstreamProxies(proxy, exceptions: ProxyExceptions("")), to: &shown)
        } catch {
            shown = error.description
        }
        #expect(!shown.isEmpty)
        #expect(!shown.contains("hunter2"))
    }

    private func inherited(_ environment: [String: String], _ origin: String) throws -> String? {
        let proxies = try UpstreamProxies.inherited(from: environment)
        return proxies.proxy(for: try #require(Origin(origin))).map { "\($0)" }
    }

    @Test func `the environment is read as curl reads it`() throws {
        let http = "http://a.example"
        let https = "https://a.example"
        #expect(try self.inherited([:], https) == nil)
        #expect(try self.inherited(["http_proxy": "h:1"], http) == "h:1")
        #expect(try self.inherited(["http_proxy": "h:1"], https) == nil)
        // A CGI program's environment has it from a request's `Proxy` field.
        #expect(try self.inherited(["HTTP_PROXY": "h:1"], http) == nil)
        #expect(try self.inherited(["HTTPS_PROXY": "s:1"], https) == "s:1")
        #expect(try self.inherited(["HTTPS_PROXY": "s:1", "https_proxy": "t:1"], https) == "t:1")
        #expect(try self.inherited(["ALL_PROXY": "a:1", "https_proxy": "t:1"], https) == "t:1")
        #expect(try self.inherited(["ALL_PROXY": "a:1", "https_proxy": "t:1"], http) == "a:1")
        #expect(try self.inherited(["ALL_PROXY": "a:1", "https_proxy": ""], https) == nil)
        #expect(try self.inherited(["ALL_PROXY": "a:1", "NO_PROXY": "example"], https) == nil)
        #expect(try self.inherited(["ALL_PROXY": "a:1", "NO_PROXY": "example", "no_proxy": ""], https) == "a:1")
    }

    @Test(arguments: ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1", "https://app.localhost"])
    func `this machine is contacted directly, unless a proxy on it was named`(_ text: String) throws {
        let origin = try #require(Origin(text))
        let remote = try UpstreamProxy("proxy.corp:1", from: "X")
        let local = try UpstreamProxy("localhost:8080", from: "X")
        let none = ProxyExceptions("")
        #expect(try UpstreamProxies.inherited(from: ["all_proxy": "localhost:1"]).proxy(for: origin) == nil)
        #expect(UpstreamProxies(remote, exceptions: none).proxy(for: origin) == nil)
        #expect(UpstreamProxies(local, exceptions: none).proxy(for: origin) == local)
        #expect(UpstreamProxies(local, exceptions: ProxyExceptions("*")).proxy(for: origin) == nil)
    }

    @Test func `a host that an option puts on this machine is contacted directly`() throws {
        let proxies = UpstreamProxies(
            try UpstreamProxy("proxy.corp:1", from: "X"),
            exceptions: ProxyExceptions("10.0.0.0/8")
        )
        let origin = Origin(scheme: .https, host: "api.example.com")
        #expect(proxies.proxy(for: origin) != nil)
        #expect(proxies.proxy(for: origin, addresses: [try #require(NetworkAddress("127.0.0.1"))]) == nil)
        #expect(proxies.proxy(for: origin, addresses: [try #require(NetworkAddress("10.1.2.3"))]) == nil)
        #expect(proxies.proxy(for: origin, addresses: [try #require(NetworkAddress("11.1.2.3"))]) != nil)
    }
}
