import Foundation
import Testing

/// `scan` and `scrub`: secrets that are in cassettes already.
@Suite(.ownThreads) struct ScanTests {
    private static let token = "ghp_4kR9xT2wLp7vRbzK4mQ9xT2wLp7vRbQeW5uY"
    private static let password = "correct-Horse7-battery"
    private static let key = "zK4mQ9xT2wLp7vRb"
    private static let cassette = """
        # Mine.
        tapedeck: 1
        responseSets:
          - name: GET api.example.com/me?api_key=\(Self.key)   # kept
            request:
              url: http://api.example.com/me?api_key=\(Self.key)
            variants:
              - name: recorded
                takes:
                  # The first.
                  - status: 200
                    headers:
                      - Content-Type: application/json
                      - Content-Length: '97'
                      - X-Api-Key: \(Self.key)
                    body:
                      json: |
                        {
                          "access_token": "\(Self.token)",
                          "password": "\(Self.password)"
                        }
          - name: file
            request: { url: http://api.example.com/file }
            variants:
              - name: recorded
                takes: [{ status: 200, body: { file: x/file-DIGEST.txt } }]
        profiles:
          all: { "GET api.example.com/me?api_key=\(Self.key)": recorded }

        """

    private static func folder() throws -> TestFolder {
        let folder = try TestFolder()
        let path = try folder.write("one\nkey: \(self.token)\n", to: "file.txt")
        let digest = try folder.run(["sha256sum", path]).outputText.prefix(12)
        try folder.write("one\nkey: \(self.token)\n", to: "cassettes/x/file-\(digest).txt")
        try folder.write(self.cassette.replacing("DIGEST", with: digest), to: "cassettes/x.yaml")
        return folder
    }

    private static func expectNone(in text: String, _ location: SourceLocation = #_sourceLocation) {
        for secret in [self.token, self.password, self.key] {
            #expect(!text.contains(secret), "\(text)", sourceLocation: location)
        }
    }

    @Test func `scan tells file, line, name and rule of each, and never a value`() throws {
        let folder = try Self.folder()
        for arguments in [["scan"], ["scan", "x"], ["scan", "cassettes"], ["scan", "cassettes/x.yaml"]] {
            let result = try folder.tapedeck(arguments)
            #expect(result.exitCode == 1)
            let lines = result.outputText.split(separator: "\n").map(String.init)
            #expect(lines.count == 7, "\(result.outputText)")
            #expect(
                lines.contains(
                    "cassettes/x.yaml:19:36: a secret: access_token, of the shape ghp_[A-Za-z0-9]{36} (rule oauth)"
                ),
                "\(result.outputText)"
            )
            #expect(lines.contains { $0.hasPrefix("cassettes/x/file-") && $0.contains(".txt:2:6: a secret: ") })
            #expect(result.errorText.contains("7 found in 1 file"))
            Self.expectNone(in: result.outputText + result.errorText)
        }
    }

    @Test func `after scrub scan finds nothing, and the cassette plays`() throws {
        let folder = try Self.folder()
        let (before, file) = (try folder.read("cassettes/x.yaml"), try folder.names(in: "cassettes/x"))
        let trial = try folder.tapedeck("scrub", "x", "--dry-run")
        #expect(trial.exitCode == 0, "\(trial.errorText)")
        #expect(trial.outputText.hasPrefix("cassettes/x.yaml: would redact api_key, "), "\(trial.outputText)")
        #expect(try folder.read("cassettes/x.yaml") == before)
        let result = try folder.tapedeck("scrub", "x")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText.contains(" in 5 texts and 1 body file"), "\(result.outputText)")
        let text = try folder.read("cassettes/x.yaml")
        let names = try folder.names(in: "cassettes/x")
        #expect(names.count == 1)
        #expect(text.contains("x/\(names[0])") && names != file)
        Self.expectNone(in: text + result.outputText + (try folder.read("cassettes/x/\(names[0])")))
        for kept in ["# Mine.", "   # kept", "# The first."] { #expect(text.contains(kept), "\(text)") }
        #expect(text.contains("secrets:\n  access_token: { shape: 'ghp_[A-Za-z0-9]{36}' }\n"), "\(text)")

        #expect(try folder.tapedeck("scan").exitCode == 0)
        let missing = try folder.tapedeck("scan", "y")
        #expect(missing.exitCode == 65)
        #expect(missing.errorText.contains("there is no such cassette"), "\(missing.errorText)")
        #expect(try folder.tapedeck("check", "x").exitCode == 0)
        let again = try folder.tapedeck("scrub", "x")
        #expect(again.outputText == "cassettes/x.yaml: no secrets that a rule knows\n")
        #expect(try folder.read("cassettes/x.yaml") == text)

        let deck = try folder.serve("replay", "x")
        let answer = try folder.curl(deck, "-f", "http://api.example.com/me?api_key=qW8eR7tY6uI5oP4a")
        #expect(answer.exitCode == 0, "\(answer.errorText)")
        #expect(answer.outputText.contains("ghp_") && !answer.outputText.contains("{{"), "\(answer.outputText)")
        try deck.stop()
    }

    @Test func `scan reports words that only look random, and scrub leaves them`() throws {
        let folder = try TestFolder()
        let random = "x8Kq2LmZ9vRt4WpYc7Nb1JdF"
        try folder.write(Cassettes.answering("http://a.example/", random), to: "cassettes/x.yaml")
        let result = try folder.tapedeck("scan")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("looks like a secret: 24 characters drawn at random"))
        #expect(!result.outputText.contains(random))
        #expect(try folder.tapedeck("scan", "--no-entropy").exitCode == 0)
        #expect(try folder.tapedeck("scrub", "x").outputText == "cassettes/x.yaml: no secrets that a rule knows\n")
    }

    @Test func `a cassette with mistakes is searched`() throws {
        let folder = try TestFolder()
        let text = "tapedeck: 1\nresponseSets:\n  - request: { headers: { A: { pattern: [], ignoreCase: true } } }\n"
        try folder.write(text, to: "cassettes/broken.yaml")
        #expect(try folder.tapedeck("scan", "cassettes/broken.yaml").exitCode == 0)
    }

    @Test func `the rules of the project file hold`() throws {
        let folder = try TestFolder()
        try folder.write(
            Cassettes.answering("http://a.example/", "'tenant acme-77'"),
            to: "cassettes/x.yaml"
        )
        #expect(try folder.tapedeck("scan").exitCode == 0)
        let rules = "redact:\n  rules:\n    - { pattern: 'acme-\\d+', name: tenant }\n"
        try folder.write(rules, to: "tapedeck.yaml")
        #expect(try folder.tapedeck("scan").exitCode == 1)
        #expect(try folder.tapedeck("scan", "--no-project").exitCode == 0)
        try folder.write(rules, to: "other/rules.yaml")
        #expect(try folder.tapedeck("scan", "--project", "other/rules.yaml").exitCode == 1)
        #expect(try folder.tapedeck("scrub", "x").exitCode == 0)
        #expect(try folder.read("cassettes/x.yaml").contains("tenant {{secret.tenant}}"))
    }

    @Test func `an unreadable file is 65, and a file that is not a cassette is searched as text`() throws {
        let folder = try Self.folder()
        for arguments in [["scan", "nix"], ["scrub", "nix"], ["scan", "--project", "nix.yaml"]] {
            let result = try folder.tapedeck(arguments)
            #expect(result.exitCode == 65, "\(arguments): \(result.errorText)")
        }
        try folder.write("tapedeck: 1\nresponseSets: 7\n", to: "cassettes/broken.yaml")
        #expect(try folder.tapedeck("scrub", "broken").exitCode == 65)
        try folder.write("Authorization: Bearer \(Self.token)\n", to: "notes.txt")
        let notes = try folder.tapedeck("scan", "notes.txt")
        #expect(notes.exitCode == 1)
        #expect(notes.outputText.hasPrefix("notes.txt:1:"), "\(notes.outputText)")
        Self.expectNone(in: notes.outputText)
    }

    @Test func `the cassettes of this repository hold no secrets`() throws {
        let folder = try TestFolder()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let result = try folder.tapedeck(
            "scan",
            "\(root)/README.md",
            "\(root)/cassettes",
            "\(root)/Examples/GitHubClient/Tests"
        )
        #expect(result.exitCode == 0, "\(result.outputText)\(result.errorText)")
    }
}
