import Foundation
import TestShare
import Testing

/// Programs that are led to a deck by name and address alone, and know nothing of it but its certificate authority.
@Suite(.ownThreads) struct TransparentTests {
    /// Returns the port of a deck for a port of origins.
    private static func port(_ deck: TapedeckProcess, for originPort: Int) throws -> Int {
        let expression = try Regex("in place of its port \(originPort):  port (\\d+)", as: (Substring, Substring).self)
        let match = try #require(deck.program.errorsSoFar.firstMatch(of: expression))
        return try #require(Int(match.1))
    }

    /// Asks for a URL of the origin, at the deck's address.
    private static func curl(
        _ folder: TestFolder,
        _ deck: TapedeckProcess,
        _ origin: Origin,
        _ url: String,
        trusting authority: String? = nil,
        _ arguments: [String] = []
    ) throws -> Program.Result {
        let leads = try Origin.Scheme.allCases.flatMap { scheme in
            let port = origin.port(scheme)
            return ["--connect-to", "localhost:\(port):127.0.0.1:\(try self.port(deck, for: port))"]
        }
        let common = ["curl", "-q", "-sS", "--noproxy", "*", "--max-time", "40"]
        return try folder.run(common + ["--cacert", authority ?? deck.authorityPath] + leads + arguments + [url])
    }

    private static func ports(_ origin: Origin) -> [String] {
        Origin.Scheme.allCases.flatMap { ["--transparent", "0=\(origin.port($0))"] }
    }

    private static func serve(_ folder: TestFolder, _ arguments: [String]) throws -> TapedeckProcess {
        try TapedeckProcess(folder, arguments)
    }

    @Test func `curl gets the same from a replay as from the origin, with TLS and without`() throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        let origin = try Origin(in: folder)
        let urls = Origin.Scheme.allCases.flatMap { scheme in ["/json", "/gzip"].map { origin.url($0, scheme) } }
        let trusted = ["--upstream-ca", origin.authorityPath]

        let recording = try Self.serve(folder, ["record", "x"] + trusted + Self.ports(origin))
        let live = try urls.map { try Self.curl(folder, recording, origin, $0, ["-i", "--compressed"]) }
        try recording.stop()
        for result in live { #expect(result.exitCode == 0, "\(result.errorText)") }
        #expect(try folder.read("cassettes/x.yaml").contains("url: \(urls[0])\n"))
        #expect(try folder.read("cassettes/x.yaml").contains("url: \(urls[2])\n"))

        let ports = Self.ports(origin)
        let replay = try Self.serve(folder, ["replay", "x"] + ports)
        for (url, live) in zip(urls, live) {
            let played = try Self.curl(folder, replay, origin, url, ["-i", "--compressed"])
            expectSame(played.output, live.output)
        }
        let summary = try replay.stop().errorText
        #expect(summary.contains("4 requests played, 0 unmatched, 0 connections opened upstream"), "\(summary)")
        try origin.stop()
    }

    private static let requests = """
        import socket, sys
        import requests
        url, host, port, address = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        resolve = socket.getaddrinfo
        def alias(name, service, *rest, **more):
            if (name, int(service)) == (host, port):
                return resolve("127.0.0.1", address, *rest, **more)
            raise SystemExit(f"asked for {name}:{service}")
        socket.getaddrinfo = alias
        with requests.Session() as session:
            for _ in range(2):
                answer = session.get(url)
                print(answer.status_code, answer.text)
        """

    @Test func `Python's requests are led there by the resolver`() throws {
        let folder = try TestFolder()
        let host = "api.example.test"
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: hello
                request: { method: GET, url: "https://\(host)/hello" }
                variants:
                  - name: ok
                    takes: [{ status: 200, body: { text: "hello, \(host)" } }]

            """,
            to: "cassettes/x.yaml"
        )
        let deck = try folder.serve("replay", "x", "--transparent", "0=443")
        let result = try folder.run(
            [
                "python3", "-c", Self.requests, "https://\(host)/hello", host, "443",
                String(try Self.port(deck, for: 443)),
            ],
            environment: ["REQUESTS_CA_BUNDLE": deck.authorityPath]
        )
        #expect(result.outputText == "200 hello, \(host)\n200 hello, \(host)\n", "\(result.errorText)")
        try deck.stop()
    }

    @Test func `openssl gets a certificate for the name it requests, and an alert without one`() throws {
        let folder = try TestFolder()
        try folder.write("tapedeck: 1\nresponseSets: []\n", to: "cassettes/x.yaml")
        let deck = try folder.serve("replay", "x", "--transparent", "0=443")
        let place = "127.0.0.1:\(try Self.port(deck, for: 443))"
        func connect(_ arguments: String...) throws -> String {
            let command = ["openssl", "s_client", "-connect", place, "-CAfile", deck.authorityPath] + arguments
            let result = try folder.run(command)
            return result.outputText + result.errorText
        }
        let named = try connect("-servername", "api.example.test", "-verify_hostname", "api.example.test")
        #expect(named.contains("Verify return code: 0 (ok)"), "\(named)")
        let offered = try connect("-servername", "api.example.test", "-alpn", "h2,http/1.1")
        #expect(offered.contains("ALPN protocol: h2"), "\(offered)")
        #expect(try connect("-noservername").contains("SSL alert number 109"))
        #expect(try connect("-noservername", "-tls1_2").contains("SSL alert number 109"))
        #expect(try connect("-servername", "127.0.0.1").contains("SSL alert number 112"))
        let told = try deck.stop().errorText
        #expect(told.contains("the client names no host (SNI)"), "\(told)")
        #expect(told.contains("(host: 127.0.0.1, reason: what the client names (SNI) is no host name"), "\(told)")
    }

    @Test func `a passed-through host shows its own certificate, and a blocked one gives a 403`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/json", .https)
        let passing = try Self.serve(folder, ["record", "x", "--passthrough", "localhost"] + Self.ports(origin))
        let passed = try Self.curl(folder, passing, origin, url, trusting: origin.authorityPath)
        #expect(passed.exitCode == 0, "\(passed.errorText)")
        #expect(passed.outputText.contains("{"))
        let plain = try Self.curl(folder, passing, origin, origin.url("/json"))
        #expect(plain.output == passed.output)

        let blocking = try Self.serve(folder, ["record", "y", "--block", "localhost"] + Self.ports(origin))
        let blocked = try Self.curl(folder, blocking, origin, url)
        #expect(blocked.outputText.contains("\"error\": \"blocked\""), "\(blocked.errorText)")
        try blocking.stop()

        try origin.stop()
        // 35 is CURLE_SSL_CONNECT_ERROR.
        let gone = try Self.curl(folder, passing, origin, url, trusting: origin.authorityPath)
        #expect(gone.exitCode == 35, "\(gone.errorText)")
        let summary = try passing.stop().errorText
        #expect(summary.contains("0 exchanges recorded"), "\(summary)")
        #expect(summary.contains("the connection was refused"), "\(summary)")
        #expect(!folder.exists("cassettes/x.yaml"))
    }

    @Test(.long) func `a used or invalid port is reported with advice`() throws {
        let folder = try TestFolder()
        try folder.write("tapedeck: 1\nresponseSets: []\n", to: "cassettes/x.yaml")
        let deck = try folder.serve("replay", "x", "--transparent", "0=443")
        let port = try Self.port(deck, for: 443)
        let taken = try folder.tapedeck("replay", "x", "--port", "0", "--transparent", "\(port)=443")
        #expect(taken.exitCode == 69, "\(taken.exitCode)")
        #expect(taken.errorText.contains("port \(port) of --transparent is in use"), "\(taken.errorText)")
        #expect(taken.errorText.contains("--transparent \(port + 1)=443"), "\(taken.errorText)")
        for (arguments, words) in [
            (["--transparent", "https"], "PORT or PORT=ORIGINPORT"), (["--transparent", "0"], "such as 0=443"),
            (["--transparent", "1=80", "--transparent", "1=443"], "twice"),
            (["--deck-name", "A-b"], "letters and digits"),
        ] {
            let result = try folder.tapedeck(["replay", "x"] + arguments)
            #expect(result.exitCode == 64)
            #expect(result.errorText.contains(words), "\(result.errorText)")
        }
        try deck.stop()
    }

    @Test func `a deck with a name makes sessions that bear it, and knows those of another`() throws {
        let folder = try TestFolder()
        let deck = try folder.serve("serve", "--deck-name", "a")
        let control = try #require(deck.controlURL)
        let create = ["session", "create", "--mode", "passthrough", "--name", "one"]
        let made = try folder.tapedeck(create, environment: ["TAPEDECK_URL": control])
        #expect(made.outputText.hasPrefix("a-one-"), "\(made.errorText)")
        let described = try folder.run(["curl", "-q", "-sS", "--noproxy", "*", "\(control)/v1/deck"])
        #expect(described.outputText.contains("\"name\":\"a\""))
        let foreign = "the id belongs to the deck b, and this is the deck a"
        let key = "X-Tapedeck-Session: b-k7f3"
        let asked = try folder.curl(deck, "-H", key, "http://api.example.test/")
        #expect(asked.outputText.contains(foreign), "\(asked.outputText)")
        let shown = try folder.run(["curl", "-q", "-sS", "--noproxy", "*", "\(control)/v1/sessions/b-k7f3"])
        #expect(shown.outputText.contains(foreign), "\(shown.outputText)")
        try deck.stop()
    }
}
