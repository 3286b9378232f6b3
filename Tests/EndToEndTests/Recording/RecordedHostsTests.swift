import Foundation
import TestShare
import Testing

/// Hosts that are recorded, passed through and blocked, with the programs as users run them.
@Suite(.ownThreads) struct RecordedHostsTests {
    /// Without the option that the other tests need for their origins on this machine.
    private func tapedeck(_ folder: TestFolder, _ arguments: [String]) throws -> Program.Result {
        try folder.run([Tapedeck.path] + arguments)
    }

    @Test func `requests to this machine pass unrecorded, and the summary names the option`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/json")
        let result = try self.tapedeck(folder, ["record", "x", "--", "curl", "-sS", url, url])
        #expect(result.outputText.contains("{"))
        #expect(!folder.exists("cassettes/x.yaml"))
        #expect(result.errorText.contains("0 exchanges recorded, 2 requests passed through"), "\(result.errorText)")
        let line = "2 requests passed through to localhost:\(origin.port(.http)) (on this machine; --loopback records"
        #expect(result.errorText.contains(line), "\(result.errorText)")

        for asking in [["--loopback"], ["--only", "localhost"], ["--only", "localhost:\(origin.port(.http))"]] {
            let name = "asked\(asking.count)\(asking.last?.count ?? 0)"
            let asked = try self.tapedeck(folder, ["record", name] + asking + ["--", "curl", "-sS", url])
            #expect(asked.errorText.contains("1 exchange recorded"), "\(asked.errorText)")
        }
    }

    @Test func `a reverse listener and a base URL stand for an origin on this machine`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let base = origin.base(.http)
        let deck = try TapedeckProcess(folder, ["record", "y", "--reverse", base], asksForLoopback: false)
        _ = try folder.run(["curl", "-q", "-sS", "--noproxy", "*", deck.url + "/json"])
        let place = "http/127.0.0.1:\(origin.port(.http))"
        _ = try folder.run(["curl", "-q", "-sS", "--noproxy", "*", "\(deck.url)/.tapedeck/default/\(place)/counter"])
        let summary = try deck.stop().errorText
        #expect(summary.contains("2 exchanges recorded"), "\(summary)")
    }

    @Test(.long) func `a client that pins the certificate gets the origin's own through a tunnel that is left alone`()
        throws
    {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let place = "localhost:\(origin.port(.https))"
        for option in [["--passthrough", place], ["--except", "localhost"], ["--only", "api.example.com"]] {
            let deck = try TapedeckProcess(folder, ["record", "x"] + option, asksForLoopback: false)
            let shown = try folder.run([
                "openssl", "s_client", "-proxy", String(deck.url.dropFirst("http://".count)), "-connect", place,
                "-servername", "localhost", "-CAfile", origin.authorityPath, "-verify_return_error",
            ])
            #expect(shown.outputText.contains("Verify return code: 0 (ok)"), "\(shown.outputText) \(shown.errorText)")
            // More than one connection's buffers hold, both ways.
            let body = Data(repeating: 0x61, count: 3_000_000)
            try folder.write(body, to: "body")
            let trusting = ["--cacert", origin.authorityPath]
            let command = ["curl", "-q", "-sS", "--max-time", "40", "--proxy", deck.url] + trusting
            let sent = try folder.run(command + ["--data-binary", "@body", origin.url("/sink", .https)])
            #expect(sent.exitCode == 0, "\(sent.errorText)")
            let got = try folder.run(command + [origin.url("/binary?size=3000000", .https)])
            #expect(got.output.count == 3_000_000, "\(got.errorText)")
            let summary = try deck.stop().errorText
            #expect(summary.contains("3 tunnels passed through to \(place) ("), "\(summary)")
            #expect(summary.contains("0 exchanges recorded"))
            #expect(!folder.exists("cassettes/x.yaml"))
        }
    }

    @Test func `a blocked host is never contacted, in a tunnel or outside of one`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Cassettes.users, to: "cassettes/x.yaml")
        for mode in [["record", "x"], ["append", "x"], ["passthrough"], ["replay", "x"]] {
            let deck = try TapedeckProcess(folder, mode + ["--block", "*.localhost", "--block", "localhost"])
            let plain = try folder.curl(deck, "-i", "-d", "some text", origin.url("/json"))
            #expect(plain.outputText.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
            let place = "localhost:\(origin.port(.http))"
            #expect(plain.outputText.contains("X-Tapedeck-Reason: \(place) is blocked\r\n"))
            #expect(plain.outputText.contains(#""message": "Tapedeck does not contact \#(place): the host is blocked"#))
            let tunnel = try folder.curl(deck, "-w", "%{http_connect}", origin.url("/json", .https))
            #expect(tunnel.exitCode == 56)
            #expect(tunnel.outputText == "403")
            let summary = try deck.stop().errorText
            #expect(summary.contains("2 blocked, 0 connections opened upstream"), "\(summary)")
            #expect(summary.contains("1 request to \(place) blocked (block localhost)"))
        }
        #expect(try origin.requests().isEmpty)
    }

    @Test(.long) func `recorded answers play, in append and replay, though their host is passed through`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Cassettes.answering(origin.url("/json"), "from the tape"), to: "cassettes/x.yaml")
        for mode in ["append", "replay"] {
            // Without an option replay passes nothing to an origin on tape.
            for option in mode == "append" ? [["--except", "localhost"], []] : [["--except", "localhost"]] {
                let run = try self.tapedeck(
                    folder,
                    [mode, "x"] + option + ["--", "curl", "-sS", origin.url("/json"), origin.url("/chunked")]
                )
                #expect(run.exitCode == 0, "\(run.errorText)")
                #expect(run.outputText.hasPrefix("from the tape"), "\(run.outputText)")
                #expect(run.errorText.contains("1 request played"), "\(run.errorText)")
                #expect(run.errorText.contains("1 request passed through to localhost:"), "\(run.errorText)")
            }
            let hands = try self.tapedeck(
                folder,
                [mode, "x", "--passthrough", "localhost", "--", "curl", "-sS", origin.url("/json")]
            )
            #expect(hands.outputText.hasPrefix("{"), "\(hands.outputText)")
        }
        let cassette = try String(contentsOfFile: folder / "cassettes/x.yaml", encoding: .utf8)
        #expect(cassette.contains("from the tape"))
        #expect(!cassette.contains("chunked"))
    }

    @Test func `a session created to record forwards its clients' requests`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--block", "127.0.0.1")
        let control = try folder.control(deck)
        let (id, _) = try control.session(#"{"mode": "record", "cassettes": ["new"]}"#)
        let key = "X-Tapedeck-Session: \(id)"
        _ = try folder.curl(deck, "-H", key, origin.url("/json"))
        let blocked = try folder.curl(deck, "-i", "-H", key, "http://127.0.0.1:\(origin.port(.http))/json")
        #expect(blocked.outputText.hasPrefix("HTTP/1.1 403 "))
        let stopped = try control.get("DELETE", "/v1/sessions/\(id)/recording")
        #expect(stopped["exchanges"] as? Int == 1)
        let journal = try control.ask("GET", "/v1/sessions/\(id)/journal").text
        #expect(journal.contains("the host is blocked (block 127.0.0.1)"), "\(journal)")
        try deck.stop()
    }

    @Test func `a tunnel to an unreachable origin is refused and reported`() throws {
        let folder = try TestFolder()
        let deck = try TapedeckProcess(folder, ["record", "x", "--passthrough", "*"])
        let result = try folder.curl(deck, "-w", "%{http_connect}", "https://localhost:1/")
        #expect(result.outputText == "502")
        // Requests to the deck itself are not passed on either.
        let round = try folder.curl(deck, "-w", "%{http_connect}", "https://localhost:\(deck.port)/")
        #expect(round.outputText == "508")
        let summary = try deck.stop().errorText
        #expect(summary.contains("failed: CONNECT https://localhost:1/"), "\(summary)")
    }
}
