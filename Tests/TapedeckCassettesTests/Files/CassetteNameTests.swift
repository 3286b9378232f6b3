import TapedeckCassettes
import TapedeckCore
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Cassettes by name")
struct CassetteNameTests {
    private let folder: TemporaryFolder
    private let library: CassetteLibrary

    init() throws {
        self.folder = try TemporaryFolder()
        let path = self.folder.path("tapes")
        try FileContents.makeFolder(path)
        self.library = CassetteLibrary(folder: path, store: CassetteStore(digest: TestDigest.digest))
    }

    @Test(
        "A name is a file in the folder or a folder within",
        arguments: [
            ("github", "github", "github.yaml"), ("team/github", "team/github", "team/github.yaml"),
            ("v1.2", "v1.2", "v1.2.yaml"), ("github.yaml", "github", "github.yaml"),
            ("two words", "two words", "two words.yaml"),
            ("größe_1-b", "größe_1-b", "größe_1-b.yaml"), ("a/b/c", "a/b/c", "a/b/c.yaml"),
        ]
    )
    func names(_ given: String, _ name: String, _ path: String) throws {
        let location = try self.library.location(named: given)
        #expect(location.name == name)
        #expect(location.path == self.folder.path("tapes/\(path)"))
    }

    @Test(
        "A name that could lead out of the folder is rejected",
        arguments: [
            "", "/", "/etc/passwd", "..", "../secret", "a/../b", "a/..", "./a", "a//b", "a/", ".hidden", "a/.git/b",
            "a\\b",
            "a\u{0}b", "a\nb", "%2e%2e/a", "a/%2E.", "api.journal/exchanges", ".yaml", " a", "a ", "a\u{202E}b",
            "a\u{2028}b",
        ]
    )
    func refused(_ name: String) throws {
        let error = #expect(throws: CassetteError.self) { try self.library.location(named: name) }
        #expect(error?.description.contains("is no name of a cassette") == true)
        let long = #expect(throws: CassetteError.self) {
            try self.library.location(named: String(repeating: "a", count: 5_000))
        }
        #expect((long?.description.utf8.count ?? 0) < 500)
    }

    @Test("A link within the folder is followed; one out of it is rejected")
    func links() throws {
        try self.folder.write(WatchedFolder.cassette("secret"), to: "outside/secret.yaml")
        try self.folder.write(WatchedFolder.cassette("inside"), to: "tapes/real/a.yaml")
        func link(_ target: String, _ name: String) {
            #expect(symlink(target, self.folder.path("tapes/\(name)")) == 0)
        }
        link("../outside", "out")
        link("../outside/secret.yaml", "file.yaml")
        link("../outside", "bodies")
        link("/nowhere/at/all.yaml", "dangling.yaml")
        link("real", "in")
        for name in ["out/secret", "out/new", "file", "bodies", "dangling"] {
            let error = #expect(throws: CassetteError.self) { try self.library.location(named: name) }
            #expect(error?.description.contains("leads out of the folder") == true)
        }
        #expect(try self.library.cassette(self.library.location(named: "in/a")).responseSets.map(\.name) == ["inside"])
        #expect(self.library.list().map(\.name) == ["real/a"])
    }

    @Test("All cassettes are listed with their contents; journals and body files are not listed")
    func list() throws {
        let about = "tapedeck: 1\nabout: what it is\nresponseSets: []\nprofiles: { slow: {}, offline: {} }\n"
        try self.folder.write(about, to: "tapes/team/github.yaml")
        try self.folder.write(WatchedFolder.cassette("set"), to: "tapes/api.yml")
        try self.folder.write("openapi: 3.1.0\n", to: "tapes/api/body.yaml")
        try self.folder.write("tapedeck: [\n", to: "tapes/broken.yaml")
        try self.folder.write("openapi: 3.1.0\n", to: "tapes/other.yaml")
        try self.folder.write(WatchedFolder.cassette("set"), to: "tapes/api.journal/x.yaml")
        try self.folder.write("x", to: "tapes/notes.txt")
        let list = self.library.list()
        #expect(list.map(\.name) == ["api", "broken", "other", "team/github"])
        #expect(list.map(\.responseSets) == [1, 0, 0, 0])
        #expect(list[0].problem == nil)
        #expect(list[0].location.path == self.folder.path("tapes/api.yml"))
        #expect(list[1].problem?.contains("line 1") == true)
        #expect(list[2].problem?.contains("is no cassette") == true)
        #expect(list[3].about == "what it is")
        #expect(list[3].profiles == ["slow", "offline"])
        #expect(list[3].problem == nil)
    }

    @Test("A changed cassette is listed with its current contents, even if it is neither watched nor played")
    func changed() throws {
        try self.folder.write(WatchedFolder.cassette("set"), to: "tapes/api.yaml")
        #expect(self.library.list().map(\.responseSets) == [1])
        #expect(self.library.list().map(\.responseSets) == [1])
        try self.folder.write("tapedeck: 1\nresponseSets: []\n", to: "tapes/api.yaml")
        #expect(self.library.list().map(\.responseSets) == [0])
        try FileContents.remove(self.folder.path("tapes/api.yaml"))
        #expect(self.library.list().isEmpty)
    }

    @Test("A check reports every problem, or that the cassette does not exist")
    func check() throws {
        try self.folder.write(CassetteText.take("status: 7\nheader: x"), to: "tapes/api.yaml")
        let result = try self.library.check(self.library.location(named: "api"))
        #expect(result.diagnostics.count == 2)
        let error = #expect(throws: CassetteError.self) {
            try self.library.check(self.library.location(named: "team/none"))
        }
        #expect(error?.description.hasSuffix("there is no cassette team/none") == true)
    }

    @Test("A library without a folder is empty")
    func noFolder() throws {
        let library = CassetteLibrary(
            folder: self.folder.path("none"),
            store: CassetteStore(digest: TestDigest.digest)
        )
        #expect(library.list().isEmpty)
        #expect(try library.location(named: "a/b").path == self.folder.path("none/a/b.yaml"))
    }

    @Test(
        "The nearest name is one",
        arguments: ["%2e", "%2E%2e", ".%2e", "..", "a\\b", "", "x.journal", " a ", "\u{202E}"]
    )
    func nearest(_ text: String) throws {
        let name = CassetteName.nearest(to: text)
        #expect(try self.library.location(named: name).name == name)
    }
}
