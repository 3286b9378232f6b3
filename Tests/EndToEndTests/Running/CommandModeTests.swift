import Foundation
import Testing

/// `tapedeck MODE NAME -- COMMAND`.
@Suite(.ownThreads) struct CommandModeTests {
    @Test(
        arguments: [
            (["true"], 0),
            (["sh", "-c", "exit 3"], 3),
            (["no-such-command-anywhere"], 127),
            (["/etc/passwd"], 126),
            (["sh", "-c", "kill -TERM $$"], 128 + SIGTERM),
            (["sh", "-c", "kill -KILL $$"], 128 + SIGKILL),
        ] as [([String], Int32)]
    )
    func `the exit code is the command's`(_ command: [String], code: Int32) throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(["record", "x", "--"] + command)
        #expect(result.exitCode == code, "\(result.errorText)")
    }

    @Test func `a missing command is named`() throws {
        let result = try TestFolder().tapedeck("record", "x", "--", "no-such-command-anywhere")
        #expect(result.errorText.contains("cannot run no-such-command-anywhere: there is no such command"))
    }

    @Test func `a command inherits Tapedeck's given files, and none of its own`() throws {
        let script = #"exec 5</dev/null; exec "$0" passthrough -- ls -l /proc/self/fd"#
        let result = try TestFolder().run(["sh", "-c", script, Tapedeck.path])
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.contains("5 -> /dev/null"), "\(result.outputText)")
        #expect(!result.outputText.contains("socket:"), "\(result.outputText)")
        #expect(!result.outputText.contains("eventpoll"), "\(result.outputText)")
    }

    @Test func `a success with unmatched requests is 70, unless that is allowed`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let other = ["--", "curl", "-sS", "http://api.example.com/orders"]
        #expect(try folder.tapedeck(["replay", "users"] + other).exitCode == 70)
        #expect(try folder.tapedeck(["replay", "users", "--allow-unmatched"] + other).exitCode == 0)
        // The command's own failure comes first.
        let failing = ["--", "curl", "-fsS", "http://api.example.com/orders"]
        #expect(try folder.tapedeck(["replay", "users"] + failing).exitCode == 22)
        #expect(try folder.tapedeck("replay", "users", "--", "curl", "-sS", Cassettes.usersURL).exitCode == 0)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal is passed on to the command`(_ signal: Int32) throws {
        let folder = try TestFolder()
        let script = """
            import os, signal
            def caught(number, _):
                os.write(1, b"caught %d\\n" % number)
                os._exit(9)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, caught)
            os.write(1, b"ready\\n")
            while True:
                signal.pause()
            """
        let program = try folder.start([Tapedeck.path, "record", "x", "--", "python3", "-c", script])
        try program.waitForOutput("the command to be ready") { $0.contains("ready\n") ? () : nil }
        program.send(signal)
        let result = try program.result()
        #expect(result.exitCode == 9, "\(result.errorText)")
        #expect(result.outputText == "ready\ncaught \(signal)\n")
    }

    @Test func `standard input and output belong to the command, the summary goes to standard error`() throws {
        let folder = try TestFolder()
        let everything = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let result = try folder.tapedeck("record", "x", "--", "cat", input: everything)
        expectSame(result.output, everything)
        #expect(result.errorText.contains("tapedeck: record: 0 exchanges recorded, 0 connections opened upstream\n"))
        #expect(!folder.exists("cassettes/x.yaml"))
        #expect(!folder.exists("cassettes/x.journal"))
    }

    @Test func `the command's environment leads it through the deck`() throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(
            "record",
            "x",
            "--",
            "env",
            environment: ["no_proxy": "localhost,127.0.0.1", "NO_PROXY": "*", "KEPT": "as it was"]
        )
        let lines = result.outputText.split(separator: "\n").map(String.init)
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let proxy = try #require(value("http_proxy"))
        #expect(proxy.wholeMatch(of: #/http://127\.0\.0\.1:\d+/#) != nil)
        for name in ["https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            #expect(value(name) == proxy, "\(name)")
        }
        #expect(value("no_proxy") == "")
        #expect(value("NO_PROXY") == "")
        #expect(value("KEPT") == "as it was")
        let bundle = try #require(value("SSL_CERT_FILE"))
        for name in ["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE"] {
            #expect(value(name) == bundle, "\(name)")
        }
        // They lived as long as the command.
        #expect(!FileManager.default.fileExists(atPath: bundle))
    }

    @Test func `the bundle holds the system's roots and the authority, the addition only the authority`() throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(
            "record",
            "x",
            "--",
            "sh",
            "-c",
            #"cp "$SSL_CERT_FILE" bundle.pem && cp "$NODE_EXTRA_CA_CERTS" addition.pem"#
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        let authority = try folder.read("ca/ca.pem")
        let bundle = try folder.read("bundle.pem")
        #expect(try folder.read("addition.pem") == authority)
        #expect(bundle.hasSuffix(authority))
        let system = "/etc/ssl/certs/ca-certificates.crt"
        if let roots = try? String(contentsOfFile: system, encoding: .utf8) { #expect(bundle.hasPrefix(roots)) }
    }

    @Test func `no privilege is needed`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        // Root without its capabilities is a user like any other.
        let isRoot = getuid() == 0
        let unprivileged = isRoot ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
        let command = ["--", "curl", "-sS", origin.url("/json"), origin.url("/counter", .https)]
        let live = try folder.run(
            unprivileged + [Tapedeck.path, "record", "x", "--loopback", "--upstream-ca", origin.authorityPath] + command
        )
        #expect(live.exitCode == 0, "\(live.errorText)")
        try origin.stop()
        let replayed = try folder.run(unprivileged + [Tapedeck.path, "replay", "x"] + command)
        #expect(replayed.exitCode == 0, "\(replayed.errorText)")
        expectSame(replayed.output, live.output)
    }

    @Test func `several programs of one command share the deck`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/counter", .https)
        let command = ["--", "sh", "-c", "for n in 1 2 3; do curl -sS '\(url)'; done"]
        let live = try folder.tapedeck(["record", "x", "--upstream-ca", origin.authorityPath] + command)
        #expect(live.outputText == #"{"count":1}{"count":2}{"count":3}"#, "\(live.errorText)")
        #expect(live.errorText.contains("3 exchanges recorded"))
        #expect(live.errorText.contains("wrote cassettes/x.yaml"))
        let replayed = try folder.tapedeck(["replay", "x"] + command)
        expectSame(replayed.output, live.output)
    }
}
