import Synchronization
import TapedeckCore
import Testing

@testable import TapedeckCassettes

@Suite("Cassettes that are shared")
struct CassetteLibraryTests {
    private let folder: TemporaryFolder
    private let library: CassetteLibrary
    /// The number of times that a cassette was loaded.
    private let loads = Counter()

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        for name in ["a", "b"] { try folder.write(WatchedFolder.cassette("set \(name)"), to: "\(name).yaml") }
        self.library = CassetteLibrary(folder: folder.path, store: CassetteStore(digest: TestDigest.digest)) {
            [loads] in
            loads.add()
            return $0
        }
    }

    private func location(_ name: String) throws -> CassetteLocation {
        try self.library.location(named: name)
    }

    private func sets(_ tape: Tape) -> [String] {
        tape.entries.map(\.set.name)
    }

    @Test("The same cassettes in the same order share one tape; another order gives another tape")
    func shared() throws {
        let (a, b) = (try self.location("a"), try self.location("b"))
        let first = try self.library.tape(of: [a, b])
        let second = try self.library.tape(of: [a, b])
        let other = try self.library.tape(of: [b, a])
        #expect(first === second)
        #expect(first !== other)
        #expect(self.sets(other) == ["set b", "set a"])
        #expect(self.loads.count == 2)
    }

    @Test("Concurrent callers get the same tape, and the cassette is loaded once")
    func atOnce() async throws {
        let location = try self.location("a")
        let library = self.library
        let tapes = try await withThrowingTaskGroup(of: Tape.self) { group in
            for _ in 0..<32 { group.addTask { try library.tape(of: [location]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(tapes.map(\.serial)).count == 1)
        #expect(self.loads.count == 1)
    }

    @Test("A tape is kept while it is played, and the last eight are always kept")
    func kept() throws {
        let names = (0...8).map { "n\($0)" }
        for name in names { try self.folder.write(WatchedFolder.cassette(name), to: "\(name).yaml") }
        let played = try self.library.tape(of: [self.location("a")])
        weak let spare = try self.library.tape(of: [self.location("b")])
        #expect(spare != nil)
        for name in names.dropLast() { _ = try self.library.tape(of: [self.location(name)]) }
        #expect(spare == nil)
        weak let last = try self.library.tape(of: [self.location(names[8])])
        #expect(last != nil)
        let again = try self.library.tape(of: [self.location("a")])
        #expect(again === played)
    }

    @Test("A changed cassette plays from the next tape on; an unchanged one keeps its tape")
    func reload() throws {
        let (a, b) = (try self.location("a"), try self.location("b"))
        let both = try self.library.tape(of: [a, b])
        let alone = try self.library.tape(of: [b])
        try self.folder.write(WatchedFolder.cassette("new"), to: "a.yaml")
        #expect(self.library.reload([a, b]) == [a.path])
        #expect(self.sets(try self.library.tape(of: [a, b])) == ["new", "set b"])
        let aloneAgain = try self.library.tape(of: [b])
        #expect(aloneAgain === alone)
        #expect(self.sets(both) == ["set a", "set b"])
        try self.folder.write("# a comment\n" + WatchedFolder.cassette("new"), to: "a.yaml")
        #expect(self.library.reload([a]).isEmpty)
    }

    @Test("A cassette that becomes invalid plays on unchanged, and is listed with its problem")
    func broken() throws {
        let a = try self.location("a")
        let tape = try self.library.tape(of: [a])
        try self.folder.write("tapedeck: 1\nresponseSet: []\n", to: "a.yaml")
        #expect(self.library.reload([a]).isEmpty)
        let same = try self.library.tape(of: [a])
        #expect(same === tape)
        #expect(self.library.list().first?.problem?.contains("responseSet") == true)
        try FileContents.remove(a.path)
        #expect(self.library.look(a) == .missing)
        let still = try self.library.tape(of: [a])
        #expect(still === tape)
    }

    @Test("A cassette to be recorded may be missing, and is found once it exists")
    func missing() throws {
        let (a, later) = (try self.location("a"), try self.location("later"))
        #expect(throws: CassetteError.self) { try self.library.tape(of: [a, later]) }
        let before = try self.library.tape(of: [a, later], mayBeMissing: later)
        #expect(self.sets(before) == ["set a"])
        let same = try self.library.tape(of: [a, later], mayBeMissing: later)
        #expect(same === before)
        #expect(throws: CassetteError.self) { try self.library.tape(of: [a, later]) }
        try self.folder.write(WatchedFolder.cassette("recorded"), to: "later.yaml")
        #expect(self.sets(try self.library.tape(of: [a, later], mayBeMissing: later)) == ["set a", "recorded"])
        #expect(self.sets(try self.library.tape(of: [a, later])) == ["set a", "recorded"])
    }

    @Test("A tape requested after a reload has the new contents, even with concurrent requests")
    func reloadMeanwhile() async throws {
        let (a, b) = (try self.location("a"), try self.location("b"))
        let (library, folder) = (self.library, self.folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while !Task.isCancelled { _ = try library.tape(of: [a, b]) }
                }
            }
            for number in 0..<100 {
                try folder.write(WatchedFolder.cassette("set \(number)"), to: "a.yaml")
                _ = library.reload([a])
                let tape = try library.tape(of: [a, b])
                #expect(tape.entries.map(\.set.name) == ["set \(number)", "set b"])
            }
            group.cancelAll()
        }
    }

    @Test("A saved recording is a change for players of the cassette")
    func recorded() throws {
        let later = try self.location("later")
        let tape = try self.library.tape(of: [later], mayBeMissing: later)
        #expect(tape.entries.isEmpty)
        _ = try self.library.store.save([.made(text: "new")], to: later)
        #expect(self.library.reload([later]) == [later.path])
        #expect(self.sets(try self.library.tape(of: [later])) == ["GET a.test/"])
    }

    @Test("A body file with new content of the same size is a change, reported once")
    func body() throws {
        let b = try self.location("b")
        try self.folder.write("one", to: "b/body.txt")
        try self.folder.write(WatchedFolder.cassette("two", body: "{ file: b/body.txt }"), to: "b.yaml")
        let tape = try self.library.tape(of: [b])
        try self.folder.write("two", to: "b/body.txt")
        #expect(self.library.reload([b]) == [b.path])
        let next = try self.library.tape(of: [b])
        #expect(next !== tape)
        #expect(self.library.reload([b]).isEmpty)
    }

    @Test("A body file that changes while its cassette is invalid is reported once the cassette is valid")
    func bodyMeanwhile() throws {
        let b = try self.location("b")
        try self.folder.write("one", to: "b/body.txt")
        let text = WatchedFolder.cassette("two", body: "{ file: b/body.txt }")
        try self.folder.write(text, to: "b.yaml")
        _ = try self.library.tape(of: [b])
        try self.folder.write("tapedeck: 2\n", to: "b.yaml")
        try self.folder.write("two", to: "b/body.txt")
        #expect(self.library.reload([b]).isEmpty)
        try self.folder.write(text, to: "b.yaml")
        #expect(self.library.reload([b]) == [b.path])
    }

    @Test("The number of kept cassettes that are not played is limited")
    func pruned() throws {
        let played = try self.library.tape(of: [self.location("a")])
        for number in 0..<200 {
            try self.folder.write(WatchedFolder.cassette("s"), to: "n\(number).yaml")
            _ = try self.library.cassette(self.location("n\(number)"))
        }
        #expect(self.library.watched.count < 100)
        let same = try self.library.tape(of: [self.location("a")])
        #expect(same === played)
    }
}

/// Counts from several threads.
private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { self.value.withLock { $0 } }

    func add() {
        self.value.withLock { $0 += 1 }
    }
}
