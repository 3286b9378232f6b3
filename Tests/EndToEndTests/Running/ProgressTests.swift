import Foundation
import Testing

/// The progress of long work at a terminal.
@Suite(.ownThreads) struct ProgressTests {
    @Test func `long work shows how much of it is done`() throws {
        let folder = try TestFolder()
        let silent = try SilentPort()
        defer { withExtendedLifetime(silent) {} }
        let set = """
              - name: NAME
                request: { url: URL/NAME }
                variants:
                  - name: recorded
                    takes:
                      - status: 200
                        recorded: 2026-10-01T10:00:00Z

            """.replacing("URL", with: silent.url)
        let sets = ["a", "b"].map { set.replacing("NAME", with: $0) }.joined()
        try folder.write("tapedeck: 1\nresponseSets:\n\(sets)", to: "cassettes/live.yaml")
        let program = try folder.start(PseudoTerminal.command([Tapedeck.path, "drift", "live"]))
        try program.waitForOutput("its progress") { $0.contains("asking again, 0 of 2, ") ? true : nil }
        // The terminal goes away, and the command with it.
        program.send(SIGTERM)
        #expect(try program.result().exitCode == 143)
    }
}
