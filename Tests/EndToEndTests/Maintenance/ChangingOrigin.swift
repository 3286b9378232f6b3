import Foundation

/// An origin whose answer for each path a test can change.
final class ChangingOrigin: Sendable {
    /// One answer. Of several for one path the first is removed after use.
    struct Answer: Encodable {
        var status = 200
        var headers = ["Content-Type": "application/json"]
        var body: String

        init(_ body: String, status: Int = 200, headers: [String: String] = [:]) {
            self.body = body
            self.status = status
            self.headers.merge(headers) { $1 }
        }
    }

    let base: String
    private let program: Program
    private let folder: TestFolder

    init(in folder: TestFolder) throws {
        self.folder = folder
        self.program = try folder.start(Program.python + ["-c", Self.script], input: nil)
        let port = try self.program.waitForOutput("the origin's port") { text in
            text.contains("\n") ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
        }
        self.base = "http://127.0.0.1:\(port)"
    }

    deinit {
        self.program.closeInput()
    }

    func stop() throws {
        self.program.closeInput()
        try self.program.result()
        self.folder.holdPort(of: self.base)
    }

    func answer(_ path: String, _ answers: Answer...) throws {
        let encoder = JSONEncoder()
        // So that the header fields of one answer have one order.
        encoder.outputFormatting = .sortedKeys
        let body = String(decoding: try encoder.encode(answers), as: UTF8.self)
        try self.curl(["-X", "PUT", "--data-binary", body, self.base + path])
    }

    /// The requests it has seen, each as `METHOD path` with the value of `X-Api-Key` behind it, if there was one.
    func requests() throws -> [String] {
        try self.curl(["-X", "SEEN", self.base]).split(separator: "\n").map(String.init)
    }

    @discardableResult
    private func curl(_ arguments: [String]) throws -> String {
        let result = try self.folder.run(["curl", "-q", "-sS", "--noproxy", "*"] + arguments)
        guard result.exitCode == 0 else { throw Program.Failure(description: "origin: \(result.errorText)") }
        return result.outputText
    }

    private static let script = """
        import http.server, json, sys, threading
        answers, seen = {}, []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *rest): pass
            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.command == "PUT":
                    answers[self.path] = json.loads(body)
                    return self.say({"status": 200, "body": ""})
                if self.command == "SEEN":
                    return self.say({"status": 200, "body": "\\n".join(seen)})
                seen.append(" ".join([self.command, self.path] + self.headers.get_all("X-Api-Key", [])))
                rest = answers.get(self.path, [{"status": 404, "body": ""}])
                self.say(rest.pop(0) if len(rest) > 1 else rest[0])
            def say(self, answer):
                data = answer["body"].encode()
                self.send_response_only(answer["status"])
                for name, value in answer.get("headers", {}).items(): self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(data)
            do_GET = do_HEAD = do_POST = do_PUT = do_SEEN = do
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """
}
