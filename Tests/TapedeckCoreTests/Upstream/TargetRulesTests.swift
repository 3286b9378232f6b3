import TapedeckCore
import Testing

/// The permitted targets of a deck, before and after a look-up.
@Suite struct TargetRulesTests {
    private func rules(
        _ scope: TargetSettings.Scope? = .public,
        allowPrivate: [String] = [],
        hosts: [String] = [],
        named: [String] = [],
        overrides: [String] = []
    ) throws -> TargetRules {
        var settings = TargetSettings()
        settings.scope = scope
        settings.allowedPrivate = try allowPrivate.map { try HostPattern($0) }
        settings.hosts = try hosts.map { try HostPattern($0) }
        return TargetRules(
            settings,
            scope: .any,
            named: named.compactMap { Origin($0) },
            overrides: AddressOverrides(try overrides.map { try AddressOverride($0) })
        )
    }

    private func origin(_ host: String, _ port: Int = 80) -> Origin { Origin(scheme: .http, host: host, port: port) }

    private func refusal(
        _ rules: TargetRules,
        _ host: String,
        _ found: [String] = [],
        forProxy: Bool = false
    ) throws -> TargetRefusal? {
        let origin = self.origin(host)
        do throws(TargetRefusal) {
            guard try rules.find(origin, forProxy: forProxy) == .unknown else { return nil }
            _ = try rules.permitted(found, of: origin) { NetworkAddress($0) }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", .address("127.0.0.1", .loopback)), ("2130706433", .address("127.0.0.1", .loopback)),
            ("0x7f.1", .address("127.0.0.1", .loopback)), ("0x7f000001", .address("127.0.0.1", .loopback)),
            ("017700000001", .address("127.0.0.1", .loopback)), ("0177.0.0.1", .address("127.0.0.1", .loopback)),
            ("127.1", .address("127.0.0.1", .loopback)), ("0", .address("0.0.0.0", .unspecified)),
            ("127.0.0.1.", .address("127.0.0.1", .loopback)), ("127.0.0.1..", .address("127.0.0.1", .loopback)),
            ("::ffff:127.0.0.1", .address("127.0.0.1", .loopback)), ("::", .address("::", .unspecified)),
            ("::1", .address("::1", .loopback)), ("0xa9fea9fe", .address("169.254.169.254", .metadata)),
            ("localhost", .address("127.0.0.1", .loopback)), ("LocalHost.", .address("127.0.0.1", .loopback)),
            ("a.localhost", .address("127.0.0.1", .loopback)), ("ip6-localhost", .name(.loopback)),
            ("metadata.google.internal", .name(.metadata)), ("metadata.google.internal.", .name(.metadata)),
            ("127%2e0.0.1", .ambiguous), ("%31%32%37.1", .ambiguous), ("127.0.0.1%25lo", .ambiguous),
            ("300.1.1.1", .ambiguous), ("4294967297", .ambiguous), ("1.2.3.4.5", .ambiguous), ("a.0x7f", .ambiguous),
            ("08.1", .ambiguous), (".", .ambiguous),
        ] as [(String, Expected)]
    )
    func `a host that leads somewhere private is refused in every spelling`(
        _ host: String,
        _ expected: Expected
    ) throws {
        for isForProxy in [false, true] {
            #expect(try self.refusal(try self.rules(), host, forProxy: isForProxy)?.cause == expected.cause)
        }
        #expect(try self.refusal(try self.rules(.any), host) == nil)
    }

    /// A cause with its address as text.
    enum Expected: Sendable {
        case address(String, TargetKind)
        case name(TargetKind)
        case ambiguous

        var cause: TargetRefusal.Cause? {
            switch self {
            case .address(let text, let kind): NetworkAddress(text).map { .address($0, kind) }
            case .name(let kind): .name(kind)
            case .ambiguous: .ambiguous
            }
        }
    }

    @Test func `only the public addresses of a name are used, and a name without any is rejected`() throws {
        let rules = try self.rules()
        let origin = self.origin("api.example.com")
        #expect(try rules.find(origin) == .unknown)
        let found = ["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111", "no address"]
        let permitted = try rules.permitted(found, of: origin) { NetworkAddress($0) }
        #expect(permitted == ["8.8.8.8", "2606:4700::1111"])
        let refusal = try #require(try self.refusal(rules, "api.example.com", ["10.1.2.3", "127.0.0.1"]))
        #expect(
            refusal.message == """
                Tapedeck does not contact api.example.com:80: its name has a private address. Whoever runs the deck can allow \
                it with --allow-private api.example.com.
                """
        )
        #expect(!"\(refusal.reason)\(refusal.message)".contains("10.1.2.3"))
    }

    @Test func `a refused address is named, with the option that would allow it`() throws {
        #expect(
            try self.refusal(try self.rules(), "2130706433")?.message == """
                Tapedeck does not contact 2130706433:80: it is 127.0.0.1, a loopback address. Whoever runs the deck can allow \
                it with --allow-private 127.0.0.1.
                """
        )
        let metadata = try #require(try self.refusal(try self.rules(), "169.254.169.254"))
        #expect(metadata.reason == "it is the address of a cloud's metadata service")
        let encoded = try #require(try self.refusal(try self.rules(), "127%2e0.0.1"))
        #expect(encoded.option == nil)
        #expect(encoded.message.contains("Write the host as a plain name or address"))
    }

    @Test(arguments: [
        ("10.20.0.0/16", "10.20.3.4", true), ("10.20.0.0/16", "10.21.0.1", false), ("127.0.0.1", "2130706433", true),
        ("127.0.0.1:80", "127.1", true), ("127.0.0.1:81", "127.0.0.1", false), ("localhost", "localhost", true),
        ("localhost", "127.0.0.1", false), ("*", "169.254.169.254", true), ("::1", "::1", true),
        ("::1", "127.0.0.1", false),
        ("127.0.0.0/8", "a.localhost", true), ("metadata.google.internal", "metadata.google.internal", true),
    ])
    func `targets allowed by name, address or range are contacted`(
        _ pattern: String,
        _ host: String,
        _ isAsked: Bool
    ) throws {
        let rules = try self.rules(allowPrivate: [pattern])
        #expect((try self.refusal(rules, host) == nil) == isAsked)
    }

    @Test func `a range allows names that resolve into it, and a name allows every address`() throws {
        let range = try self.rules(allowPrivate: ["10.20.0.0/16"])
        #expect(try self.refusal(range, "db.corp.example", ["10.20.0.9"]) == nil)
        #expect(try self.refusal(range, "db.corp.example", ["10.21.0.9"]) != nil)
        let name = try self.rules(allowPrivate: ["*.corp.example"])
        #expect(try name.find(self.origin("db.corp.example")) == .free)
        #expect(try self.refusal(name, "db.other.example", ["10.21.0.9"]) != nil)
    }

    @Test func `targets named at the start are contacted, on their port`() throws {
        let rules = try self.rules(
            hosts: ["api.example.com"],
            named: ["http://localhost:8080"],
            overrides: ["api.example.com:80:127.0.0.1"]
        )
        #expect(try rules.find(self.origin("localhost", 8080)) == .free)
        #expect(throws: TargetRefusal.self) { try rules.find(self.origin("localhost", 8081)) }
        #expect(try rules.find(self.origin("api.example.com")) == .free)
        #expect(try rules.find(self.origin("api.example.com", 81)) == .unknown)
    }

    @Test(arguments: [TargetSettings.Scope.any, .public])
    func `only listed hosts are contacted if there is a list`(_ scope: TargetSettings.Scope) throws {
        let rules = try self.rules(scope, hosts: ["api.example.com", "*.github.com:443"])
        #expect(try self.refusal(rules, "api.example.com", ["8.8.8.8"]) == nil)
        #expect(try self.refusal(rules, "api.example.com.", ["8.8.8.8"]) == nil)
        for host in ["example.com", "api.example.com.evil.example", "api.github.com", "8.8.8.8"] {
            let refusal = try #require(try self.refusal(rules, host))
            #expect(refusal.cause == .notListed)
            #expect(refusal.option == "--allow-hosts \(host)")
        }
    }

    @Test func `being listed does not make an address public`() throws {
        let rules = try self.rules(hosts: ["localhost", "127.0.0.1"])
        #expect(try self.refusal(rules, "localhost") != nil)
        #expect(try self.refusal(rules, "127.0.0.1") != nil)
    }

    /// The result of the proxy is not known here.
    @Test(arguments: [
        "010.1.1.1", "1.1", "16843009", "0x01010101", "intranet", "printer.local", "db.internal", "x.home.arpa",
    ])
    func `a host that a proxy could resolve differently is rejected`(_ host: String) throws {
        #expect(try self.refusal(try self.rules(), host, ["1.1.1.1"]) == nil)
        #expect(try self.refusal(try self.rules(), host, ["1.1.1.1"], forProxy: true) != nil)
        #expect(try self.refusal(try self.rules(allowPrivate: [host]), host, forProxy: true) == nil)
    }

    @Test func `an address is found without a name lookup`() throws {
        let rules = try self.rules()
        let address = try #require(NetworkAddress("1.1.1.1"))
        #expect(try rules.find(self.origin("16843009")) == .addresses([address]))
        #expect(try rules.find(self.origin("1.1.1.1"), forProxy: true) == .addresses([address]))
    }

    @Test func `options replace the list of the file`() throws {
        var file = TargetSettings()
        file.scope = .public
        file.hosts = [try HostPattern("a")]
        file.allowedPrivate = [try HostPattern("b")]
        var options = TargetSettings()
        #expect(options.over(file) == file)
        options.hosts = [try HostPattern("c")]
        #expect(options.over(file).hosts == options.hosts)
        #expect(options.over(file).allowedPrivate == file.allowedPrivate)
        #expect(options.over(file).scope == .public)
    }
}
