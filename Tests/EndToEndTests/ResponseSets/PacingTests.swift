import Foundation
import TestShare
import Testing

/// The time and speed of answers. No test here reads a clock: they check the order, and that everything arrives.
@Suite(.ownThreads) struct PacingTests {
    /// One set that is requested first and takes an hour, and one that shows whether the other was requested, and
    /// answers at once.
    private static func slowAndFast(top: String, slow: String, fast: String = "") -> String {
        """
        tapedeck: 1
        \(top)
        responseSets:
          - name: slow
            request: { url: http://a.example/slow }
            sets: { asked: 'yes' }
            variants:
              - name: ok
                takes: [{ status: 200, body: { text: slow } }]
                \(slow)
          - name: fast
            request: { url: http://a.example/fast }
            variants:
              - name: ok
                template: true
                takes: [{ status: 200, body: { text: 'asked: {{state.asked}}' } }]
                \(fast)

        """
    }

    /// Asks for the slow answer, and then for the fast one until the deck has had both requests.
    private static func expectOrder(
        _ played: PlayedCassette,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let slow = try played.folder.start(Curl.through(played.deck) + ["http://a.example/slow"])
        while try played.ask("http://a.example/fast") != "asked: yes" {
            try #require(!slow.hasEnded, sourceLocation: sourceLocation)
        }
        // A deck that stops waits for no delay.
        try played.stop()
        let result = try slow.result()
        #expect(result.outputText == "slow", "\(result.errorText)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "1h", "{ uniform: [50m, 1h] }", "{ normal: 50m, deviation: 1s }", "{ logNormal: 50m, sigma: 0.01 }",
    ])
    func `a fast answer is done while a slow one waits`(_ delay: String) throws {
        try Self.expectOrder(PlayedCassette(Self.slowAndFast(top: "", slow: "delay: \(delay)")))
    }

    @Test func `a recorded answer takes its recorded time, times a factor`() throws {
        let recorded = Self.slowAndFast(top: "", slow: "delay: { recorded: 900 }")
            .replacing(
                "text: slow } }]",
                with: "text: slow }, recorded: '2026-01-01T00:00:00Z, answered in 4000 ms' }]"
            )
        try Self.expectOrder(PlayedCassette(recorded))
    }

    @Test func `the delay of a cassette applies to all answers without their own`() throws {
        try Self.expectOrder(PlayedCassette(Self.slowAndFast(top: "delay: 1h", slow: "", fast: "delay: 0")))
    }

    @Test func `the command line has a delay for cassettes without one`() throws {
        let cassette = Self.slowAndFast(top: "", slow: "", fast: "delay: 0")
        try Self.expectOrder(PlayedCassette(cassette, "--delay", "1h"))
    }

    @Test(.long) func `a fault can come late, too`() throws {
        let cassette = PlayedCassette.variants("- { name: late, fault: connectionReset, delay: 1h }")
        let played = try PlayedCassette(cassette)
        let connection = try RawConnection(port: played.deck.port)
        connection.send("GET \(PlayedCassette.url) HTTP/1.1\r\nHost: a.example\r\n\r\n")
        let impatient = try played.ask("--max-time", "1", PlayedCassette.url)
        #expect(impatient == "curl 28")
        try played.stop()
        #expect(try connection.readToEnd() == "")
    }

    @Test(.long) func `a client that leaves during a delay leaves nothing behind`() throws {
        let played = try PlayedCassette(Self.slowAndFast(top: "", slow: "delay: 1h"))
        #expect(try played.ask("--max-time", "1", "http://a.example/slow") == "curl 28")
        #expect(try played.ask("http://a.example/fast") == "asked: yes")
        #expect(try played.stop().contains("2 requests played, 0 unmatched"))
    }

    @Test(
        arguments: some(of: [
            "dribble: { pieces: 7, over: 200ms }", "bandwidth: 2 MB/s",
            "bandwidth: 4 MB/s\n  dribble: { pieces: 3, over: 50ms }",
        ]),
        [false, true]
    )
    func `a dribbled or throttled body is equal to the last byte`(_ pacing: String, isChunked: Bool) throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let folder = try TestFolder()
        try folder.write(body, to: "cassettes/x/body.bin")
        let headers = isChunked ? "headers: { Transfer-Encoding: chunked }, " : ""
        let played = try PlayedCassette(
            PlayedCassette.variants(
                "- name: slow\n  takes: [{ status: 200, \(headers)body: { file: x/body.bin } }]\n  \(pacing)"
            ),
            in: folder
        )
        let result = try played.folder.run(Curl.through(played.deck) + [PlayedCassette.url])
        #expect(result.exitCode == 0, "\(result.errorText)")
        expectSame(result.output, body)
        try played.stop()
    }

    @Test(.long) func `the profile slow changes only the time of an answer`() throws {
        // With this seed the answer comes after little more than the one second that `slow` takes at least.
        let options = ["--profile", "slow", "--seed", "3"]
        let played = try PlayedCassette(PlayedCassette.variants("- { name: ok, empty: 418 }"), options: options)
        #expect(try played.ask(PlayedCassette.url) == "418")
        #expect(try played.stop().contains("seed "))
        let explained = try played.folder.tapedeck("explain", "x", "get", PlayedCassette.url, "--profile", "slow")
        #expect(explained.outputText.contains("slow (built in)"), "\(explained.outputText)")
    }
}
