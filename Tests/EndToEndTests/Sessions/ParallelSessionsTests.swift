import Foundation
import TestShare
import Testing

/// Many tests at once on one deck.
@Suite(.ownThreads) struct ParallelSessionsTests {
    private struct Outcome: Decodable {
        var answers: Int
        var wrong: [[JSONText]]
        var problems: [[JSONText]]
        /// The counts of the sessions' reports, each number once.
        var played: [Int]
        var unmatched: Int
        var connectionsOpened: Int
    }

    /// A number or a string, only to be shown.
    private struct JSONText: Decodable, CustomStringConvertible {
        var description: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self.description = try (try? value.decode(String.self)) ?? "\(value.decode(Int.self))"
        }
    }

    private static let sessions = rounds(200)
    private static let requests = 20

    /// One response set with a variant for each session, for any host.
    private static var cassette: String {
        let variants = (0..<self.sessions).map { number in
            """
                  - name: variant \(number)
                    takes: [{ status: 200, body: { text: variant \(number) } }]
            """
        }
        return """
            tapedeck: 1
            responseSets:
              - name: who
                request: { method: GET, url: /who }
                variants:
            \(variants.joined(separator: "\n"))

            """
    }

    @Test func `sessions at once get their own answers, whichever way they name themselves`() throws {
        let folder = try TestFolder()
        try folder.write(Self.cassette, to: "cassettes/who.yaml")
        let deck = try folder.serve("replay", "who")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "sessions.py").path
        let numbers = ["\(Self.sessions)", "\(Self.requests)"]
        let result = try folder.run(
            ["python3", script, try #require(deck.controlURL), "\(deck.port)", deck.authorityPath] + numbers
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        let outcome = try JSONDecoder().decode(Outcome.self, from: result.output)
        #expect(outcome.wrong.isEmpty, "\(outcome.wrong)")
        #expect(outcome.problems.isEmpty, "\(outcome.problems)")
        #expect(outcome.answers == Self.sessions * Self.requests)
        #expect(outcome.played == [Self.requests])
        #expect(outcome.unmatched == 0)
        #expect(outcome.connectionsOpened == 0)
        // None of them went to the default session.
        let report = try folder.control(deck).get("GET", "/v1/sessions/default/report")
        #expect(report["played"] as? Int == 0)
        try deck.stop()
    }
}
