import TapedeckCassettes
import TapedeckCore
import TapedeckYAML
import Testing

/// `upstream:` of a project file.
@Suite struct UpstreamSettingsReadingTests {
    private func read(_ text: String) throws -> (settings: UpstreamSettings, messages: [String]) {
        let root = try #require(try YAMLDocument(parsing: Array(text.utf8)).root)
        let (settings, diagnostics) = UpstreamSettings.read(root, path: "/repo/tapedeck.yaml")
        return (settings, diagnostics.map { "\($0)" })
    }

    @Test func `has every option, with paths relative to the file`() throws {
        let (settings, messages) = try self.read(
            """
            proxy: http://proxy.corp:3128
            noProxy: [localhost, .corp]
            ca: ca/corp.pem
            clientCertificates:
              - host: "*.example.com"
                cert: certs/client.pem
                key: /secret/client.key
                passphrase: { environment: CLIENT_PASSPHRASE }
            resolve:
              - api.example.com:443:127.0.0.1
            """
        )
        #expect(messages == [])
        #expect(settings.proxy == .through(try UpstreamProxy("http://proxy.corp:3128", from: "")))
        #expect(settings.exceptions == ProxyExceptions("localhost,.corp"))
        #expect(settings.authorities == ["/repo/ca/corp.pem"])
        #expect(
            settings.clientCertificates == [
                UpstreamSettings.ClientCertificateFiles(
                    hosts: try HostPattern("*.example.com"),
                    certificate: "/repo/certs/client.pem",
                    key: "/secret/client.key",
                    passphraseVariable: "CLIENT_PASSPHRASE"
                )
            ]
        )
        #expect(settings.overrides == [try AddressOverride("api.example.com:443:127.0.0.1")])
    }

    @Test func `options win over the file`() throws {
        let file = try self.read("proxy: none\nnoProxy: corp\nresolve: [\"a:1:1.1.1.1\"]").settings
        #expect(file.proxy == .direct)
        var options = UpstreamSettings()
        #expect(options.over(file) == file)
        options.proxy = .through(try UpstreamProxy("p:1", from: ""))
        options.overrides = [try AddressOverride("a:1:2.2.2.2")]
        let both = options.over(file)
        #expect(both.proxy == options.proxy)
        #expect(both.exceptions == file.exceptions)
        #expect(AddressOverrides(both.overrides).addresses(host: "a", port: 1)?.map(\.description) == ["2.2.2.2"])
    }

    @Test func `has the permitted targets`() throws {
        let (settings, messages) = try self.read(
            "targets: public\nallowPrivate: [10.20.0.0/16, db.corp]\nhosts: \"*.example.com\""
        )
        #expect(messages == [])
        #expect(settings.targets.scope == .public)
        #expect(settings.targets.allowedPrivate.map(\.source) == ["10.20.0.0/16", "db.corp"])
        #expect(settings.targets.hosts.map(\.source) == ["*.example.com"])
    }

    @Test(arguments: [
        ("targets: private", "1:10: error: `targets` is `public` or `any`, not `private`"),
        ("hosts: []", "1:8: error: `hosts` is an empty list"),
        ("allowPrivate: a b", "`allowPrivate`: `a b` is no host"),
        ("proxi: x", "1:1: error: `upstream` has no key `proxi`; did you mean `proxy`?"),
        ("proxy: socks5://a:1", "1:8: error: `proxy` names a SOCKS proxy"),
        ("proxy: http://me:hunter2@a:1", "1:8: error: others read this file: leave user name and password out"),
        ("ca: []", "1:5: error: `ca` is an empty list"),
        ("clientCertificates:\n  - host: a", "2:5: error: a client certificate has a `host` that it is shown to"),
        ("clientCertificates:\n  - host: a b\n    cert: c", "`a b` is no host"),
        ("clientCertificates:\n  - { host: a, cert: c, passphrase: x }", "2:37: error: others read this file: write"),
        ("resolve: [a]", "1:11: error: \"a\" gives no host an address"),
        ("text", "1:1: error: `upstream` is written as `key: value` lines"),
    ])
    func `a mistake is reported with its place and a remedy`(_ text: String, _ words: String) throws {
        let messages = try self.read(text).messages
        #expect(messages.count == 1)
        #expect(messages.first?.contains(words) == true, "\(messages)")
        #expect(messages.first?.contains("hunter2") == false)
    }
}
