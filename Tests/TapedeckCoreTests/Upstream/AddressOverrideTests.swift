import TapedeckCore
import Testing

/// `--resolve` and the hosts of client certificates.
@Suite struct AddressOverrideTests {
    @Test(
        arguments: [
            ("API.example.com:443:127.0.0.1", "api.example.com", 443, ["127.0.0.1"]),
            ("a:80:[::1],10.0.0.1", "a", 80, ["::1", "10.0.0.1"]), ("a:80:::1", "a", 80, ["::1"]),
            ("[::2]:80:[::1]", "::2", 80, ["::1"]), ("*:443:::ffff:1.2.3.4", nil, 443, ["1.2.3.4"]),
        ] as [(String, String?, Int, [String])]
    )
    func `is written as for curl`(_ text: String, _ host: String?, _ port: Int, _ addresses: [String]) throws {
        let override = try AddressOverride(text)
        #expect(override.host == host)
        #expect(override.port == port)
        #expect(override.addresses.map(\.description) == addresses)
    }

    @Test(arguments: [
        "", "a", "a:80", "a:80:", "a:b:1.2.3.4", "a:0:1.2.3.4", "a:80:example.com", "a:80:1.2.3.4,", "-a:80", "+a:80:x",
        ":80:1.2.3.4", "a b:80:1.2.3.4", "[::2:80:1.2.3.4",
    ])
    func `is refused with how to write it`(_ text: String) throws {
        let error = try #require(throws: UpstreamOptionError.self) { try AddressOverride(text) }
        #expect(error.description.contains("HOST:PORT:ADDRESS"))
    }

    @Test func `an address for a host comes before one for all, and the first of two counts`() throws {
        let overrides = AddressOverrides(
            try ["*:443:9.9.9.9", "a:443:1.1.1.1", "a:443:2.2.2.2"].map { try AddressOverride($0) }
        )
        #expect(overrides.addresses(host: "a", port: 443)?.map(\.description) == ["1.1.1.1"])
        #expect(overrides.addresses(host: "b", port: 443)?.map(\.description) == ["9.9.9.9"])
        #expect(overrides.addresses(host: "a", port: 80) == nil)
    }

    @Test(arguments: [
        ("api.example.com", "api.example.com", true), ("API.example.com", "api.example.com", true),
        ("example.com", "api.example.com", false), ("*.example.com", "a.b.example.com", true),
        ("*.example.com", "example.com", false), ("*", "anything", true),
        ("api.example.com:8443", "api.example.com", true),
        ("api.example.com:443", "api.example.com", false), ("*:8443", "a", true),
        ("*.example.com:443", "a.example.com", false),
        ("::1", "::1", true), ("[::1]:8443", "::1", true), ("[::1]", "::1", true), ("10.0.0.1", "10.0.0.1", true),
    ])
    func `a setting is for the hosts of its pattern`(_ pattern: String, _ host: String, _ isFor: Bool) throws {
        #expect(try HostPattern(pattern).matches(host: host, port: 8443) == isFor)
    }

    @Test(arguments: ["", "a b", "*.", "**", "*a.example", "a.*.example", "http://a", "a:b"])
    func `an invalid host pattern is refused`(_ text: String) {
        #expect(throws: HostPattern.Problem.self) { try HostPattern(text) }
    }

    @Test func `a client certificate has a host and files`() throws {
        let one = try UpstreamSettings.ClientCertificateFiles("*.example.com=a=b.pem")
        #expect(one.certificate == "a=b.pem")
        #expect(one.key == nil)
        let two = try UpstreamSettings.ClientCertificateFiles("[::1]:8443=cert.pem,key,1.pem")
        #expect(two.key == "key,1.pem")
        #expect(two.hosts.matches(host: "::1", port: 8443))
    }

    @Test(arguments: ["cert.pem", "=cert.pem", "a=", "a=,key.pem", "a=cert.pem,", "a b=c"])
    func `an invalid client certificate option is refused with the right form`(_ text: String) throws {
        let error = try #require(throws: UpstreamOptionError.self) {
            try UpstreamSettings.ClientCertificateFiles(text)
        }
        #expect(error.description.contains("HOST=CERT.pem"))
    }
}
