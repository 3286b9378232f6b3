import Foundation
import Testing

/// The places for `--streams`, and their precedence. No test here reads a clock: an hour would never end.
@Suite(.ownThreads) struct StreamTests {
    /// A stream whose second event comes in an hour.
    private static func stream(top: String = "") -> String {
        """
        tapedeck: 1
        \(top)
        responseSets:
          - name: stream
            request: { url: http://a.example/stream }
            variants:
              - name: ok
                takes:
                  - status: 200
                    headers: { Content-Type: text/event-stream }
                    pieces: { cut: events, every: 1h }
                    body: { text: "data: 1\\n\\ndata: 2\\n\\n" }

        """
    }

    private static let events = "data: 1\n\ndata: 2\n\n"

    private static func replay(_ top: String, _ options: String...) throws -> Program.Result {
        let folder = try TestFolder()
        try folder.write(Self.stream(top: top), to: "cassettes/x.yaml")
        return try folder.tapedeck(
            ["replay", "x"] + options + ["--", "curl", "-sS", "--max-time", "60", "http://a.example/stream"]
        )
    }

    @Test func `a stream plays at once, unless the cassette or the command line sets a pace`() throws {
        #expect(try Self.replay("").outputText == Self.events)
        #expect(try Self.replay("streams: instant").outputText == Self.events)
        #expect(try Self.replay("streams: recorded", "--streams", "instant").outputText == Self.events)
    }

    @Test func `a stream in recorded time has its first event at once and the next when it is due`() throws {
        for (top, options) in [("", ["--streams", "recorded"]), ("streams: 0.5x", [])] {
            let folder = try TestFolder()
            try folder.write(Self.stream(top: top), to: "cassettes/x.yaml")
            // The command leaves once it has the first event, long before the second.
            let command = """
                curl -sSN http://a.example/stream > out & curl=$!
                until grep -q 'data: 1' out; do :; done
                kill $curl; wait $curl; cat out
                """
            let result = try folder.tapedeck(["replay", "x"] + options + ["--", "sh", "-c", command])
            #expect(result.outputText == "data: 1\n\n", "\(result.errorText)")
        }
    }

    @Test func `an invalid pace is refused before anything starts`() throws {
        let result = try Self.replay("", "--streams", "slow")
        #expect(result.exitCode != 0)
        #expect(
            result.errorText.contains(
                #"cannot pace streams: "slow" is none of instant, recorded and a multiple of it such as 0.5x"#
            )
        )
    }
}
