import Foundation
import TestShare
import Testing

/// HTTP/2 with curl: towards clients, towards origins, and off the tape. A second deck is the origin.
@Suite(.ownThreads) struct HTTP2Tests {
    /// A cassette for a deck in place of an origin.
    private static let origin = """
        tapedeck: 1
        responseSets:
          - name: hello
            request: { method: GET, url: "https://origin.test/hello" }
            variants:
              - name: ok
                takes:
                  - status: 200
                    headers:
                      - X-Twice: one
                      - X-Twice: two
                    body: { text: hello }
          - name: echo
            request: { method: POST, url: "https://origin.test/echo" }
            variants:
              - name: ok
                takes: [{ status: 201, body: { text: taken }, trailers: { x-sum: "3" } }]
          - name: none
            request: { method: GET, url: "https://origin.test/none" }
            variants: [{ name: ok, takes: [{ status: 404 }] }]
          - name: item
            request: { method: GET, urlTemplate: "https://origin.test/items/{id}" }
            variants:
              - name: ok
                template: true
                takes: [{ status: 200, body: { text: "item {{url.id}}" } }]

        """

    /// A deck with that cassette, which serves it as an origin does.
    private static func origin(in folder: TestFolder) throws -> TapedeckProcess {
        try folder.write(Self.origin, to: "cassettes/origin.yaml")
        return try folder.serve("replay", "origin", "--reverse", "https://origin.test")
    }

    private static let format = "\\n%{http_version} %{http_code} %{num_connects}\\n"

    @Test func `a client and an origin of HTTP/2 are recorded, and play over both versions`() throws {
        let folder = try TestFolder()
        let origin = try Self.origin(in: folder)
        let base = "https://localhost:\(origin.port)"
        let recording = try folder.serve("record", "x", "--upstream-ca", origin.authorityPath)
        func ask(_ deck: TapedeckProcess, _ arguments: String...) throws -> String {
            try folder.run(Curl.through(deck) + ["--http2", "-i", "-w", Self.format] + arguments).outputText
        }
        let live = try ask(recording, base + "/hello")
        #expect(live.contains("HTTP/2 200"), "\(live)")
        #expect(live.contains("x-twice: one\r\nx-twice: two\r\n"), "\(live)")
        let posted = try ask(recording, base + "/echo", "-d", "abc")
        #expect(posted.contains("HTTP/2 201"), "\(posted)")
        let summary = try recording.stop().errorText
        #expect(summary.contains("2 exchanges recorded, 1 connection opened upstream"), "\(summary)")
        try origin.stop()
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.components(separatedBy: "protocol: h2\n").count == 3, "\(tape)")
        #expect(tape.contains("x-sum: '3'"), "\(tape)")

        let replay = try folder.serve("replay", "x")
        #expect(try ask(replay, base + "/hello") == live)
        let older = try ask(replay, "--http1.1", base + "/hello")
        #expect(older.contains("HTTP/1.1 200 OK\r\n"), "\(older)")
        #expect(older.contains("x-twice: one\r\nx-twice: two\r\n"), "\(older)")
        #expect(older.contains("Content-Length: 5\r\n"), "\(older)")
        #expect(older.hasSuffix("hello\n1.1 200 2\n") || older.hasSuffix("hello\n1.1 200 1\n"), "\(older)")
        try replay.stop()
    }

    @Test func `an answer whose body is not recorded still reaches the client`() throws {
        let folder = try TestFolder()
        let origin = try Self.origin(in: folder)
        let recording = try folder.serve("record", "x", "--upstream-ca", origin.authorityPath, "--status", "200")
        let options = ["--http2", "-w", "%{http_version} %{http_code}", "https://localhost:\(origin.port)/none"]
        let result = try folder.run(Curl.through(recording) + options)
        #expect(result.outputText == "2 404", "\(result.errorText)")
        try recording.stop()
    }

    @Test func `HTTP/2 is spoken in cleartext inside a tunnel`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users")
        let options = ["--proxytunnel", "--http2-prior-knowledge", "-o", "/dev/null", "-w", "%{http_version}"]
        let result = try folder.run(Curl.through(replay) + options + ["http://api.example.com/users"])
        #expect(result.outputText == "2", "\(result.errorText)")
        try replay.stop()
    }

    @Test func `a client of HTTP/1.1 is forwarded over HTTP/1.1`() throws {
        let folder = try TestFolder()
        let origin = try Self.origin(in: folder)
        let recording = try folder.serve("record", "x", "--upstream-ca", origin.authorityPath)
        try folder.run(Curl.through(recording) + ["--http1.1", "https://localhost:\(origin.port)/hello"])
        try recording.stop()
        #expect(try !folder.read("cassettes/x.yaml").contains("protocol: h2"))
    }

    @Test func `HTTP/2 is spoken in cleartext by prior knowledge, and to origins of --h2c`() throws {
        let folder = try TestFolder()
        let origin = try Self.origin(in: folder)
        let recording = try folder.serve(
            "record",
            "x",
            "--reverse",
            "http://127.0.0.1:\(origin.port)",
            "--h2c",
            "127.0.0.1:\(origin.port)"
        )
        func ask(_ deck: TapedeckProcess, _ path: String) throws -> String {
            let options = ["-sS", "--http2-prior-knowledge", "--noproxy", "*", "-w", Self.format]
            return try folder.run(["curl"] + options + [deck.url + path]).outputText
        }
        #expect(try ask(recording, "/hello") == "hello\n2 200 1\n")
        #expect(try ask(recording, "/items/7") == "item 7\n2 200 1\n")
        try recording.stop()
        try origin.stop()
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.components(separatedBy: "protocol: h2\n").count == 3, "\(tape)")
        let replay = try folder.serve("replay", "x", "--reverse", "http://127.0.0.1:\(origin.port)")
        #expect(try ask(replay, "/items/7") == "item 7\n2 200 1\n")
        try replay.stop()
    }

    @Test func `a hundred requests at once share a connection, and each gets its own answer`() throws {
        let folder = try TestFolder()
        let origin = try Self.origin(in: folder)
        let urls = (0..<100).map { "https://localhost:\(origin.port)/items/\($0)" }
        let options = ["--http2", "--noproxy", "*", "--cacert", origin.authorityPath, "-Z", "--parallel-max", "100"]
        let result = try folder.run(
            ["curl", "-q", "-sS"] + options + urls.enumerated().flatMap { ["-o", folder / "\($0).txt", $1] }
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(try (0..<100).map { try folder.read("\($0).txt") } == (0..<100).map { "item \($0)" })
        let summary = try origin.stop().errorText
        #expect(summary.contains("100 requests played"), "\(summary)")
    }

    @Test(.long) func `a body that is larger than all windows passes both ways`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let size = 20_000_000
        try folder.write(Data(repeating: 0x61, count: size), to: "body.bin")
        // Else the body is too large to be recorded, and the recording fails.
        let recording = try folder.serve("record", "x", "--allow-unscanned", "--upstream-ca", origin.authorityPath)
        let result = try folder.run(
            Curl.through(recording) + [
                "--http2",
                "-w", "%{http_version}", "-o", folder / "echo.txt", "--data-binary", "@\(folder / "body.bin")",
                origin.url("/echo", .https),
            ]
        )
        #expect(result.outputText == "2", "\(result.errorText)")
        let echoed = try Data(contentsOf: URL(fileURLWithPath: folder / "echo.txt"))
        #expect(echoed.count > size)
        #expect(echoed.suffix(size) == Data(repeating: 0x61, count: size))
        try recording.stop()
    }

    @Test(
        arguments: [
            // curl meets a reset while it sends or while it receives.
            ("connectionReset", [55, 56]), ("streamReset", [92]), ("truncatedBody", [92]), ("connectionRefused", [0]),
        ] as [(String, [Int32])]
    )
    func `curl reports each fault`(fault: String, exitCodes: [Int32]) throws {
        let folder = try TestFolder()
        let part = fault == "truncatedBody" ? "status: 200, headers: { content-length: 9 }, body: { text: half }, " : ""
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: a
                request: { method: GET, url: "https://api.test/a" }
                variants: [{ name: bad, takes: [{ \(part)fault: \(fault) }] }]

            """,
            to: "cassettes/x.yaml"
        )
        let replay = try folder.serve("replay", "x")
        let result = try folder.run(Curl.through(replay) + ["--http2", "-w", "%{http_version}", "https://api.test/a"])
        #expect(exitCodes.contains(result.exitCode), "\(result.outputText) \(result.errorText)")
        try replay.stop()
    }

    @Test func `--http1 turns HTTP/2 off`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let replay = try folder.serve("replay", "users", "--http1")
        let result = try folder.run(
            Curl.through(replay) + ["--http2", "-o", "/dev/null", "-w", "%{http_version}", "https://a.test/"]
        )
        #expect(result.outputText == "1.1")
        try replay.stop()
    }
}
