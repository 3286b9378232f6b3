import Foundation
import Testing

/// Requests to this machine that are not on tape, with `replay` as its users run it.
@Suite(.ownThreads) struct ThisMachineTests {
    private func folder() throws -> (TestFolder, Origin) {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        return (folder, try Origin(in: folder))
    }

    @Test func `a replay lets requests to this machine pass, and counts them`() throws {
        let (folder, origin) = try self.folder()
        let plain = origin.url("/json")
        let secure = ["--cacert", origin.authorityPath, origin.url("/json", .https)]
        let run = try folder.run(
            [Tapedeck.path, "replay", "users", "--", "curl", "-sS", Cassettes.usersURL, plain, plain]
        )
        #expect(run.exitCode == 0, "\(run.errorText)")
        let place = "localhost:\(origin.port(.http))"
        let headline = "1 request played, 2 requests passed through, 0 unmatched, 0 connections opened upstream"
        #expect(run.errorText.contains(headline), "\(run.errorText)")
        #expect(
            run.errorText.contains("2 requests passed through to \(place) (on this machine)\n"),
            "\(run.errorText)"
        )
        #expect(try origin.requests().count == 2)

        // The client sees the certificate of its own server.
        let tunnel = try folder.run([Tapedeck.path, "replay", "users", "--", "curl", "-sS"] + secure)
        #expect(tunnel.exitCode == 0, "\(tunnel.errorText)")
        #expect(tunnel.errorText.contains("1 tunnel passed through to localhost:"), "\(tunnel.errorText)")
    }

    @Test func `without sets for it a request to this machine is unmatched, with advice`() throws {
        let (folder, origin) = try self.folder()
        let run = try folder.run(
            [Tapedeck.path, "replay", "users", "--no-local", "--", "curl", "-sS", origin.url("/json")]
        )
        #expect(run.exitCode == 70)
        #expect(run.outputText.contains("leave out --no-local"), "\(run.outputText)")
        #expect(run.outputText.contains("tapedeck append users --loopback -- COMMAND"), "\(run.outputText)")
        let recorded = try folder.run(
            [Tapedeck.path, "record", "new", "--no-local", "--", "curl", "-sSi", origin.url("/json")]
        )
        #expect(recorded.outputText.hasPrefix("HTTP/1.1 403 "), "\(recorded.outputText)")
        #expect(recorded.errorText.contains("1 refused"), "\(recorded.errorText)")
        #expect(try origin.requests().isEmpty)
    }

    @Test func `recorded answers for this machine play, in a tunnel too, and nothing else passes to their origin`()
        throws
    {
        let (folder, origin) = try self.folder()
        let (taped, other) = (origin.url("/json", .https), origin.url("/counter", .https))
        try folder.write(Cassettes.answering(taped, "from the tape"), to: "cassettes/x.yaml")
        let run = try folder.run(
            [Tapedeck.path, "replay", "x", "--upstream-ca", origin.authorityPath, "--", "curl", "-sS", taped, other]
        )
        #expect(run.exitCode == 70, "\(run.errorText)")
        #expect(run.outputText.hasPrefix("from the tape"), "\(run.outputText)")
        #expect(run.errorText.contains("1 request played, 1 unmatched, 0 connections"), "\(run.errorText)")
        #expect(run.outputText.contains("tapedeck append x --loopback -- COMMAND"), "\(run.outputText)")
        #expect(!run.outputText.contains("--no-local"), "\(run.outputText)")
        #expect(try origin.requests().isEmpty)
    }

    @Test func `a request that the tape lacks is unmatched if nothing listens`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.answering("http://127.0.0.1:1/a", "from the tape"), to: "cassettes/x.yaml")
        let run = try folder.run([Tapedeck.path, "replay", "x", "--", "curl", "-sSi", "http://127.0.0.1:1/b"])
        #expect(run.exitCode == 70, "\(run.errorText)")
        #expect(run.outputText.hasPrefix("HTTP/1.1 501 "), "\(run.outputText)")
        // The set is for that path on any host, so that the request would pass.
        try folder.write(Cassettes.answering("/a", "from the tape"), to: "cassettes/y.yaml")
        let alone = try folder.run([Tapedeck.path, "replay", "y", "--", "curl", "-sSi", "http://127.0.0.1:1/b"])
        #expect(alone.outputText.contains("nothing listens at http://127.0.0.1:1"), "\(alone.outputText)")
        // A client may contact a server that the tape does not have before the server is up.
        let early = try folder.run([Tapedeck.path, "replay", "x", "--", "curl", "-sSi", "http://127.0.0.1:2/"])
        #expect(early.exitCode == 0, "\(early.errorText)")
        #expect(early.outputText.hasPrefix("HTTP/1.1 502 "), "\(early.outputText)")
        #expect(early.errorText.contains("failed: GET http://127.0.0.1:2/"), "\(early.errorText)")
    }

    @Test func `a protocol upgrade passes`() throws {
        let (folder, origin) = try self.folder()
        let script = """
            import os, socket, sys
            host, port = os.environ["http_proxy"].split("//")[1].split("/")[0].split("@")[-1].split(":")
            connection = socket.create_connection((host, int(port)))
            head = f"GET {sys.argv[1]} HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n"
            connection.sendall(head.encode())
            while b"\\r\\n\\r\\n" not in (got := connection.recv(4096)): pass
            connection.sendall(b"any bytes")
            print(got.split(b" ")[1].decode(), connection.recv(4096).decode())
            """
        let run = try folder.run(
            [Tapedeck.path, "replay", "users", "--", "python3", "-c", script, origin.url("/upgrade")]
        )
        #expect(run.outputText == "101 any bytes\n", "\(run.errorText)")
        #expect(run.exitCode == 0, "\(run.errorText)")
    }

    @Test(arguments: [["--targets", "public"], ["--host", "0.0.0.0"], ["--host", "0.0.0.0", "--targets", "any"]])
    func `a deck that others can reach, or with public targets only, forwards nothing`(options: [String]) throws {
        let (folder, origin) = try self.folder()
        let run = try folder.run(
            [Tapedeck.path, "replay", "users"] + options + ["--", "curl", "-sSi", origin.url("/json")]
        )
        #expect(run.exitCode == 70, "\(run.errorText)")
        let recorded = try folder.run(
            [Tapedeck.path, "record", "x"] + options + ["--", "curl", "-sSi", origin.url("/json")]
        )
        #expect(recorded.outputText.hasPrefix("HTTP/1.1 403 "), "\(recorded.outputText)")
        #expect(try origin.requests().isEmpty)
    }

    @Test func `a passing request stays on this machine, whatever the options`() throws {
        let (folder, origin) = try self.folder()
        let port = origin.port(.http)
        // 192.0.2.1 is for documentation (RFC 5737): nothing answers there.
        let run = try folder.run(
            [
                Tapedeck.path, "replay", "users", "--resolve", "localhost:\(port):192.0.2.1", "--passthrough",
                "other.example.com", "--upstream-proxy", "http://192.0.2.1:1", "--", "curl", "-sS", origin.url("/json"),
            ]
        )
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.outputText.hasPrefix("{"), "\(run.outputText)")
    }

    @Test func `background requests are answered quietly, as the project file says`() throws {
        let (folder, _) = try self.folder()
        try folder.write("record:\n  block:\n    - '*.telemetry.example.com'\n", to: "tapedeck.yaml")
        let run = try folder.tapedeck(
            "replay",
            "users",
            "--",
            "curl",
            "-sS",
            Cassettes.usersURL,
            "http://a.telemetry.example.com/ping"
        )
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.errorText.contains("1 request played, 0 unmatched, 1 blocked, 0 connections"), "\(run.errorText)")
    }
}
