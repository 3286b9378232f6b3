import TapedeckCore
import Testing

@testable import TapedeckCassettes

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Cassettes named by their paths")
struct CassettePathTests {
    private let folder: TemporaryFolder
    private let library: CassetteLibrary

    init() throws {
        self.folder = try TemporaryFolder()
        self.library = CassetteLibrary(
            folder: "/nonexistent",
            store: CassetteStore(digest: TestDigest.digest),
            takesPaths: true
        )
    }

    private func location() throws -> CassetteLocation {
        try self.library.location(named: self.folder.path("login"))
    }

    private func sets(_ location: CassetteLocation) throws -> [String] {
        try self.library.tape(of: [location]).entries.map(\.set.name)
    }

    @Test("The extension is that of the existing file, or .yaml")
    func ending() throws {
        try self.folder.write(WatchedFolder.cassette("old"), to: "old.yml")
        #expect(try self.location().path == self.folder.path("login.yaml"))
        #expect(try self.location().name == "login")
        #expect(try self.library.location(named: self.folder.path("old")).path == self.folder.path("old.yml"))
        #expect(try self.library.location(named: self.folder.path("a.yml")).path == self.folder.path("a.yml"))
    }

    @Test("A path with a NUL is rejected")
    func nul() throws {
        try self.folder.write(WatchedFolder.cassette("set"), to: "login.yaml")
        #expect(throws: CassetteError.self) {
            try self.library.location(named: self.folder.path("login.yaml\u{0}.yaml"))
        }
    }

    @Test("A library without support for paths rejects them")
    func refused() throws {
        let library = CassetteLibrary(folder: self.folder.path, store: CassetteStore(digest: TestDigest.digest))
        try self.folder.write(WatchedFolder.cassette("set"), to: "login.yaml")
        #expect(throws: CassetteError.self) { try library.location(named: self.folder.path("login")) }
    }

    @Test("A changed cassette plays in sessions that begin after the change")
    func renewed() throws {
        try self.folder.write(WatchedFolder.cassette("one"), to: "login.yaml")
        let location = try self.location()
        #expect(try self.sets(location) == ["one"])
        #expect(try self.library.renew([location]).isEmpty)
        try self.folder.write(WatchedFolder.cassette("two"), to: "login.yaml")
        #expect(try self.library.renew([location]) == [location.path])
        #expect(try self.sets(location) == ["two"])
    }

    @Test("A change is noticed even if the file keeps its size and time of modification")
    func sameTick() throws {
        try self.folder.write(WatchedFolder.cassette("one"), to: "login.yaml")
        let location = try self.location()
        #expect(try self.sets(location) == ["one"])
        let before = try #require(FileSignature(location.path))
        var status = stat()
        #expect(stat(location.path, &status) == 0)
        let file = try #require(fopen(location.path, "r+"))
        fputs(WatchedFolder.cassette("two"), file)
        fclose(file)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        #expect(utimensat(AT_FDCWD, location.path, [time, time], 0) == 0)
        #expect(FileSignature(location.path) == before)
        #expect(try self.library.renew([location]) == [location.path])
        #expect(try self.sets(location) == ["two"])
    }

    @Test("A cassette that becomes invalid is an error each time until it is fixed")
    func broken() throws {
        try self.folder.write(WatchedFolder.cassette("one"), to: "login.yaml")
        let location = try self.location()
        #expect(try self.sets(location) == ["one"])
        try self.folder.write("tapedeck: [", to: "login.yaml")
        for _ in 0..<2 {
            #expect(throws: CassetteError.self) { try self.library.renew([location]) }
        }
        try self.folder.write(WatchedFolder.cassette("one"), to: "login.yaml")
        #expect(try self.library.renew([location]).isEmpty)
        #expect(try self.sets(location) == ["one"])
    }

    @Test("A removed cassette is an error; if it is to be recorded, it plays as empty")
    func gone() throws {
        try self.folder.write(WatchedFolder.cassette("one"), to: "login.yaml")
        let location = try self.location()
        #expect(try self.sets(location) == ["one"])
        try FileContents.remove(location.path)
        #expect(throws: CassetteError.self) { try self.library.renew([location]) }
        #expect(try self.library.renew([location], mayBeMissing: location).isEmpty)
        #expect(try self.library.tape(of: [location], mayBeMissing: location).entries.isEmpty)
    }
}
