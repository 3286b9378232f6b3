import TapedeckCassettes
import TapedeckCore
import Testing

@Suite("Reading watched cassettes again")
struct WatchedCassettesTests {
    private let folder: TemporaryFolder
    private let locations: [CassetteLocation]
    private var cassettes: WatchedCassettes

    init() throws {
        self.folder = try TemporaryFolder()
        self.locations = ["a", "b", "later"].map { [folder] in CassetteLocation($0, folder: folder.path) }
        try self.folder.write(WatchedFolder.cassette("one"), to: "a.yaml")
        try self.folder.write(WatchedFolder.cassette("two"), to: "b.yaml")
        let store = CassetteStore(digest: TestDigest.digest)
        let loaded = try self.locations.dropLast().map { try store.load($0) }
        self.cassettes = WatchedCassettes(self.locations, store: store, loaded: loaded)
    }

    private func names(_ changes: [CassetteChange]) throws -> [[String]] {
        try #require(changes.count == 1)
        guard case .reloaded(let cassettes, _) = changes[0] else {
            Issue.record("not read again: \(changes)")
            return []
        }
        return cassettes.map { $0.responseSets.map(\.name) }
    }

    @Test("A file that says the same is no change")
    mutating func same() throws {
        #expect(self.cassettes.look().isEmpty)
        try self.folder.write("# a comment\n" + WatchedFolder.cassette("one"), to: "a.yaml")
        #expect(self.cassettes.look().isEmpty)
    }

    @Test("All cassettes come together, with the paths of those that changed")
    mutating func together() throws {
        try self.folder.write(WatchedFolder.cassette("new"), to: "b.yaml")
        let changes = self.cassettes.look()
        #expect(try self.names(changes) == [["one"], ["new"]])
        guard case .reloaded(_, let paths) = changes[0] else { return }
        #expect(paths == [self.folder.path("b.yaml")])
        #expect(self.cassettes.look().isEmpty)
    }

    @Test("A body file that is another one of the same size is a change of the cassettes that play it, said once")
    mutating func body() throws {
        try self.folder.write("one", to: "b/body.txt")
        try self.folder.write(WatchedFolder.cassette("two", body: "{ file: b/body.txt }"), to: "b.yaml")
        #expect(self.cassettes.look().count == 1)
        try self.folder.write("two", to: "b/body.txt")
        let changes = self.cassettes.look()
        #expect(try self.names(changes) == [["one"], ["two"]])
        guard case .reloaded(_, let paths) = changes[0] else { return }
        #expect(paths == [self.folder.path("b.yaml")])
        #expect(self.cassettes.look().isEmpty)
    }

    @Test("A body file that changes while another cassette cannot be used is a change once it can")
    mutating func bodyMeanwhile() throws {
        try self.folder.write("one", to: "b/body.txt")
        try self.folder.write(WatchedFolder.cassette("two", body: "{ file: b/body.txt }"), to: "b.yaml")
        #expect(self.cassettes.look().count == 1)
        try self.folder.write("tapedeck: 2\n", to: "a.yaml")
        try self.folder.write("two", to: "b/body.txt")
        #expect(self.cassettes.look().count == 1)
        try self.folder.write(WatchedFolder.cassette("one"), to: "a.yaml")
        let changes = self.cassettes.look()
        guard case .reloaded(_, let paths) = try #require(changes.first) else {
            Issue.record("not read again: \(changes)")
            return
        }
        #expect(paths == ["a.yaml", "b.yaml"].map { self.folder.path($0) })
    }

    @Test("While one cannot be used, none is replaced")
    mutating func whole() throws {
        try self.folder.write("tapedeck: 1\nresponseSet: []\n", to: "a.yaml")
        try self.folder.write(WatchedFolder.cassette("new"), to: "b.yaml")
        let changes = self.cassettes.look()
        try #require(changes.count == 1)
        guard case .unusable(let path, let problem) = changes[0] else {
            Issue.record("used: \(changes)")
            return
        }
        #expect(path == self.folder.path("a.yaml"))
        #expect(problem.contains("a.yaml:2:1: error: "))
        try self.folder.write(WatchedFolder.cassette("mended"), to: "a.yaml")
        #expect(try self.names(self.cassettes.look()) == [["mended"], ["new"]])
    }

    @Test("The same problem is said once, another one again")
    mutating func once() throws {
        try self.folder.write("tapedeck: 1\nresponseSet: []\n", to: "a.yaml")
        #expect(self.cassettes.look().count == 1)
        #expect(self.cassettes.look().isEmpty)
        try self.folder.write("tapedeck: 2\n", to: "a.yaml")
        #expect(self.cassettes.look().count == 1)
        try FileContents.remove(self.folder.path("a.yaml"))
        #expect(self.cassettes.look().count == 1)
        #expect(self.cassettes.look().isEmpty)
    }

    @Test("A cassette that was never there is no problem, and is played once it is")
    mutating func later() throws {
        try self.folder.write(WatchedFolder.cassette("three"), to: "later.yaml")
        #expect(try self.names(self.cassettes.look()) == [["one"], ["two"], ["three"]])
    }
}
