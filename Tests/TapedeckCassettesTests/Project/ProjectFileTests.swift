import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// The settings that hold for all cassettes of a project.
@Suite struct ProjectFileTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test("The nearest file applies, in the folder or above it")
    func nearest() throws {
        try self.folder.write("redact: { off: [authorization] }\n", to: "tapedeck.yaml")
        try self.folder.write("x", to: "a/b/other.yaml")
        #expect(ProjectFile.nearest(to: self.folder.path("a/b")) == self.folder.path("tapedeck.yaml"))
        try self.folder.write("{}\n", to: "a/tapedeck.yaml")
        #expect(ProjectFile.nearest(to: self.folder.path("a/b")) == self.folder.path("a/tapedeck.yaml"))
        #expect(ProjectFile.nearest(to: self.folder.path("a")) == self.folder.path("a/tapedeck.yaml"))
    }

    @Test("The project file has redaction rules for all cassettes")
    func redaction() throws {
        try self.folder.write("redact:\n  rules:\n    - header: X-Tenant\n", to: "p.yaml")
        let path = self.folder.path("p.yaml")
        let settings = try ProjectFile.file(path).load()
        #expect(settings.path == path)
        #expect(settings.redaction.rules == [RedactionRule(place: .header("X-Tenant"))])
    }

    @Test("An empty or disabled file has no settings", arguments: ["", "# nothing yet\n", "{}\n"])
    func empty(_ text: String) throws {
        try self.folder.write(text, to: "p.yaml")
        #expect(try ProjectFile.file(self.folder.path("p.yaml")).load().redaction.isEmpty)
        #expect(try ProjectFile.none.load() == ProjectSettings())
    }

    @Test(arguments: [
        ("redact: { off: [authorisation] }\n", ":1:17: error: no redaction rule \"authorisation\" is built in"),
        ("redakt: off\n", ":1:1: error: a project file has no key `redakt`; did you mean `redact`?"),
        ("tapedeck: 1\nresponseSets: []\n", ":1:1: error: this is a cassette, and tapedeck.yaml is the name of"),
        ("a: [\n", "error: "),
    ])
    func mistakes(_ text: String, _ message: String) throws {
        try self.folder.write(text, to: "p.yaml")
        let path = self.folder.path("p.yaml")
        let error = #expect(throws: CassetteError.self) { try ProjectFile.file(path).load() }
        #expect(error?.description.hasPrefix(path) == true)
        #expect(error?.description.contains(message) == true)
    }

    @Test("Options stand under `deck:` as texts and lists, with their place")
    func deck() throws {
        try self.folder.write("deck:\n  port: 5000\n  only: [a, b]\nstreams: 0.5x\n", to: "p.yaml")
        let entries = try ProjectFile.file(self.folder.path("p.yaml")).load().entries
        #expect(entries.map(\.key) == ["deck.port", "deck.only", "streams"])
        #expect(entries.map(\.values) == [["5000"], ["a", "b"], ["0.5x"]])
        #expect(entries.map(\.isList) == [false, true, false])
        #expect(entries.map(\.line) == [2, 3, 4])
    }

    @Test(
        "An option is a text or a list of texts",
        arguments: [
            ("deck: 1\n", ":1:7: error: `deck` is written as `key: value` lines"),
            ("deck: { port: }\n", ":1:14: error: `port` is empty"),
            ("deck: { port: { a: b } }\n", ":1:15: error: `port` is a text or a list of texts"),
            ("deck: { only: [] }\n", ":1:15: error: `only` is an empty list"),
        ]
    )
    func deckMistakes(_ text: String, _ message: String) throws {
        try self.folder.write(text, to: "p.yaml")
        let path = self.folder.path("p.yaml")
        let error = #expect(throws: CassetteError.self) { try ProjectFile.file(path).load() }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("A file that is named must exist")
    func missing() {
        let path = self.folder.path("none.yaml")
        let error = #expect(throws: CassetteError.self) { try ProjectFile.file(path).load() }
        #expect(
            error?.description == "\(path): error: there is no such project file; name another with --project"
        )
    }
}
