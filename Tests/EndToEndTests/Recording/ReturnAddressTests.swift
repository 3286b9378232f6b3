import Foundation
import TestShare
import Testing

/// Clients of a reverse listener and of base URLs, whose origin answers with its own address.
@Suite(.ownThreads) struct ReturnAddressTests {
    /// Redirects to itself by its own name, with a cookie that only its next answer shows.
    private static let origin = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                host = self.headers["Host"]
                body = b""
                if self.path == "/start":
                    self.send_response(302)
                    self.send_header("Location", f"http://{host}/end?a=1")
                    self.send_header("Link", f"<http://{host}/next>; rel=next")
                    self.send_header("Set-Cookie", "lang=de; Path=/; Secure; Domain=127.0.0.1")
                else:
                    self.send_response(200)
                    body = f"{self.path} {self.headers.get('Cookie')}".encode()
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private static func follow(_ url: String) -> [String] {
        let follow = "curl -q -sS -L --noproxy '*' -c jar -b jar -w '|%{num_redirects}|%{url_effective}|' \"\(url)\""
        return ["--", "sh", "-c", "rm -f jar; \(follow); curl -q -sS --noproxy '*' -D - -o /dev/null \"\(url)\""]
    }

    @Test func `a reverse listener's client stays at the deck, live and in replay`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.origin)
        let command = Self.follow("$TAPEDECK_BASE_URL/start")
        let live = try folder.tapedeck(["record", "x", "--reverse", url, "--port", "0"] + command)
        #expect(live.exitCode == 0, "\(live.errorText)")
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains("Location: \(url)/end?a=1") && tape.contains("Secure; Domain=127.0.0.1"), "\(tape)")
        #expect(tape.contains("url: \(url)/end?a=1"))
        try origin.stopOrigin()
        let played = try folder.tapedeck(["replay", "x", "--no-local", "--reverse", url, "--port", "0"] + command)
        #expect(played.exitCode == 0, "\(played.errorText)")
        for text in [live.outputText, played.outputText] {
            let parts = text.split(separator: "|")
            #expect(parts[0] == "/end?a=1 lang=de" && parts[1] == "1", "\(text)")
            let base = parts[2].dropLast("/end?a=1".count)
            #expect(parts[2].hasSuffix("/end?a=1") && base != url, "\(text)")
            #expect(parts[3].contains("Location: \(base)/end?a=1\r\n"), "\(text)")
            #expect(parts[3].contains("Link: <\(base)/next>; rel=next\r\n"), "\(text)")
            #expect(parts[3].contains("Set-Cookie: lang=de; Path=/\r\n"), "\(text)")
        }
        let kept = try folder.tapedeck(
            ["replay", "x", "--no-local", "--no-rewrite", "--reverse", url, "--port", "0", "--allow-unused"] + [
                "--", "sh", "-c", "curl -q -sS --noproxy '*' -D - -o /dev/null \"$TAPEDECK_BASE_URL/start\"",
            ]
        )
        #expect(kept.outputText.contains("Location: \(url)/end?a=1\r\n"), "\(kept.outputText)")
    }

    @Test func `a base URL's client stays below it`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.origin)
        let path = "/.tapedeck/default/http/\(url.dropFirst("http://".count))"
        let command = Self.follow("$TAPEDECK_PROXY\(path)/start")
        let live = try folder.tapedeck(["record", "x", "--loopback"] + command)
        #expect(live.exitCode == 0, "\(live.errorText)")
        try origin.stopOrigin()
        let played = try folder.tapedeck(["replay", "x", "--no-local"] + command)
        for text in [live.outputText, played.outputText] {
            let parts = text.split(separator: "|")
            #expect(parts[0] == "/end?a=1 lang=de" && parts[1] == "1", "\(text)")
            #expect(parts[2].hasSuffix("\(path)/end?a=1"), "\(text)")
            #expect(parts[3].contains("Set-Cookie: lang=de; Path=\(path)/\r\n"), "\(text)")
        }
    }
}
