import Foundation
import Testing

/// `tapedeck diff REVISION` and `tapedeck show --outline`, which show the changes of a git repository.
@Suite(.ownThreads) struct ReviewTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try RecordedCassette.folder()
        try self.git("init", "-q")
        try self.git("add", ".")
        try self.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one")
    }

    @discardableResult
    private func git(_ arguments: String...) throws -> String {
        let result = try self.folder.run(["git"] + arguments)
        try #require(result.exitCode == 0, "\(result.errorText)")
        return result.outputText
    }

    @Test func `nothing has changed since the last commit`() throws {
        let result = try self.folder.tapedeck("diff", "HEAD")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "since HEAD: all cassettes play the same: 1 cassette\n")
        #expect(try self.git("status", "--short") == "")
    }

    @Test func `changed, added and removed cassettes and new secrets are reported for a pull request`() throws {
        try self.folder.write(RecordedCassette.text(user: "grace"), to: "cassettes/x.yaml")
        try self.folder.write(Self.secret, to: "cassettes/deeper/new.yaml")
        let text = try self.folder.tapedeck("diff", "HEAD")
        #expect(text.exitCode == 1, "\(text.errorText)")
        for line in [
            "~ x.yaml", #"~ value $.name: "ada" → "grace""#, "+ deeper/new.yaml", "! deeper/new.yaml:7:",
            "since HEAD: 1 cassette changed, 1 added, 1 new secret",
        ] {
            #expect(text.outputText.contains(line), "\(text.outputText)")
        }
        #expect(!text.outputText.contains(Self.token))
        let markdown = try self.folder.tapedeck("diff", "--markdown", "HEAD").outputText
        #expect(markdown.contains("| x.yaml | changed | 0 | 0 | 1 | 0 | 1 |"), "\(markdown)")
        #expect(markdown.contains("<details><summary>Values</summary>"))
        #expect(!markdown.contains(Self.token))
        let json = try self.folder.tapedeck("diff", "HEAD", "--json").output
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let cassettes = try #require(object["cassettes"] as? [[String: Any]])
        #expect(cassettes.map { $0["kind"] as? String } == ["added", "changed"])
        #expect((object["newSecrets"] as? [[String: Any]])?.count == 1)
        try FileManager.default.removeItem(atPath: self.folder / "cassettes/x.yaml")
        let removed = try self.folder.tapedeck("diff", "HEAD").outputText
        #expect(removed.contains("- x.yaml\n"), "\(removed)")
    }

    @Test func `a secret that was there before is not new, wherever it has moved to`() throws {
        try self.folder.write(Self.secret, to: "cassettes/new.yaml")
        try self.git("add", ".")
        try self.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "two")
        try self.folder.write("# A comment.\n\n" + Self.secret, to: "cassettes/new.yaml")
        #expect(try self.folder.tapedeck("diff", "HEAD").exitCode == 0)
        #expect(try self.folder.tapedeck("diff", "HEAD~1").outputText.contains("1 new secret"))
    }

    @Test func `a cassette that was broken before can be reviewed`() throws {
        try self.folder.write("tapedeck: 1\nresponseSets: 7\n", to: "cassettes/b.yaml")
        try self.git("add", ".")
        try self.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "two")
        try self.folder.write(RecordedCassette.text(), to: "cassettes/b.yaml")
        let result = try self.folder.tapedeck("diff", "HEAD")
        #expect(result.exitCode == 1)
        #expect(result.outputText.contains("its earlier state cannot be read: HEAD:b.yaml:2:"), "\(result.outputText)")
    }

    @Test func `mistakes name their remedy, and no temporary files remain`() throws {
        let unknown = try self.folder.tapedeck("diff", "nope")
        #expect(unknown.exitCode == 64)
        #expect(unknown.errorText.contains("git knows no revision nope: give a commit, a branch or a tag"))
        let lone = try self.folder.tapedeck("diff", "x")
        #expect(lone.exitCode == 64)
        #expect(lone.errorText.contains("give a second cassette to compare x with"))
        try self.folder.write("", to: "temporary/kept")
        _ = try self.folder.tapedeck("diff", "HEAD", environment: ["TMPDIR": self.folder / "temporary"])
        #expect(try self.folder.names(in: "temporary") == ["kept"])
    }

    @Test func `git diff shows shapes and values apart`() throws {
        try self.folder.write("cassettes/*.yaml diff=tapedeck\n", to: ".gitattributes")
        try self.git("config", "diff.tapedeck.textconv", "'\(Tapedeck.path)' show --outline")
        let text = RecordedCassette.text(user: "grace").replacing(#""name""#, with: #""fullName""#)
        try self.folder.write(text, to: "cassettes/x.yaml")
        let lines = try self.git("diff").split(separator: "\n").filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
        #expect(
            lines.dropFirst(2).map { $0.filter { $0 != " " } } == [
                "-$.name:string", "+$.fullName:string", #"-$.name="ada""#, #"+$.fullName="grace""#,
            ]
        )
        try self.folder.write("tapedeck: 1\nresponseSets: 7\n", to: "cassettes/x.yaml")
        #expect(try self.git("diff").contains("+responseSets: 7"))
    }

    private static let token = "ghp_" + String(repeating: "1a2B", count: 9)
    private static let secret = """
        tapedeck: 1
        responseSets:
          - name: item
            request: { url: http://api.example.com/item }
            variants:
              - name: found
                takes: [{ status: 200, body: { text: 'token=\(Self.token)' } }]

        """
}
