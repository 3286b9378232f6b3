import Foundation
import TestShare
import Testing

/// Origins behind a proxy such as that of a company. `api.example.test` has an address only there.
@Suite(.ownThreads) struct UpstreamProxyTests {
    private static let host = "api.example.test"

    private let folder: TestFolder
    private let origin: Origin

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder, certificateFor: Self.host)
    }

    private func url(_ scheme: Origin.Scheme, _ path: String = "/json", host: String = Self.host) -> String {
        "\(scheme.rawValue)://\(host):\(self.origin.port(scheme))\(path)"
    }

    private func record(_ options: String..., environment: [String: String] = [:]) throws -> TapedeckProcess {
        try TapedeckProcess(
            self.folder,
            ["record", "x", "-v", "--upstream-ca", self.origin.authorityPath] + options,
            environment: environment
        )
    }

    /// The status that curl sees through a deck.
    private func status(_ deck: TapedeckProcess, _ url: String) throws -> String {
        try self.folder.curl(deck, "-o", "/dev/null", "-w", "%{http_code}", url).outputText
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `the proxy of the environment is used, and its answer recorded`(_ scheme: Origin.Scheme) throws {
        let proxy = try UpstreamProxyProcess(in: self.folder)
        let recording = try self.record(environment: proxy.environment())
        let live = try self.folder.curl(recording, self.url(scheme))
        try recording.stop()
        let request = scheme == .http ? "GET \(self.url(.http))" : "CONNECT \(Self.host):\(self.origin.port(.https))"
        #expect(try proxy.stop().map(\.request) == [request])
        // A replay asks no proxy, so it does not matter that this one is gone.
        let replay = try self.folder.serve("replay", "x", environment: proxy.environment())
        let replayed = try self.folder.curl(replay, self.url(scheme))
        try replay.stop()
        #expect(live.exitCode == 0, "\(live.errorText)")
        expectSame(replayed.output, live.output)
    }

    @Test func `connections to a proxy are reused, for any http origin and for one https origin`() throws {
        let proxy = try UpstreamProxyProcess(in: self.folder)
        let recording = try self.record("--upstream-proxy", "http://\(proxy.authority)")
        for url in [
            self.url(.http), self.url(.http, host: "other.example.test"), self.url(.https), self.url(.https, "/gzip"),
        ] {
            #expect(try self.status(recording, url) == "200")
        }
        try recording.stop()
        let asked = try proxy.stop()
        #expect(asked.map(\.connection).count == 3)
        #expect(asked.map(\.connection) == [1, 1, 2])
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `credentials go to the proxy and to no other host`(_ scheme: Origin.Scheme) throws {
        let proxy = try UpstreamProxyProcess(in: self.folder, "--credentials", "me:hunter2@")
        let recording = try self.record(environment: proxy.environment(credentials: "me:hunter2%40@"))
        #expect(try self.status(recording, self.url(scheme)) == "200")
        let said = try recording.stop().errorText
        #expect(try proxy.stop().map(\.credentials) == ["me:hunter2@"])
        #expect(try self.origin.requests().map { $0.values("proxy-authorization") } == [[]])
        let cassette = try self.folder.read("cassettes/x.yaml")
        for secret in ["hunter2", Data("me:hunter2@".utf8).base64EncodedString()] {
            #expect(!said.contains(secret))
            #expect(!cassette.contains(secret))
        }
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `a proxy that requires credentials is not a failed origin`(_ scheme: Origin.Scheme) throws {
        let proxy = try UpstreamProxyProcess(in: self.folder, "--credentials", "me:hunter2")
        let recording = try self.record(environment: proxy.environment())
        let answer = try self.folder.curl(recording, "-i", self.url(scheme))
        let report = try recording.stop().errorText
        #expect(answer.outputText.contains("HTTP/1.1 502 "))
        #expect(answer.outputText.contains("wants a user name and a password (407): name it as http://USER:PASSWORD@"))
        #expect(report.contains("failed, not recorded: GET \(self.url(scheme)): "))
        #expect(!self.folder.exists("cassettes/x.yaml"))
        _ = try proxy.stop()
    }

    @Test func `impossible credentials and a refusal are distinguished`() throws {
        let negotiating = try UpstreamProxyProcess(in: self.folder, "--refuse", "407", "--scheme", "Negotiate")
        let refusing = try UpstreamProxyProcess(in: self.folder, "--refuse", "403")
        for (proxy, words) in [
            (negotiating, "knows users by Negotiate only"),
            (refusing, "does not lead to \(Self.host):\(self.origin.port(.https)) (403 Forbidden)"),
        ] {
            let recording = try self.record("--upstream-proxy", "http://\(proxy.authority)")
            let answer = try self.folder.curl(recording, self.url(.https))
            try recording.stop()
            #expect(answer.outputText.contains(words), "\(answer.outputText)")
            #expect(!self.folder.exists("cassettes/x.yaml"))
            _ = try proxy.stop()
        }
    }

    @Test func `an unreachable proxy is named`() throws {
        let proxy = try UpstreamProxyProcess(in: self.folder)
        _ = try proxy.stop()
        let recording = try self.record(environment: proxy.environment())
        let answer = try self.folder.curl(recording, self.url(.https))
        let direct = try self.folder.curl(recording, self.origin.url("/json"))
        let report = try recording.stop().errorText
        #expect(answer.outputText.contains("the upstream proxy \(proxy.authority) cannot be used: Connection refused"))
        // This machine is not behind the proxy.
        #expect(direct.exitCode == 0)
        #expect(report.contains("1 exchange recorded"))
    }

    @Test func `a proxy may speak TLS`() throws {
        let proxy = try UpstreamProxyProcess(
            in: self.folder,
            "--cert",
            self.folder / "origin/leaf.pem",
            "--key",
            self.folder / "origin/key.pem"
        )
        let port = proxy.authority.split(separator: ":")[1]
        let recording = try self.record(
            "--upstream-proxy",
            "https://\(Self.host):\(port)",
            "--resolve",
            "\(Self.host):\(port):127.0.0.1"
        )
        #expect(try self.status(recording, self.url(.https)) == "200")
        #expect(try self.status(recording, self.url(.http)) == "200")
        try recording.stop()
        let requests = ["CONNECT \(Self.host):\(self.origin.port(.https))", "GET \(self.url(.http))"]
        #expect(try proxy.stop().map(\.request) == requests)
    }

    @Test func `a host gets the address that it is given, and must prove its name all the same`() throws {
        let port = self.origin.port(.https)
        let recording = try self.record(
            "--record-faults",
            "--resolve",
            "\(Self.host):\(port):127.0.0.1",
            "--resolve",
            "*:\(port):127.0.0.1"
        )
        #expect(try self.status(recording, self.url(.https)) == "200")
        let other = try self.folder.curl(recording, self.url(.https, host: "other.example.test"))
        #expect(other.outputText.contains("\"tlsHandshake\""))
        try recording.stop()
    }

    @Test(arguments: some(of: Origin.Scheme.allCases))
    func `a proxy gets the address that an option gives a host`(_ scheme: Origin.Scheme) throws {
        let proxy = try UpstreamProxyProcess(in: self.folder)
        let port = self.origin.port(scheme)
        let recording = try self.record(
            "--upstream-proxy",
            proxy.authority,
            "--resolve",
            "\(Self.host):\(port):127.0.0.1"
        )
        #expect(try self.status(recording, self.url(scheme)) == "200")
        try recording.stop()
        #expect(try proxy.stop().map(\.request) == ["CONNECT 127.0.0.1:\(port)"])
    }

    @Test func `a SOCKS proxy is refused where anything is dialled, and only there`() throws {
        let environment = ["ALL_PROXY": "socks5h://127.0.0.1:1080"]
        let refused = try self.folder.tapedeck("record", "x", "--", "true", environment: environment)
        #expect(refused.exitCode != 0)
        #expect(refused.errorText.contains("ALL_PROXY names a SOCKS proxy"))
        #expect(refused.errorText.contains("--no-upstream-proxy"))
        let direct = try self.folder.tapedeck(
            "record",
            "x",
            "--no-upstream-proxy",
            "--",
            "true",
            environment: environment
        )
        #expect(direct.exitCode == 0, "\(direct.errorText)")
        try self.folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try self.folder.tapedeck("replay", "users", "--", "true", environment: environment)
        #expect(replay.exitCode == 0, "\(replay.errorText)")
    }
}
