import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// Leftovers of a process that is killed while it saves: the next one removes them, and no other files.
@Suite struct KilledSaveTests {
    private static let large = String(repeating: "a line that is long enough\n", count: 4_000)

    @Test func `body files that were put in place and not named are removed`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/a", text: Self.large)])
        let kept = fixture.bodyFiles
        // A refresh that was killed between its body file and the cassette.
        let lock = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .append)
        try BodyLedger(fixture.location).note("api/a-0123456789ab.txt")
        try fixture.folder.write("new", to: "api/a-0123456789ab.txt")
        // A user's own file, with a name like a recording's.
        try fixture.folder.write("mine", to: "api/b-0123456789ab.txt")
        #expect(try fixture.store.recover(fixture.location) == nil, "somebody has it")
        #expect(fixture.bodyFiles.count == 3)
        _ = consume lock
        #expect(try fixture.store.recover(fixture.location) == nil)
        #expect(fixture.bodyFiles == (kept + ["b-0123456789ab.txt"]).sorted())
        #expect(fixture.files == ["api", "api.yaml"])
    }

    @Test func `the list of a killed save has no names but a recording's`() throws {
        let fixture = try CassetteFixture()
        let lock = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .append)
        try fixture.folder.write("mine", to: "api/notes.txt")
        try fixture.folder.write("mine", to: "other/b-0123456789ab.txt")
        let ledger = try BodyLedger(fixture.location)
        for name in ["api/notes.txt", "other/b-0123456789ab.txt", "api/../other/b-0123456789ab.txt"] {
            try ledger.note(name)
        }
        fixture.store.unlock(lock, of: fixture.location)
        #expect(fixture.files == ["api", "other"])
        #expect(fixture.bodyFiles == ["notes.txt"])
        #expect(FileContents.exists(fixture.folder.path("other/b-0123456789ab.txt")))
    }

    @Test func `temporary files of killed processes are removed, those of running ones and others stay`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/a", text: "a")])
        let running = try TemporaryFile(beside: fixture.location.path)
        for name in [".api.yaml.4711-1.tapedeck", ".other.yaml.4711-1.tapedeck", "api.yaml.4711.tmp", ".api.yaml.swp"] {
            try fixture.folder.write("half", to: name)
        }
        #expect(try fixture.store.recover(fixture.location) == nil)
        let name = FilePath.name(of: running.file.path)
        let expected = [".api.yaml.swp", ".other.yaml.4711-1.tapedeck", "api.yaml", "api.yaml.4711.tmp", name]
        #expect(fixture.files == expected.sorted())
    }

    @Test func `the folder of a killed refresh is removed`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/a", text: "a")])
        try fixture.folder.write("tapedeck: 1\n", to: ".api.refresh/asked.yaml")
        do {
            let journal = try RecordingJournal(
                folder: fixture.folder.path(".api.refresh/asked.journal"),
                purpose: .record
            )
            try journal.append(.made(text: "live"))
        }
        #expect(try fixture.store.recover(fixture.location) == nil)
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func `a cassette that is locked can be neither recorded nor locked again`() throws {
        let fixture = try CassetteFixture()
        let lock = try fixture.store.lock(fixture.location)
        #expect(throws: CassetteError.self) { try fixture.record([.made(text: "a")]) }
        #expect(throws: CassetteError.self) { try fixture.store.lock(fixture.location) }
        fixture.store.unlock(lock, of: fixture.location)
        #expect(fixture.files.isEmpty)
    }

    @Test func `a journal whose folder is removed is saved from its open files`() throws {
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        for number in 1...3 { try journal.append(.made(number, "GET", "/\(number)", text: "text \(number)")) }
        var large = RecordedExchange.made(4, "GET", "/large", text: "")
        large.response.body = .file(name: "response-4", size: 7, sha256: String(repeating: "0", count: 64))
        try journal.append(large)
        try fixture.folder.write("content", to: "api.journal/response-4")
        FileContents.removeFolder(fixture.location.journalFolder)
        let saved = try fixture.store.finish(journal, to: fixture.location, expecting: 4)
        #expect(saved.journalWasRemoved)
        #expect(saved.exchanges == 3)
        #expect(saved.lost == 1)
        #expect(try fixture.bodies(of: "GET a.test/3") == ["text 3"])
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func `another recording's journal in the place of the removed one stays`() throws {
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try journal.append(.made(1, "GET", "/mine", text: "mine"))
        FileContents.removeFolder(fixture.location.journalFolder)
        let other = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .append)
        try other.append(.made(1, "GET", "/other", text: "other"))
        _ = try fixture.store.finish(journal, to: fixture.location, expecting: 1)
        _ = try fixture.store.finish(other, to: fixture.location, expecting: 1)
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/mine", "GET a.test/other"])
        #expect(fixture.files == ["api.yaml"])
    }
}
