import TapedeckCassettes
import TapedeckCore
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Watching cassettes", .timeLimit(.minutes(1)))
struct CassetteWatcherTests {
    @Test("A file that an editor renames over the cassette is read", arguments: [true, false])
    func renamed(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        try watched.folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        #expect(try await watched.sets() == ["new"])
    }

    @Test("A file that is emptied and written again in place is read", arguments: [true, false])
    func rewritten(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        try Self.overwrite(watched.folder.path("api.yaml"), with: [WatchedFolder.cassette("new")])
        #expect(try await watched.sets() == ["new"])
    }

    @Test("A file that is written in pieces is read when it is whole", arguments: [true, false])
    func pieces(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")], isTold: isTold)
        let pieces = WatchedFolder.cassette("new").map { String($0) }
        try Self.overwrite(watched.folder.path("api.yaml"), with: pieces)
        // However the pieces fell, the last word is the whole file.
        while let change = await watched.next() {
            if case .reloaded(let cassettes, _) = change, cassettes[0].responseSets.map(\.name) == ["new"] { return }
        }
        Issue.record("the whole file was never read")
    }

    @Test("What changed while the cassettes were loaded is read")
    func meanwhile() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")]) { folder in
            try folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        }
        #expect(try await watched.sets() == ["new"])
    }

    @Test(
        "A cassette that cannot be used is said with its place, and read once it is mended",
        arguments: [true, false]
    )
    func broken(isTold: Bool) async throws {
        let text = WatchedFolder.cassette("same")
        let watched = try WatchedFolder(files: ["api.yaml": text], isTold: isTold)
        try watched.folder.write(text.replacing("request:", with: "reqest:"), to: "api.yaml")
        let problem = try await watched.problem()
        #expect(problem.contains("api.yaml:4:5: error: "))
        #expect(problem.contains("`request`"))
        // The same as before all went wrong: worth a word even so.
        try watched.folder.write(text, to: "api.yaml")
        #expect(try await watched.sets() == ["same"])
    }

    @Test("A cassette that is gone is said, and read once it is back", arguments: [true, false])
    func gone(isTold: Bool) async throws {
        let text = WatchedFolder.cassette("same")
        let watched = try WatchedFolder(files: ["api.yaml": text], isTold: isTold)
        try FileContents.remove(watched.folder.path("api.yaml"))
        let change = try #require(await watched.next())
        guard case .missing(let path) = change else {
            Issue.record("not missing: \(change)")
            return
        }
        #expect(path == watched.locations[0].path)
        try watched.folder.write(text, to: "api.yaml")
        #expect(try await watched.sets() == ["same"])
    }

    @Test("A change of a body file is read", arguments: [true, false])
    func bodyFile(isTold: Bool) async throws {
        let files = ["api.yaml": WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), "api/body.txt": "one"]
        let watched = try WatchedFolder(files: files, isTold: isTold)
        try watched.folder.write("longer", to: "api/body.txt")
        let cassette = try #require(try await watched.reloaded().first)
        let body = try #require(cassette.responseSets[0].variants[0].takes[0].body.file)
        #expect(body.size == 6)
    }

    @Test("A change of a body file that leaves its size is read", arguments: [true, false])
    func bodyFileOfSameSize(isTold: Bool) async throws {
        let files = ["api.yaml": WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), "api/body.txt": "one"]
        let watched = try WatchedFolder(files: files, isTold: isTold)
        try watched.folder.write("two", to: "api/body.txt")
        #expect(try await watched.sets() == ["set"])
        try watched.folder.write("six", to: "api/body.txt")
        #expect(try await watched.sets() == ["set"])
    }

    @Test("What a program writes without closing the file is read")
    func modified() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")])
        let file = open(watched.folder.path("api.yaml"), O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        // Several times: a single change might be seen by a look that another one was the reason for.
        for name in ["n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09"] {
            let bytes = Array(WatchedFolder.cassette(name).utf8)
            try #require(pwrite(file, bytes, bytes.count, 0) == bytes.count)
            #expect(try await watched.sets() == [name])
        }
    }

    @Test("A body file in a folder that was not there is seen to change", arguments: [true, false])
    func newFolder(isTold: Bool) async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("set")], isTold: isTold)
        try watched.folder.write("one", to: "api/body.txt")
        try watched.folder.write(WatchedFolder.cassette("set", body: "{ file: api/body.txt }"), to: "api.yaml")
        let first = try #require(try await watched.reloaded().first)
        #expect(first.responseSets[0].variants[0].takes[0].body.file?.size == 3)
        try watched.folder.write("longer", to: "api/body.txt")
        let second = try #require(try await watched.reloaded().first)
        #expect(second.responseSets[0].variants[0].takes[0].body.file?.size == 6)
    }

    @Test("A link that is turned to another file is followed")
    func link() async throws {
        let files = ["one/a.yaml": WatchedFolder.cassette("one"), "two/a.yaml": WatchedFolder.cassette("two")]
        let watched = try WatchedFolder(["one/a", "linked/a"], files: files, isTold: false) { folder in
            #expect(symlink("one", folder.path("linked")) == 0)
        }
        #expect(try await watched.reloaded().count == 2)
        #expect(symlink("two", watched.folder.path("next")) == 0)
        #expect(rename(watched.folder.path("next"), watched.folder.path("linked")) == 0)
        #expect(try await watched.reloaded().last?.responseSets.map(\.name) == ["two"])
    }

    @Test("Nothing is reported once it is stopped")
    func stopped() async throws {
        let watched = try WatchedFolder(files: ["api.yaml": WatchedFolder.cassette("old")])
        try watched.folder.write(WatchedFolder.cassette("new"), to: "api.yaml")
        #expect(try await watched.sets() == ["new"])
        watched.stop()
        try watched.folder.write(WatchedFolder.cassette("newer"), to: "api.yaml")
        #expect(await watched.next() == nil)
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
