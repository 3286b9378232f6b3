import TapedeckCassettes
import TapedeckCore
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Watching cassettes", .timeLimit(.minutes(20)))
struct CassetteWatcherTests {
    @Test("A file that an editor renames over the cassette is read", arguments: [true, false])
    func renamed(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        try watched.folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        #expect(try await watched.sets().map(\.name) == ["new"])
    }

    @Test("A file that is emptied and written again in place is read", arguments: [true, false])
    func rewritten(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        try Self.overwrite(watched.folder.path("api.yaml"), with: [WatchedFolder.cassette("new")])
        #expect(try await watched.sets().map(\.name) == ["new"])
    }

    @Test("A file that is written in pieces is read when it is whole", arguments: [true, false])
    func pieces(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        let pieces = WatchedFolder.cassette("new").map { String($0) }
        try Self.overwrite(watched.folder.path("api.yaml"), with: pieces)
        // However the pieces fell, the last word is the whole file.
        while let change = await watched.next() {
            if change.sets[watched.locations[0].path]?.map(\.name) == ["new"] { return }
        }
        Issue.record("the whole file was never read")
    }

    @Test("A change made while the cassettes were loaded is read")
    func meanwhile() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")]) { folder in
            try folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        }
        #expect(try await watched.sets().map(\.name) == ["new"])
    }

    @Test(
        "An invalid cassette is reported with its place, and read once it is fixed",
        arguments: [true, false]
    )
    func broken(isTold: Bool) async throws {
        let text = WatchedFolder.cassette("same")
        let watched = try WatchedFolder(files: ["api.yaml": text], isTold: isTold)
        try watched.folder.write(text.replacing("request:", with: "reqest:"), to: "api.yaml")
        let problem = try await watched.problem()
        #expect(problem.contains("api.yaml:4:5: error: "))
        #expect(problem.contains("`request`"))
        // Equal to the version before the errors, but reported all the same.
        try watched.folder.write(text, to: "api.yaml")
        #expect(try await watched.sets().map(\.name) == ["same"])
    }

    @Test("A missing cassette is reported, and read once it is back", arguments: [true, false])
    func gone(isTold: Bool) async throws {
        let text = WatchedFolder.cassette("same")
        let watched = try WatchedFolder(files: ["api.yaml": text], isTold: isTold)
        try FileContents.remove(watched.folder.path("api.yaml"))
        let report = try #require(await watched.next())
        #expect(report.change == .missing(path: watched.locations[0].path))
        // The old version keeps playing.
        #expect(report.sets[watched.locations[0].path]?.map(\.name) == ["same"])
        try watched.folder.write(text, to: "api.yaml")
        #expect(try await watched.sets().map(\.name) == ["same"])
    }

    @Test("A change of a body file is read", arguments: [true, false])
    func bodyFile(isTold: Bool) async throws {
        let files = ["api.yaml": WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), "api/body.txt": "one"]
        let watched = try WatchedFolder(files: files, isTold: isTold)
        try watched.folder.write("longer", to: "api/body.txt")
        let set = try #require(try await watched.sets().first)
        #expect(set.variants[0].takes[0].body.file?.size == 6)
    }

    @Test("A change of a body file that leaves its size is read", arguments: [true, false])
    func bodyFileOfSameSize(isTold: Bool) async throws {
        let files = ["api.yaml": WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), "api/body.txt": "one"]
        let watched = try WatchedFolder(files: files, isTold: isTold)
        try watched.folder.write("two", to: "api/body.txt")
        #expect(try await watched.sets().map(\.name) == ["set"])
        try watched.folder.write("six", to: "api/body.txt")
        #expect(try await watched.sets().map(\.name) == ["set"])
    }

    @Test("A change is read before the program closes the file")
    func modified() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")])
        let file = open(watched.folder.path("api.yaml"), O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        // Several times: a single change might be seen by a look that another one was the reason for.
        for name in ["n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09"] {
            let bytes = Array(WatchedFolder.cassette(name).utf8)
            try #require(pwrite(file, bytes, bytes.count, 0) == bytes.count)
            #expect(try await watched.sets().map(\.name) == [name])
        }
    }

    @Test("A change of a body file in a new folder is read", arguments: [true, false])
    func newFolder(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("set")], isTold: isTold)
        try watched.folder.write("one", to: "api/body.txt")
        try watched.folder.write(WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), to: "api.yaml")
        let first = try #require(try await watched.sets().first)
        #expect(first.variants[0].takes[0].body.file?.size == 3)
        try watched.folder.write("longer", to: "api/body.txt")
        let second = try #require(try await watched.sets().first)
        #expect(second.variants[0].takes[0].body.file?.size == 6)
    }

    @Test("A link that is changed to another target is followed")
    func link() async throws {
        let files = ["one/a.yaml": WatchedFolder.cassette("one"), "two/a.yaml": WatchedFolder.cassette("two")]
        let watched = try WatchedFolder(["one/a", "linked/a"], files: files, isTold: false) { folder in
            #expect(symlink("one", folder.path("linked")) == 0)
        }
        #expect(try await watched.reloaded() == [watched.path("linked/a")])
        #expect(symlink("two", watched.folder.path("next")) == 0)
        #expect(rename(watched.folder.path("next"), watched.folder.path("linked")) == 0)
        let report = try #require(await watched.next())
        #expect(report.change == .reloaded(paths: [watched.path("linked/a")]))
        #expect(report.sets[watched.path("linked/a")]?.map(\.name) == ["two"])
    }

    @Test("An invalid cassette does not delay the others")
    func independent() async throws {
        let files = ["api.yaml": WatchedFolder.cassette("one"), "b.yaml": WatchedFolder.cassette("two")]
        let watched = try WatchedFolder(["api", "b"], files: files)
        try watched.folder.write("tapedeck: 1\nresponseSet: []\n", to: "api.yaml")
        #expect(try await watched.problem().contains("api.yaml:2:1: error: "))
        try watched.folder.write(WatchedFolder.cassette("new"), to: "b.yaml")
        let report = try #require(await watched.next())
        #expect(report.change == .reloaded(paths: [watched.path("b")]))
        #expect(report.sets[watched.path("b")]?.map(\.name) == ["new"])
        #expect(report.sets[watched.path("api")]?.map(\.name) == ["one"])
    }

    @Test("A problem is reported once; a different one is reported, too")
    func once() async throws {
        let files = ["api.yaml": WatchedFolder.cassette("one"), "b.yaml": WatchedFolder.cassette("two")]
        let watched = try WatchedFolder(["api", "b"], files: files, isTold: false)
        try watched.folder.write("tapedeck: 1\nresponseSet: []\n", to: "api.yaml")
        #expect(try await watched.problem().contains("`responseSet`"))
        try watched.folder.write("tapedeck: 1\nresponseSet: [] # still\n", to: "api.yaml")
        // When this is reported, the other one was looked at.
        try watched.folder.write(WatchedFolder.cassette("new"), to: "b.yaml")
        #expect(try await watched.reloaded() == [watched.path("b")])
        try watched.folder.write("tapedeck: 1\nresponseSat: []\n", to: "api.yaml")
        #expect(try await watched.problem().contains("`responseSat`"))
        try FileContents.remove(watched.path("api"))
        let report = try #require(await watched.next())
        #expect(report.change == .missing(path: watched.path("api")))
    }

    @Test("A cassette that is loaded while others are watched is watched too")
    func loadedLater() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("one")])
        try watched.folder.write(WatchedFolder.cassette("two"), to: "later/b.yaml")
        let later = try watched.library.location(named: "later/b")
        _ = try watched.library.tape(of: [later])
        try watched.folder.write(WatchedFolder.cassette("new"), to: "later/b.yaml")
        #expect(try await watched.reloaded() == [later.path])
        #expect(try watched.library.tape(of: [later]).entries.map(\.set.name) == ["new"])
    }

    @Test("A cassette that is still to be recorded plays once its file exists", arguments: [true, false])
    func appears(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: [:], isTold: isTold)
        try watched.folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        #expect(try await watched.sets().map(\.name) == ["new"])
    }

    @Test("Tapedeck's own save is not reported as a change")
    func ownSave() async throws {
        let files = ["api.yaml": WatchedFolder.cassette("one"), "b.yaml": WatchedFolder.cassette("two")]
        // It looks when it is woken, and so not in the middle of this.
        let watched = try WatchedFolder(["api", "b"], files: files, isTold: false, interval: 60_000)
        let api = watched.locations[0]
        let saved = try watched.library.store.save([.made(1, "GET", "/x", text: "new")], to: api)
        #expect(saved.changed)
        #expect(watched.library.reload([api]) == [api.path])
        try watched.folder.write(WatchedFolder.cassette("new"), to: "b.yaml")
        try watched.folder.write(WatchedFolder.cassette("three"), to: "c.yaml")
        _ = try watched.library.cassette(try watched.library.location(named: "c"))
        #expect(try await watched.reloaded() == [watched.path("b")])
    }

    @Test("A stopped watcher reports nothing")
    func stopped() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")])
        try watched.folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        #expect(try await watched.sets().map(\.name) == ["new"])
        watched.stop()
        try watched.folder.write(WatchedFolder.cassette("newer"), to: "api.yaml")
        let last = await watched.next()
        #expect(last == nil)
    }

    /// Writes the pieces one after the other into the file as it is there.
    private static func overwrite(_ path: String, with pieces: [String]) throws {
        let file = open(path, O_WRONLY | O_TRUNC)
        try #require(file >= 0)
        defer { close(file) }
        for piece in pieces {
            let bytes = Array(piece.utf8)
            try #require(write(file, bytes, bytes.count) == bytes.count)
        }
    }
}

extension StoredBody {
    fileprivate var file: BodyFile? {
        if case .file(let file) = self { file } else { nil }
    }
}
