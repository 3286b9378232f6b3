import Foundation
import TestShare
import Testing

/// Origins that are silent for long, as models that think and long polls are.
@Suite(.ownThreads) struct SilenceTests {
    /// An origin that answers a request after a number of seconds, which its path says.
    private static let origin = """
        import http.server, socketserver, sys, time
        class Slow(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                time.sleep(float(self.path[1:]))
                self.send_response(200)
                self.send_header("Content-Length", "4")
                self.end_headers()
                self.wfile.write(b"late")
            def log_message(self, *arguments): pass
        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
        server = Server(("127.0.0.1", 0), Slow)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test(.long) func `a recording waits as long as the client does`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.origin)
        let command = ["--", "curl", "-q", "-sS", "\(url)/65"]
        let recorded = try folder.start(Tapedeck.command(["record", "slow", "--loopback"] + command)).result(
            within: 180
        )
        #expect(recorded.exitCode == 0, "\(recorded.errorText)")
        #expect(recorded.outputText == "late")
        try origin.stopOrigin()
        let played = try folder.tapedeck(["replay", "slow", "--no-local"] + command)
        #expect(played.outputText == "late", "\(played.errorText)")
    }

    @Test func `a limit is named in the failure`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.origin)
        let arguments = [
            "record", "slow", "--loopback", "--read-timeout", "1", "--", "curl", "-q", "-sS", "\(url)/600",
        ]
        let recorded = try folder.tapedeck(arguments)
        #expect(recorded.exitCode == 69, "\(recorded.errorText)")
        #expect(recorded.errorText.contains("no byte came for 1 s (--read-timeout)"), "\(recorded.errorText)")
        try origin.stopOrigin()
    }
}
