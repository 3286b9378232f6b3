import Foundation
import TestShare
import Testing

/// Output at a terminal.
@Suite(.ownThreads) struct TerminalTests {
    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        let long = Cassettes.users.replacing("/users", with: "/users/\(String(repeating: "long/", count: 30))")
        try folder.write(long, to: "cassettes/lab.yaml")
        return folder
    }

    @Test func `a table fits the terminal, and is complete without one`() throws {
        let folder = try self.folder()
        let whole = try folder.run([Tapedeck.path, "show", "lab"]).outputText
        #expect(whole.contains(String(repeating: "long/", count: 30)))
        #expect(!whole.contains("\u{1B}"))
        let shown = try folder.run(
            PseudoTerminal.command(columns: 60, [Tapedeck.path, "show", "lab"]),
            environment: ["NO_COLOR": "1"]
        )
        #expect(shown.outputText.contains("…"), "\(shown.outputText)")
        for line in shown.outputText.split(whereSeparator: \.isNewline) { #expect(line.count <= 60, "\(line)") }
        let told = try folder.run(
            PseudoTerminal.command(columns: 60, [Tapedeck.path, "show", "lab"]),
            environment: ["NO_COLOR": "1", "COLUMNS": "500"]
        )
        #expect(!told.outputText.contains("…"), "\(told.outputText)")
    }

    @Test func `colours appear on a terminal, and never without one or if disabled`() throws {
        let folder = try self.folder()
        let wrong = [Tapedeck.path, "show", "no-such-cassette"]
        func atTerminal(_ environment: [String: String]) throws -> String {
            try folder.run(PseudoTerminal.command(wrong), environment: environment).outputText
        }
        #expect(try atTerminal(["TERM": "xterm"]).contains("\u{1B}[31mtapedeck:\u{1B}[0m "))
        #expect(try !atTerminal(["TERM": "xterm", "NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try !atTerminal(["TERM": "dumb"]).contains("\u{1B}"))
        #expect(try !folder.run(wrong, environment: ["TERM": "xterm"]).errorText.contains("\u{1B}"))
    }

    @Test(.long) func `long work shows one progress line on a terminal`() throws {
        let folder = try TestFolder()
        // Answers once a file is there.
        let script = """
            import http.server, os, time
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    while not os.path.exists("go"): time.sleep(0.05)
                    self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let server = try folder.start(["python3", "-c", script])
        defer { server.send(SIGKILL) }
        let port = try server.waitForOutput("its port") { $0.firstMatch(of: #/(\d+)\n/#).map { String($0.1) } }
        let cassette = Cassettes.answering("http://127.0.0.1:\(port)/", "ada")
            .replacing(
                "- status: 200",
                with: "- recorded: 2026-01-01T00:00:00Z, answered in 12 ms\n            status: 200"
            )
        try folder.write(cassette, to: "cassettes/lab.yaml")
        let drift = try folder.start(PseudoTerminal.command([Tapedeck.path, "drift", "lab"]))
        try drift.waitForOutput("its progress") { $0.contains("asking again, 0 of 1, 2 s") ? () : nil }
        try folder.write("", to: "go")
        let shown = try drift.result().outputText
        #expect(shown.contains("\r\u{1B}[Ktapedeck: asking again, 0 of 1, 2 s"), "\(shown)")
        let redrawn = shown.components(separatedBy: "asking again").count - 1
        #expect(shown.components(separatedBy: "\r\u{1B}[K").count - 1 > redrawn - 1, "\(shown)")
    }

    @Test func `JSON is the same with and without a terminal`() throws {
        let folder = try self.folder()
        let plain = try folder.run([Tapedeck.path, "show", "lab", "--json"]).outputText
        let shown = try folder.run(PseudoTerminal.command(columns: 40, [Tapedeck.path, "show", "lab", "--json"]))
        #expect(shown.outputText.replacing("\r\n", with: "\n") == plain)
    }
}
