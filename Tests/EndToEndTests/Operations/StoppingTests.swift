import Foundation
import TestShare
import Testing

/// A deck stops on request in any state, and saves what is finished. The container's tests measure the time, on an idle
/// machine.
@Suite(.ownThreads) struct StoppingTests {
    /// Has a deck stop, and checks how it ended.
    private static func stop(_ deck: TapedeckProcess, exitCode: Int32 = 0) throws -> Program.Result {
        deck.program.send(SIGTERM)
        let result = try deck.program.result()
        #expect(result.exitCode == exitCode, "\(result.errorText)")
        return result
    }

    @Test(.long) func `a hanging request does not prevent saving finished ones`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(
            """
            tapedeck: 1
            responseSets:
              - name: hanging
                request: { method: GET, url: http://hang.test/ }
                variants: [{ name: a, fault: hang }]
              - name: large
                request: { method: GET, url: http://large.test/ }
                variants: [{ name: a, takes: [{ status: 200, body: { file: played/large.bin } }] }]

            """,
            to: "cassettes/played.yaml"
        )
        // More than the buffers of two sockets hold.
        try folder.write(Data(count: 64 << 20), to: "cassettes/played/large.bin")
        let deck = try folder.serve("serve", "played", "--loopback")
        let control = try folder.control(deck)
        let (recording, _) = try control.session(#"{"mode": "record", "cassettes": ["taped"]}"#)
        try folder.curl(deck, "-H", "X-Tapedeck-Session: \(recording)", origin.url("/json"))

        // A take that never comes, a client that never reads, an origin that never answers, a client that sends
        // nothing, half a request, a held request, and a client that follows events.
        let hanging = try RawConnection(port: deck.port)
        hanging.send("GET http://hang.test/ HTTP/1.1\r\nHost: hang.test\r\n\r\n")
        let deaf = try RawConnection(port: deck.port)
        deaf.send("GET http://large.test/ HTTP/1.1\r\nHost: large.test\r\n\r\n")
        let waiting = try RawConnection(port: deck.port)
        waiting.send(
            "GET \(origin.url("/slow-chunks?n=1&key=never")) HTTP/1.1\r\nHost: a\r\n"
                + "X-Tapedeck-Session: \(recording)\r\n\r\n"
        )
        _ = try waiting.read(through: "\r\n\r\n")
        let idle = try RawConnection(port: deck.port)
        let half = try RawConnection(port: deck.port)
        half.send("POST http://large.test/ HTTP/1.1\r\nHost: large.test\r\nContent-Length: 10\r\n\r\nabc")
        let (holding, _) = try control.session(#"{"cassettes": ["played"]}"#)
        let holder = #"{"request": {"host": "held.test"}, "hold": true}"#
        try control.get("PUT", "/v1/sessions/\(holding)/added/hold", holder)
        let held = try RawConnection(port: deck.port)
        held.send("GET http://held.test/ HTTP/1.1\r\nHost: held.test\r\nX-Tapedeck-Session: \(holding)\r\n\r\n")
        try control.get("GET", "/v1/sessions/\(holding)/held?within=40s")
        let port = try #require(Int(control.url.split(separator: ":").last ?? ""))
        let watching = try RawConnection(port: port)
        watching.send("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        _ = try watching.read(through: "\r\n\r\n")

        _ = try Self.stop(deck)
        #expect(try folder.read("cassettes/taped.yaml").contains("/json"))
        #expect(!folder.exists("cassettes/taped.yaml.journal"))
        withExtendedLifetime((hanging, deaf, idle, half, held, watching)) {}
    }

    @Test func `requests in flight are finished and recorded, and new clients are refused`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("record", "taped")
        let client = try RawConnection(port: deck.port)
        client.send("GET \(origin.url("/slow-chunks?n=2&key=s")) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        let idle = try RawConnection(port: deck.port)
        deck.program.send(SIGTERM)
        // Idle ones go first of all: from here on the deck is stopping.
        _ = try idle.readToEnd()
        #expect(!RawConnection.isOpen(port: deck.port))
        try folder.run(Curl.direct(origin) + ["-X", "POST", origin.url("/_go?n=2&key=s")])
        #expect(try client.readToEnd().hasSuffix("0\r\n\r\n"))
        let result = try deck.program.result()
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(try folder.read("cassettes/taped.yaml").contains("/slow-chunks"))
    }

    @Test(.long) func `without a grace nothing is waited for`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("passthrough", "--grace", "0")
        let client = try RawConnection(port: deck.port)
        client.send("GET \(origin.url("/slow-chunks?n=1&key=n")) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        // A wait would be reported as late.
        let result = try Self.stop(deck)
        #expect(!result.errorText.contains("took too long"), "\(result.errorText)")
        for grace in ["-1", "4000", "soon"] {
            #expect(try folder.tapedeck("passthrough", "--grace", grace).exitCode == 64)
        }
    }

    @Test(.long) func `every one of two hundred sessions is saved`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let deck = try folder.serve("serve", "--loopback")
        let control = try folder.control(deck)
        let script = """
            import sys, urllib.request, json
            control, proxy, origin = sys.argv[1:]
            plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            through = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
            for number in range(200):
                body = json.dumps({"mode": "record", "cassettes": ["taped-%d" % number]}).encode()
                ask = urllib.request.Request(control + "/v1/sessions", body, {"Content-Type": "application/json"})
                session = json.load(plain.open(ask))["id"]
                ask = urllib.request.Request(origin, headers={"X-Tapedeck-Session": session})
                through.open(ask).read()
            """
        let made = try folder.run(["python3", "-c", script, control.url, deck.url, origin.url("/json")])
        #expect(made.exitCode == 0, "\(made.errorText)")
        _ = try Self.stop(deck)
        let saved = try folder.names(in: "cassettes")
        #expect(saved.count == 200, "\(saved.filter { !$0.hasSuffix(".yaml") })")
        #expect(saved.allSatisfy { $0.hasSuffix(".yaml") })
    }
}
