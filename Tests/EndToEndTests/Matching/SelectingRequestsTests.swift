import Foundation
import TestShare
import Testing

/// Answers that depend on header fields, and requests that Tapedeck answers by itself.
@Suite(.ownThreads) struct SelectingRequestsTests {
    /// Two users, whose data the origin tells by their tokens.
    private static func script(_ url: String) -> [String] {
        let users = [("bob", "zz/me"), ("ada", "zz/me"), ("ada", "items"), ("bob", "items")]
        let tokens = ["bob": "tok_b0b4f19c3e7d5a8b2c6d", "ada": "tok_ada7e2c9b4d6f8a1c3e5"]
        let calls = users.map { user, path in
            "echo \(user)/\(path):; curl -q -sS -H 'Authorization: Bearer \(tokens[user] ?? "")' \(url)/\(path)?user; echo"
        }
        return ["sh", "-c", calls.joined(separator: "; ")]
    }

    /// Answers with the data of the user of a token.
    private static let origin = """
        import sys
        from http.server import BaseHTTPRequestHandler, HTTPServer
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                user = "bob" if "b0b" in self.headers.get("Authorization", "") else "ada"
                body = f"data of {user} at {self.path.split('?')[0]}".encode()
                self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
                self.wfile.write(body)
        server = HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test func `two users get each their own data, whichever comes first`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.origin)
        let script = Self.script(url)
        let live = try folder.tapedeck(["record", "x", "--loopback", "--"] + script)
        #expect(live.exitCode == 0, "\(live.errorText)")
        // One of them again: whose answer it is the tape cannot tell, so that no answer may go.
        let notes = try ["tok_ada7e2c9b4d6f8a1c3e5", "tok_b0b4f19c3e7d5a8b2c6d"].map { token in
            let curl = ["curl", "-q", "-sS", "-H", "Authorization: Bearer \(token)", "\(url)/zz/me?user"]
            let again = try folder.tapedeck(["record", "x", "--loopback", "--"] + curl)
            #expect(again.exitCode == 0)
            return again.errorText
        }
        #expect(notes.joined().contains("kept 1 response set of several users"), "\(notes)")
        #expect(notes.joined().contains("are the variant \"unknown user\""), "\(notes)")
        try origin.stopOrigin()
        let replay = try folder.tapedeck(["replay", "x", "--no-local", "--"] + script)
        #expect(replay.exitCode == 0, "\(replay.errorText)")
        #expect(replay.outputText == live.outputText)
    }

    @Test(arguments: ["", "redact: { rules: [{ environment: ADA }, { environment: BOB }] }\n"])
    func `tokens from variables are known in any order, and no other user gets an answer`(project: String) throws {
        let folder = try TestFolder()
        if !project.isEmpty { try folder.write(project, to: "tapedeck.yaml") }
        let (origin, url) = try folder.startOrigin(Self.origin)
        func script(_ tokens: String...) -> [String] {
            let calls = tokens.map { "curl -q -sS -H 'Authorization: Bearer \($0)' \(url)/me; echo" }
            return ["sh", "-c", calls.joined(separator: "; ")]
        }
        let recorded = ["BOB": "word-b0b-token", "ADA": "word-ada-token"]
        let live = try folder.tapedeck(
            ["record", "x", "--loopback", "--"] + script("word-b0b-token", "word-ada-token"),
            environment: recorded
        )
        #expect(live.exitCode == 0, "\(live.errorText)")
        try origin.stopOrigin()
        let others = ["BOB": "second-token-1", "ADA": "second-token-2"]
        func replay(_ tokens: [String], _ variables: [String: String]) throws -> Program.Result {
            let command = ["sh", "-c"] + [tokens.map { script($0)[2] }.joined(separator: "; ")]
            return try folder.tapedeck(["replay", "x", "--no-local", "--"] + command, environment: variables)
        }
        let reversed = try replay(["second-token-2", "second-token-1"], others)
        #expect(reversed.outputText == "data of ada at /me\ndata of bob at /me\n", "\(reversed.errorText)")
        let third = try replay(["second-token-3"], others)
        #expect(third.exitCode == 70)
        // Without the variables the first unknown token is the first one's of the recording.
        let unknown = try replay(["a-token", "b-token", "c-token"], [:])
        #expect(unknown.exitCode == 70)
        #expect(unknown.outputText.hasPrefix("data of bob at /me\ndata of ada at /me\n"), "\(unknown.outputText)")
        #expect(unknown.errorText.contains("another user"), "\(unknown.errorText)")
        #expect(!unknown.outputText.contains("all conditions"))
    }

    /// Answers with a digest of the token, and issues tokens to those who log in.
    private static let manyUsers = """
        import hashlib, sys
        from http.server import BaseHTTPRequestHandler, HTTPServer
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                token = self.headers.get("Authorization", "")
                if self.path.startswith("/login/"):
                    name = self.path.split("/")[2].encode()
                    body = b'{"access_token": "' + hashlib.sha256(name).hexdigest()[:40].encode() + b'"}'
                else: body = hashlib.sha256((token + self.path).encode()).hexdigest()[:8].encode()
                self.send_response(200); self.send_header("Content-Length", str(len(body)))
                if self.path.startswith("/login/"): self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body)
        server = HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    private static func ask(_ url: String, _ path: String, _ token: String) -> String {
        "curl -q -sS -H 'Authorization: Bearer \(token)' \(url)\(path); echo"
    }

    @Test func `any number of users with variables get each their own data`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.manyUsers)
        let tokens = (1...5).map { "token-of-user-\($0)" }
        let variables = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ("USER_\($0)", $1) })
        func run(_ mode: [String], _ tokens: [String]) throws -> [Substring] {
            let script = tokens.map { Self.ask(url, "/me", $0) }.joined(separator: "; ")
            let result = try folder.tapedeck(mode + ["--", "sh", "-c", script], environment: variables)
            #expect(result.exitCode == 0, "\(result.errorText)")
            return result.outputText.split(separator: "\n")
        }
        let live = try run(["record", "x", "--loopback"], tokens)
        #expect(Set(live).count == 5)
        try origin.stopOrigin()
        #expect(try run(["replay", "x", "--no-local"], tokens.reversed()) == live.reversed())
        let other = Self.ask(url, "/me", "token-of-nobody")
        let nobody = try folder.tapedeck(
            ["replay", "x", "--no-local", "--", "sh", "-c", other],
            environment: variables
        )
        #expect(nobody.exitCode == 70)
    }

    @Test func `users keep their names when they are recorded again in another order`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.manyUsers)
        let admin = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        let user = "glpat-Ab3dE6gH9jK2mN5pQ8sT"
        func run(_ mode: [String], _ path: String, _ tokens: [String]) throws -> [Substring] {
            let script = tokens.map { Self.ask(url, path, $0) }.joined(separator: "; ")
            let result = try folder.tapedeck(mode + ["--", "sh", "-c", script])
            #expect(result.exitCode == 0, "\(result.errorText)")
            return result.outputText.split(separator: "\n")
        }
        let record = ["record", "x", "--loopback"]
        let live = try run(record, "/me", [admin, user])
        #expect(try run(record, "/me", [user, admin]) == live.reversed())
        let orders = try run(record, "/orders", [user, admin])
        try origin.stopOrigin()
        let replay = ["replay", "x", "--no-local", "--allow-unused"]
        #expect(try run(replay, "/me", [admin, user]) == live)
        #expect(try run(replay, "/me", [user, admin]) == live.reversed())
        #expect(try run(replay, "/orders", [admin, user]) == orders.reversed())
    }

    @Test func `a user whose login was played is no unknown one`() throws {
        let folder = try TestFolder()
        let (origin, url) = try folder.startOrigin(Self.manyUsers)
        func login(_ name: String) -> String {
            "\(name)=$(curl -q -sS \(url)/login/\(name) | cut -d'\"' -f4)"
        }
        func me(_ token: String) -> String { "curl -q -sS -H \"Authorization: Bearer \(token)\" \(url)/me; echo" }
        let script = [login("ada"), login("bob"), me("$ada"), me("$bob")].joined(separator: "; ")
        let live = try folder.tapedeck(["record", "x", "--loopback", "--", "sh", "-c", script])
        #expect(live.exitCode == 0, "\(live.errorText)")
        try origin.stopOrigin()
        let other = [login("ada"), login("bob"), me("$bob"), me("x-unknown-token"), me("$ada")].joined(separator: "; ")
        let replay = try folder.tapedeck(["replay", "x", "--no-local", "--", "sh", "-c", other])
        let (known, found) = (live.outputText.split(separator: "\n"), replay.outputText.split(separator: "\n"))
        #expect(found.first == known.last && found.last == known.first, "\(replay.outputText)")
        #expect(replay.exitCode == 70)
        #expect(!found.dropFirst().dropLast().contains { known.contains($0) })
    }

    @Test func `cookies select where the answer varies by them and differs`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url("/varied-by-cookies")
        func script(_ languages: String...) -> [String] {
            let calls = languages.map { language in
                "curl -q -sS -b 'lang=\(language); seen=yes' \(url); echo"
            }
            return ["sh", "-c", calls.joined(separator: "; ")]
        }
        let live = try folder.tapedeck(["record", "x", "--loopback", "--"] + script("de", "en"))
        #expect(live.exitCode == 0, "\(live.errorText)")
        let replay = try folder.tapedeck(["replay", "x", "--no-local", "--"] + script("en", "de"))
        #expect(replay.exitCode == 0, "\(replay.errorText)")
        let lines = live.outputText.split(separator: "\n")
        #expect(Set(lines).count == 2)
        #expect(replay.outputText.split(separator: "\n") == lines.reversed())
        #expect(try folder.tapedeck(["replay", "x", "--no-local", "--"] + script("fr")).exitCode == 70)
    }

    private static let allowed = """
        tapedeck: 1
        responseSets:
          - name: save
            request: { method: PUT, url: http://api.example.com/items }
            variants:
              - name: saved
                takes:
                  - status: 200
                    headers:
                      - Access-Control-Allow-Origin: http://app.example.com
                      - Access-Control-Allow-Credentials: 'true'

        """

    @Test func `a preflight that is not on tape gets what the answer permits`() throws {
        let folder = try TestFolder()
        try folder.write(Self.allowed, to: "cassettes/x.yaml")
        func ask(_ method: String, _ options: String...) throws -> Program.Result {
            let curl = [
                "curl", "-q", "-sSi", "-X", "OPTIONS", "-H", "Origin: http://app.example.com", "-H",
                "Access-Control-Request-Method: \(method)", "-H", "Access-Control-Request-Headers: x-a",
                "http://api.example.com/items",
            ]
            return try folder.tapedeck(["replay", "x"] + options + ["--"] + curl)
        }
        let permitted = try ask("PUT")
        #expect(permitted.exitCode == 0, "\(permitted.errorText)")
        for line in [
            "204 No Content", "Access-Control-Allow-Origin: http://app.example.com",
            "Access-Control-Allow-Methods: PUT",
            "Access-Control-Allow-Headers: x-a", "Access-Control-Allow-Credentials: true", "X-Tapedeck-Preflight: true",
        ] {
            #expect(permitted.outputText.contains(line), "\(line): \(permitted.outputText)")
        }
        let explained = try folder.tapedeck([
            "explain", "x", "OPTIONS", "http://api.example.com/items", "--header", "Origin: http://app.example.com",
            "--header", "Access-Control-Request-Method: PUT",
        ])
        #expect(explained.exitCode == 0)
        #expect(explained.outputText.contains(#"answered by "preflight of save" of x"#), "\(explained.outputText)")
        #expect(try ask("DELETE").exitCode == 70)
        #expect(try ask("PUT", "--no-preflights").exitCode == 70)
    }

    @Test func `an upload in the chunks of AWS's SDKs is recorded and compared by its content`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        func ask(_ mode: String, _ body: String) throws -> Program.Result {
            try folder.write(body.replacing("\n", with: "\r\n"), to: "body")
            let options = mode == "record" ? ["--loopback"] : ["--no-local"]
            return try folder.tapedeck(
                [mode, "x"] + options + [
                    "--", "curl", "-q", "-sS", "-X", "PUT", "-H", "Content-Encoding: aws-chunked", "-H",
                    "Content-Type: text/plain", "-H",
                    "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", "--data-binary", "@body",
                    origin.url("/echo"),
                ]
            )
        }
        let sent = "5;chunk-signature=aa\nhello\n0;chunk-signature=bb\nx-amz-checksum-crc32:NhCmhg==\n\n"
        let live = try ask("record", sent)
        #expect(live.exitCode == 0, "\(live.errorText)")
        // Forwarded byte for byte.
        #expect(live.outputText.contains("5;chunk-signature=aa\r\nhello\r\n0;"), "\(live.outputText)")
        let tape = try folder.read("cassettes/x.yaml")
        #expect(tape.contains("text: hello") && !tape.contains("chunk-signature=aa\n"), "\(tape)")
        let again = try ask("replay", "2;chunk-signature=cc\nhe\n3;chunk-signature=dd\nllo\n0;chunk-signature=ee\n\n")
        #expect(again.exitCode == 0, "\(again.errorText)")
        let other = try ask("replay", "5;chunk-signature=aa\nhallo\n0;chunk-signature=bb\n\n")
        #expect(other.exitCode == 70)
        #expect(other.errorText.contains("body is hallo, the tape has hello"), "\(other.errorText)")
    }

    @Test func `ignore lets the very place differ that a miss names`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            tapedeck: 1
            # A comment of mine.
            responseSets:
              - name: order
                request: { method: POST, url: http://api.example.com/orders, body: { json: '{"sku": "a", "note": "x"}' } }
                variants: [{ name: placed, empty: 201 }]

            """,
            to: "cassettes/x.yaml"
        )
        let curl = ["curl", "-q", "-sS", "-d", #"{"sku": "a", "note": "y"}"#, "http://api.example.com/orders"]
        let missed = try folder.tapedeck(["replay", "x", "--"] + curl)
        #expect(missed.exitCode == 70)
        #expect(missed.errorText.contains("tapedeck ignore x 'json:$.note'"), "\(missed.errorText)")
        #expect(try folder.tapedeck(["ignore", "x", "json:$.note"]).exitCode == 0)
        #expect(try folder.read("cassettes/x.yaml").contains("# A comment of mine."))
        #expect(try folder.tapedeck(["replay", "x", "--"] + curl).exitCode == 0)
        #expect(try folder.tapedeck(["ignore", "x", "json:note"]).exitCode == 64)
        #expect(try folder.tapedeck(["ignore", "x", "body:note"]).exitCode == 64)
        #expect(try folder.tapedeck(["ignore", "nothing", "query:a"]).exitCode == 65)
    }
}
