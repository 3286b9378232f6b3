import Foundation
import TestShare
import Testing

/// Replays in which nobody waits.
@Suite(.ownThreads) struct FastReplayTests {
    /// A job that runs for some polls, a resource that a POST changes, and a limit.
    private static let origin = """
        import http.server, json, sys
        counts, items = {}, []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self, status, body, *fields):
                text = json.dumps(body).encode()
                self.send_response(status)
                for name, value in fields: self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def do_GET(self):
                count = counts[self.path] = counts.get(self.path, 0) + 1
                if self.path == "/job":
                    if count < 40: return self.answer(200, {"status": "running"}, ("Retry-After", "60"))
                    if count < 50: return self.answer(200, {"status": "running", "percent": count})
                    return self.answer(200, {"status": "done"})
                if self.path == "/limited" and count == 1:
                    return self.answer(429, {}, ("Retry-After", "60"), ("retry-after-ms", "60000"))
                if self.path == "/azure":
                    return self.answer(200, {}, ("Retry-After", "60"), ("x-ms-request-id", "1"))
                self.answer(200, items)
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                items.append(len(items))
                self.answer(201, items[-1])
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Polls, waits as it is told (in tenths of a second while `LIVE` is set), and asks for the items twice around a POST.
    private static let program = """
        import json, os, sys, time, urllib.error, urllib.request
        url, polls = sys.argv[1], 0
        def ask(path, data=None):
            try:
                with urllib.request.urlopen(urllib.request.Request(url + path, data)) as answer:
                    return answer.status, answer.headers, json.load(answer)
            except urllib.error.HTTPError as error:
                return error.code, error.headers, None
        def wait(fields):
            if "LIVE" not in os.environ: time.sleep(int(fields.get("Retry-After", 0)))
        while True:
            status, fields, body = ask("/job")
            polls += 1
            if body["status"] == "done": break
            wait(fields)
        status, fields, body = ask("/limited")
        wait(fields)
        print(status, ask("/limited")[0], [ask("/items")[2] for _ in range(2)], ask("/items", b"x")[2], ask("/items")[2])
        print(polls, fields.get("retry-after-ms"))
        fields = ask("/azure")[1]
        print(fields.get("Retry-After"), fields.get("retry-after-ms"))
        """

    @Test func `polls and waits of a minute take no time`() throws {
        let folder = try TestFolder()
        try folder.write(Self.program, to: "program.py")
        let (origin, url) = try folder.startOrigin(Self.origin)
        let command = ["--"] + Program.python + ["program.py", url]
        let live = try folder.tapedeck(["record", "x", "--loopback"] + command, environment: ["LIVE": "yes"])
        #expect(live.exitCode == 0, "\(live.errorText)")
        let lines = live.outputText.split(separator: "\n")
        #expect(lines == ["429 200 [[], []] 0 [0]", "50 60000", "60 None"], "\(live.outputText)")
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains("times: 39\n") && tape.contains("times: 2\n"), "\(tape)")
        try origin.stopOrigin()
        // As recorded, if nobody waits.
        let plain = try folder.tapedeck(["replay", "x", "--no-local"] + command, environment: ["LIVE": "yes"])
        #expect(plain.outputText == live.outputText, "\(plain.errorText)")
        let fast = try folder.tapedeck(["replay", "x", "--no-local", "--fast"] + command)
        #expect(fast.exitCode == 0, "\(fast.errorText)")
        #expect(fast.outputText.split(separator: "\n") == [lines[0], "2 0", "None 1"], "\(fast.outputText)")
        let journal = try folder.tapedeck(
            ["replay", "x", "--no-local", "--allow-unused", "--", "sh", "-c"] + [
                "curl -q -sS \(url)/limited; '\(Tapedeck.path)' journal"
            ],
            environment: ["TAPEDECK_FAST": "1"]
        )
        let note = "shortened by --fast: Retry-After: 60, retry-after-ms: 60000"
        #expect(journal.outputText.contains(note), "\(journal.outputText) \(journal.errorText)")
    }
}
