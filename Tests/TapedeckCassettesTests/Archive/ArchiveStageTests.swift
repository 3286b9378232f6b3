import TapedeckCore
import Testing

@testable import TapedeckCassettes

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Received files, before they are installed.
@Suite struct ArchiveStageTests {
    static let cassette = """
        tapedeck: 1
        responseSets:
          - name: a
            request: { url: 'http://a.test/' }
            variants: [{ name: b, takes: [{ status: 200, body: { file: shop/body.bin } }] }]

        """

    /// A hash for tests, because the deck's belongs to another target.
    final class Hash: ContentHash {
        private var bytes: [UInt8] = []

        func update(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }

        func finalizeHex() -> String {
            defer { self.bytes = [] }
            return TestDigest.digest(self.bytes)
        }
    }

    static let hashing: ContentHashing = { Hash() }

    static func stage(
        _ folder: TemporaryFolder,
        _ archive: [UInt8],
        limits: ArchiveLimits = ArchiveLimits()
    ) throws -> ArchiveContents {
        let stage = try ArchiveStage(in: ArchiveFolder(folder.path), limits: limits, hashing: self.hashing)
        try stage.receive(archive)
        return try stage.finish()
    }

    static func install(_ contents: ArchiveContents, _ folder: TemporaryFolder) throws -> [ArchiveInstaller.Outcome] {
        let store = CassetteStore(digest: TestDigest.digest)
        var installer = ArchiveInstaller(into: ArchiveFolder(folder.path), store: store, hashing: self.hashing)
        return try contents.cassettes.map { try installer.install($0) }
    }

    /// A header of another kind than Tapedeck writes.
    static func special(_ type: Character, _ path: String) -> [UInt8] {
        var block = TarWriter.header(TarEntry(path: path))
        block[156] = type.asciiValue ?? 0
        for (index, byte) in zip(157..., Array("/etc/passwd".utf8)) { block[index] = byte }
        for index in 148..<156 { block[index] = 0x20 }
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        let digits = Array((String(repeating: "0", count: 6 - sum.utf8.count) + sum).utf8) + [0, 0x20]
        for (index, byte) in zip(148..., digits) { block[index] = byte }
        return block
    }

    @Test(arguments: [
        "../a.yaml", "/etc/a.yaml", "a/../../b.yaml", "a//b.yaml", "a/./b.yaml", "..", "a\\b.yaml", "a\nb.yaml",
        String(repeating: "x", count: 300) + ".yaml", String(repeating: "a/", count: 30) + "b.yaml", ".git/config",
        "shop.journal/exchanges", "notes.txt", "a\u{1B}.yaml",
    ])
    func `a name that no file of a cassette has is refused, and nothing is left`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let archive = TarTests.archive([TarTests.entry(path, "tapedeck: 1\nresponseSets: []\n")])
        #expect(throws: ArchiveError.self) { try Self.stage(folder, archive) }
        #expect(FileContents.names(in: folder.path) == [])
        #expect(!FileContents.exists(FilePath.join(FilePath.folder(of: folder.path), "a.yaml")))
    }

    @Test(
        arguments: zip(
            Array("12346S"),
            ["hard link", "symbolic link", "device", "device", "named pipe", "sparse file"]
        )
    )
    func `links, devices and the like are refused`(_ type: Character, _ kind: String) throws {
        let folder = try TemporaryFolder()
        let archive = Self.special(type, "shop.yaml") + TarWriter.end
        let error = try #require(throws: ArchiveError.self) { try Self.stage(folder, archive) }
        #expect(error.description.contains(kind), "\(error)")
        #expect(FileContents.names(in: folder.path) == [])
    }

    @Test func `stages that are made at the same time do not take each other for leftovers`() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        let stage = try ArchiveStage(in: ArchiveFolder(folder.path), hashing: Self.hashing)
                        #expect(FileContents.exists(stage.folder))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(FileContents.names(in: folder.path) == [])
    }

    @Test func `a NUL in a long name, two spellings of one name, and the same name twice are refused`() throws {
        let folder = try TemporaryFolder()
        for paths in [["a\0b.yaml"], ["Shop.yaml", "shop.yaml"], ["A/x.yaml", "a/y.yaml"], ["a.yaml", "a.yaml"]] {
            let archive = TarTests.archive(paths.map { TarTests.entry($0, "tapedeck: 1\nresponseSets: []\n") })
            #expect(throws: ArchiveError.self, "\(paths)") { try Self.stage(folder, archive) }
        }
    }

    @Test func `an archive beyond a limit is refused as such`() throws {
        let folder = try TemporaryFolder()
        let archive = TarTests.archive([TarTests.entry("a.yaml", "x"), TarTests.entry("b.yaml", "y")])
        var limits = ArchiveLimits()
        limits.entries = 1
        #expect(
            try #require(throws: ArchiveError.self) { try Self.stage(folder, archive, limits: limits) }.kind
                == .tooLarge
        )
        limits = ArchiveLimits()
        limits.size = archive.count - 1
        #expect(
            try #require(throws: ArchiveError.self) { try Self.stage(folder, archive, limits: limits) }.kind
                == .tooLarge
        )
        // A header that announces more than is taken is refused before anything is written.
        let bomb = TarWriter.header(TarEntry(path: "a.yaml", size: 1 << 32))
        #expect(try #require(throws: ArchiveError.self) { try Self.stage(folder, bomb) }.kind == .tooLarge)
    }

    @Test func `a cassette is installed with its body, and not over a version that the sender has not seen`() throws {
        let folder = try TemporaryFolder()
        func archive(_ body: String, _ precondition: String?) -> [UInt8] {
            var own = TarTests.entry("shop.yaml", Self.cassette)
            own.0.precondition = precondition
            return TarTests.archive([own, TarTests.entry("shop/body.bin", body)])
        }
        let first = try Self.stage(folder, archive("one", nil))
        #expect(try Self.install(first, folder) == [.created])
        #expect(try folder.text("shop/body.bin") == "one")
        #expect(try Self.install(try Self.stage(folder, archive("one", nil)), folder) == [.unchanged])
        #expect(try Self.install(try Self.stage(folder, archive("two", nil)), folder) == [.refused(.changed)])
        #expect(try Self.install(try Self.stage(folder, archive("two", "123")), folder) == [.refused(.changed)])
        #expect(try folder.text("shop/body.bin") == "one")
        let seen = try #require(first.cassettes.first).version.digest
        #expect(try Self.install(try Self.stage(folder, archive("two", seen)), folder) == [.replaced])
        #expect(try folder.text("shop/body.bin") == "two")
    }

    @Test func `a folder or cassette whose name differs from an existing one only in case is rejected`() throws {
        let folder = try TemporaryFolder()
        let text = "tapedeck: 1\nresponseSets: []\n"
        try folder.write(text, to: "team/shop.yaml")
        func install(_ path: String) throws -> ArchiveInstaller.Outcome? {
            try Self.install(Self.stage(folder, TarTests.archive([TarTests.entry(path, text)])), folder).first
        }
        for path in ["Team/other.yaml", "team/Shop.yaml", "TEAM/shop.yml"] {
            guard case .refused(.misplaced) = try install(path) else {
                Issue.record("\(path)")
                continue
            }
        }
        // A cassette is installed next to its own folder.
        #expect(try install("team.yaml") == .created)
        #expect(FileContents.names(in: folder.path) == ["team", "team.yaml"])
        var spellings = ArchiveSpellings()
        let root = ArchiveFolder(folder.path)
        let new = try root.location(named: "fresh/one")
        #expect(spellings.other(of: new, in: folder.path) == nil)
        spellings.add(new, in: folder.path)
        #expect(spellings.other(of: try root.location(named: "Fresh/two"), in: folder.path) == "fresh")
    }

    @Test func `leftovers of a crash are removed with the next archive, and similar files are not`() throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try outside.write("", to: "lock")
        try outside.write("mine", to: "work.txt")
        #expect(symlink(outside.path, folder.path(".tapedeck-incoming-evil12")) == 0)
        try folder.write("", to: ".tapedeck-incoming-gone12/lock")
        try folder.write("x", to: ".tapedeck-incoming-gone12/files/team/a.yaml")
        let archive = TarTests.archive([TarTests.entry("a.yaml", "tapedeck: 1\nresponseSets: []\n")])
        #expect(try Self.install(Self.stage(folder, archive), folder) == [.created])
        #expect(try outside.text("work.txt") == "mine")
        #expect(FileContents.names(in: folder.path) == [".tapedeck-incoming-evil12", "a.yaml"])
    }

    @Test func `a body behind a link out of the folder is not sent`() throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try outside.write("secret", to: "body.bin")
        #expect(symlink(outside.path, folder.path("data")) == 0)
        try folder.write(Self.cassette.replacing("shop/body.bin", with: "data/body.bin"), to: "shop.yaml")
        let root = ArchiveFolder(folder.path)
        var source = ArchiveSource([(try root.location(named: "shop"), nil)], in: root)
        let error = try #require(throws: ArchiveError.self) {
            while let piece = try source.next() { #expect(!piece.isEmpty) }
        }
        #expect(error.description.contains("out of the folder of cassettes"))
    }

    @Test func `a link out of the folder is not written through`() throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        #expect(symlink(outside.path, folder.path("shop")) == 0)
        let archive = TarTests.archive([
            TarTests.entry("shop.yaml", Self.cassette), TarTests.entry("shop/body.bin", "x"),
        ])
        let outcomes = try Self.install(try Self.stage(folder, archive), folder)
        guard case .refused(.misplaced) = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(FileContents.names(in: outside.path) == [])
        #expect(!FileContents.exists(folder.path("shop.yaml")))
    }

    @Test func `if a file cannot be put in place, the files moved before it are restored`() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "shop/body.bin")
        // A folder in place of the cassette's own file.
        try folder.write("x", to: "shop.yaml/x")
        var moves = ArchiveMoves(stage: folder.path("kept"))
        try folder.write("new", to: "stage1")
        try folder.write("new", to: "stage2")
        try moves.move(folder.path("stage1"), to: folder.path("shop/body.bin"))
        #expect(try folder.text("shop/body.bin") == "new")
        #expect(throws: FileError.self) { try moves.move(folder.path("stage2"), to: folder.path("shop.yaml")) }
        moves.undo()
        #expect(try folder.text("shop/body.bin") == "old")
    }
}
