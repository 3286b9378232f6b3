import Foundation
import Testing

/// Programs that go past the deck, or do not trust it.
@Suite(.ownThreads) struct MissedClientTests {
    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        return folder
    }

    @Test func `a replay without a request says so, and fails`() throws {
        let folder = try self.folder()
        let past = ["--", "curl", "-sS", "--noproxy", "*", "http://127.0.0.1:9/"]
        let run = try folder.run([Tapedeck.path, "replay", "users", "--", "true"])
        #expect(run.exitCode == 70)
        #expect(run.errorText.contains("no request came through Tapedeck"), "\(run.errorText)")
        #expect(run.errorText.contains("tapedeck help trusting-the-ca"), "\(run.errorText)")
        // The command's own failure comes first.
        #expect(try folder.run([Tapedeck.path, "replay", "users"] + past).exitCode == 7)
        let allowed = try folder.run([Tapedeck.path, "replay", "users", "--allow-unused", "--", "true"])
        #expect(allowed.exitCode == 0, "\(allowed.errorText)")
        let used = try folder.run([Tapedeck.path, "replay", "users", "--", "curl", "-sS", Cassettes.usersURL])
        #expect(used.exitCode == 0)
        #expect(!used.errorText.contains("no request came"), "\(used.errorText)")
    }

    @Test func `a recording without an exchange gives the reason in one line, and fails`() throws {
        let folder = try self.folder()
        let nothing = try folder.run([Tapedeck.path, "record", "new", "--", "true"])
        #expect(nothing.exitCode == 70)
        #expect(nothing.errorText.contains("nothing was recorded: no request came through Tapedeck\n"))
        #expect(nothing.errorText.contains("tapedeck: COMMAND sent none, or its client reads no proxy variables"))
        #expect(!nothing.errorText.contains("new.yaml"), "\(nothing.errorText)")
        let kept = try folder.run([Tapedeck.path, "record", "users", "--allow-unused", "--", "true"])
        #expect(kept.exitCode == 0)
        #expect(kept.errorText.contains("; cassettes/users.yaml is as it was\n"), "\(kept.errorText)")
        let blocked = try folder.run(
            [Tapedeck.path, "record", "new", "--block", "*", "--", "curl", "-sS", Cassettes.usersURL]
        )
        #expect(blocked.exitCode == 70)
        #expect(blocked.errorText.contains("nothing was recorded: 1 request to hosts that are blocked\n"))
        #expect(try folder.run([Tapedeck.path, "record", "new", "--", "false"]).exitCode == 1)
    }

    @Test func `a client that refuses the certificate is reported once per host`() throws {
        let folder = try self.folder()
        let other = try Origin(in: folder).authorityPath
        let urls = ["https://a.example.com/", "https://a.example.com/", "https://b.example.com/"]
        // A client of its own for each, as one would reuse nothing of a failed connection.
        let script = "for url in \(urls.joined(separator: " ")); do curl -sS --cacert \(other) $url; done; true"
        let run = try folder.run([Tapedeck.path, "replay", "users", "--", "sh", "-c", script])
        #expect(run.exitCode == 70, "\(run.errorText)")
        for host in ["a.example.com", "b.example.com"] {
            let told = run.errorText.components(separatedBy: "by its TLS alert for \(host): `tapedeck ca`").count - 1
            #expect(told == 1, "\(run.errorText)")
            let warned = run.errorText.components(separatedBy: "certificate authority; see `tapedeck ca`").count - 1
            #expect(warned == 2, "\(run.errorText)")
        }
    }

    @Test func `a client that closes without an alert is not said to distrust the deck`() throws {
        let folder = try self.folder()
        try folder.write(Cassettes.answering("https://asked.example.com/", "ada"), to: "cassettes/asked.yaml")
        let script = """
            import os, socket, ssl, sys
            proxy = os.environ["https_proxy"].split("//")[1].split("/")[0].split("@")[-1].split(":")
            context = ssl._create_unverified_context()
            def shake(host):
                connection = socket.create_connection((proxy[0], int(proxy[1])))
                connection.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\nHost: {host}:443\\r\\n\\r\\n".encode())
                assert b" 200 " in connection.recv(4096)
                return context.wrap_socket(connection, server_hostname=host)
            shake("silent.example.com").close()
            shake("asked.example.com").close()
            asking = shake("asked.example.com")
            asking.sendall(b"GET / HTTP/1.1\\r\\nHost: asked.example.com\\r\\n\\r\\n")
            print(asking.recv(4096).split()[1].decode())
            """
        let run = try folder.run([Tapedeck.path, "replay", "asked", "--", "python3", "-c", script])
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.outputText == "200\n")
        #expect(!run.errorText.contains("trust"), "\(run.errorText)")
    }

    @Test func `unused sets of contacted hosts are named`() throws {
        let folder = try self.folder()
        try folder.write(
            Cassettes.answering("https://other.example.com/", "bob").replacing("name: users", with: "name: missed"),
            to: "cassettes/other.yaml"
        )
        let run = try folder.run([Tapedeck.path, "replay", "users", "other", "--", "curl", "-sS", Cassettes.usersURL])
        #expect(run.exitCode == 0)
        #expect(run.errorText.contains(#"never requested: "missed""#), "\(run.errorText)")
    }
}
