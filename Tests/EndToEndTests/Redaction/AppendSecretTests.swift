import Foundation
import Testing

/// Appending to a cassette with placeholders: requests and answers are live ones, whatever the tape has.
@Suite(.ownThreads) struct AppendSecretTests {
    private static let secret = "q7Rk2ZpX9sLw4VbN8tYc"

    private static func cassette(_ origin: Origin) -> String {
        """
        tapedeck: 1
        secrets:
          access_token: { shape: "[A-Za-z0-9]{24}" }
        responseSets:
          - name: login
            request: { method: POST, url: \(origin.url("/login")) }
            variants: [{ name: ok, takes: [{ status: 200, body: { json: '{"access_token": "{{secret.access_token}}"}' } }] }]
          - name: me
            request:
              method: GET
              url: \(origin.url("/me"))
              headers: { authorization: "Bearer {{secret.access_token}}" }
            variants: [{ name: ok, takes: [{ status: 200, body: { text: from the tape } }] }]

        """
    }

    private static func curl(_ url: String, token: String) -> [String] {
        ["-sS", "-H", "Authorization: Bearer \(token)", url]
    }

    @Test func `append plays recorded answers and forwards the rest with real secrets, recorded without them`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin), to: "cassettes/x.yaml")
        let known = Self.curl(origin.url("/me"), token: Self.secret)
        let other = Self.curl(origin.url("/echo-headers"), token: Self.secret)
        let result = try folder.tapedeck(["append", "x", "--loopback", "--", "curl"] + known + ["--next"] + other)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.hasPrefix("from the tape"))
        #expect(result.outputText.contains("Bearer \(Self.secret)"))
        let seen = try origin.requests()
        #expect(seen.map(\.target) == ["/echo-headers"])
        #expect(seen.first?.values("authorization") == ["Bearer \(Self.secret)"])
        let written = try folder.read("cassettes/x.yaml")
        #expect(written.contains("echo-headers"))
        #expect(written.contains("Bearer {{secret."))
        #expect(!written.contains(Self.secret))
        #expect(!result.errorText.contains(Self.secret))
        try origin.stop()
        let again = try folder.tapedeck(["replay", "x", "--", "curl"] + other)
        #expect(again.exitCode == 0, "\(again.errorText)")
        #expect(again.outputText.contains("Bearer "))
        #expect(!again.outputText.contains("{{secret."))
    }

    @Test func `another key that leaves no trace in the cassette leaves none by its name`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        func curl(_ key: String, _ path: String) -> [String] {
            ["--loopback", "--", "curl", "-sS", "-H", "X-Api-Key: \(key)", origin.url(path)]
        }
        try folder.tapedeck(["record", "x"] + curl("q8Zk3vN1xR7tB5wJ9mLc2Hs", "/one"))
        let first = try folder.read("cassettes/x.yaml")
        #expect(first.contains("  api_key: "), "\(first)")
        try folder.tapedeck(["append", "x"] + curl("w5Jt9bR3nX1vK8zQ7cLm4Sp", "/two"))
        let second = try folder.read("cassettes/x.yaml")
        #expect(second.contains("/two") && second.contains("  api_key: ") && !second.contains("api_key-2"), "\(second)")
    }

    @Test func `a renewed key in a URL is no second one, and one key is enough in replay`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        func curl(_ key: String, _ paths: String...) -> [String] {
            let urls = paths.flatMap { ["\(origin.url($0))?api_key=\(key)"] }
            return ["--", "curl", "-sS", "--fail"] + urls
        }
        try folder.tapedeck(["record", "x", "--loopback"] + curl("q8Zk3vN1xR7tB5wJ9mLc2Hs", "/echo", "/echo/b"))
        try folder.tapedeck(["append", "x", "--loopback"] + curl("w5Jt9bR3nX1vK8zQ7cLm4Sp", "/echo", "/echo/c"))
        let text = try folder.read("cassettes/x.yaml")
        #expect(text.contains("/echo/c?api_key={{secret.api_key}}") && !text.contains("api_key-2"), "\(text)")
        let again = try folder.tapedeck(
            ["append", "x", "--loopback"] + curl("n4Vd8kP2sY6gM3xB7rTq5Wz", "/echo", "/echo/b", "/echo/c")
        )
        #expect(again.errorText.contains("3 requests played, 0 exchanges recorded"), "\(again.errorText)")
        let replay = try folder.tapedeck(
            ["replay", "x"] + curl("c9Hf2jL5vD7aN4uE8yKo6Xi", "/echo/c", "/echo/b", "/echo")
        )
        #expect(replay.exitCode == 0, "\(replay.errorText)")
    }

    @Test func `the journal says of a made-up value that it is one, and its shape`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin), to: "cassettes/x.yaml")
        let journal = "curl -sS -X POST \(origin.url("/login")); '\(Tapedeck.path)' journal"
        let result = try folder.tapedeck("replay", "x", "--", "sh", "-c", journal)
        #expect(
            result.outputText.contains("note: made up: access_token ([A-Za-z0-9]{24}); `secrets` of x has the shapes"),
            "\(result.outputText)"
        )
    }

    @Test func `A generated token from the tape goes upstream unchanged`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        try folder.write(Self.cassette(origin), to: "cassettes/x.yaml")
        let script = """
            token=$(curl -sS -X POST \(origin.url("/login")) | sed 's/.*: "//; s/".*//')
            echo "$token"
            curl -sS -H "Authorization: Bearer $token" \(origin.url("/echo-headers"))
            """
        let result = try folder.tapedeck("append", "x", "--loopback", "--", "sh", "-c", script)
        #expect(result.exitCode == 0, "\(result.errorText)")
        let token = try #require(result.outputText.split(separator: "\n").first.map(String.init))
        #expect(token.count == 24 && !token.contains("{"))
        #expect(try origin.requests().first?.values("authorization") == ["Bearer \(token)"])
        let written = try folder.read("cassettes/x.yaml")
        #expect(written.contains("Bearer {{secret."))
        #expect(!written.contains(token))
    }
}
