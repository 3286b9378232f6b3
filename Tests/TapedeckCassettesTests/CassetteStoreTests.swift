import TapedeckCore
import TestShare
import Testing

@testable import TapedeckCassettes

/// Loading, and what a recording may and may not do to the file.
@Suite
struct CassetteStoreTests {
    private static let handWritten = CassetteText.take("status: 200\nbody: { text: by hand }")

    @Test func aMissingCassetteSaysHowToRecordIt() throws {
        let fixture = try CassetteFixture()
        let error = #expect(throws: CassetteError.self) { try fixture.load() }
        #expect(
            error?.description == "\(fixture.location.path): error: there is no such cassette; record it with: "
                + "tapedeck record api -- COMMAND"
        )
    }

    @Test func aMistypedNameIsRecognised() throws {
        let fixture = try CassetteFixture()
        try fixture.folder.write("tapedeck: 1\n", to: "github.yaml")
        try fixture.folder.write("x", to: "githup.txt")
        let location = CassetteLocation("gihtub", folder: fixture.folder.path)
        let error = #expect(throws: CassetteError.self) { try fixture.store.load(location) }
        #expect(error?.description.hasSuffix("there is no such cassette; did you mean github?") == true)
    }

    @Test func aCassetteWithErrorsIsNotLoadedAndEveryErrorIsReported() throws {
        let fixture = try CassetteFixture(CassetteText.take("status: 7\nheader: x"))
        let error = #expect(throws: CassetteError.self) { try fixture.load() }
        #expect(error?.diagnostics.count == 2)
        #expect(error?.diagnostics.allSatisfy { $0.path == fixture.location.path } == true)
    }

    @Test func aCassetteWithAWarningPlays() throws {
        let fixture = try CassetteFixture(CassetteText.request("url: https://a.test/\nmethod: get"))
        #expect(try fixture.store.check(fixture.location).diagnostics.count == 1)
        #expect(try fixture.load().responseSets.count == 1)
    }

    @Test func theExamplesInTheRepositoryAreSound() throws {
        let folder = FilePath.join(
            "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/"),
            "cassettes"
        )
        let names = FileContents.names(in: folder).filter { $0.hasSuffix(".yaml") }
        let store = CassetteStore(digest: TestDigest.digest)
        for name in names {
            let result = try store.check(CassetteLocation(FilePath.join(folder, name), folder: ""))
            #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
            #expect(!result.cassette.responseSets.isEmpty)
        }
        #expect(!names.isEmpty)
    }

    @Test func withNothingRecordedTheFileStaysAsItIs() throws {
        let fixture = try CassetteFixture(Self.handWritten)
        #expect(try fixture.record([]) == CassetteStore.Saved(exchanges: 0, changed: false))
        #expect(try fixture.text == Self.handWritten)
        #expect(fixture.files == ["api.yaml"])
        let fresh = try CassetteFixture()
        try fresh.record([])
        #expect(fresh.files.isEmpty)
    }

    @Test func aCassetteWithErrorsIsNeverWrittenOver() throws {
        for text in [CassetteText.take("stauts: 200"), "tapedeck: 1\nabout: \"open\n", "tapedeck: 2\n", "", "notes\n"] {
            let fixture = try CassetteFixture(text)
            #expect(throws: CassetteError.self) { try fixture.record([.made(text: "new")]) }
            #expect(try fixture.text == text)
            // Nothing is lost: the journal can be recovered once the file is corrected.
            try fixture.folder.write(Self.handWritten, to: "api.yaml")
            #expect(try fixture.store.recover(fixture.location)?.exchanges == 1)
            #expect(try fixture.text.contains("text: new"))
        }
    }

    @Test func theJournalIsRemovedWhenTheRecordingIsSaved() throws {
        let fixture = try CassetteFixture()
        #expect(try fixture.record([.made(text: "a")]) == CassetteStore.Saved(exchanges: 1, changed: true))
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func recordingTheSameTrafficTwiceChangesNothing() throws {
        let fixture = try CassetteFixture()
        let exchanges: [RecordedExchange] = [
            .made(1, "GET", "/a", type: "application/json", text: #"{"a":1}"#), .made(2, "GET", "/a", text: "two"),
            .made(3, "POST", "/b", text: "x", sends: "1"), .made(4, "POST", "/b", text: "y", sends: "2"),
            .made(5, "GET", "/image", type: "image/png", body: Array(repeating: 0xFF, count: 5_000)),
        ]
        try fixture.record(exchanges)
        let text = try fixture.text
        let bodies = fixture.bodyFiles
        #expect(try fixture.record(exchanges) == CassetteStore.Saved(exchanges: 5, changed: false))
        #expect(try fixture.text == text)
        #expect(fixture.bodyFiles == bodies)
        #expect(try fixture.store.check(fixture.location).diagnostics.isEmpty)
        let other = try CassetteFixture()
        try other.record(exchanges)
        #expect(try other.text == text)
    }

    @Test func differentLatenciesChangeOnlyTheRecordedLines() throws {
        let fixture = try CassetteFixture()
        var exchanges: [RecordedExchange] = [
            .made(1, "GET", "/a", text: "one"), .made(2, "GET", "/a", text: "two"),
            .made(3, "GET", "/b", text: "three"),
        ]
        for index in 0..<2 { exchanges[index].response.latency = 120 + index }
        try fixture.record(exchanges)
        let before = try fixture.text.split(separator: "\n")
        let takes = try fixture.load().responseSets.flatMap(\.variants).flatMap(\.takes)
        #expect(takes.map(\.latency) == [120, 121, nil])
        #expect(takes[0].recorded == "2026-11-21T10:00:00Z, request 1, answered in 120 ms")
        #expect(takes[2].recorded == "2026-11-21T10:00:00Z")
        for index in exchanges.indices {
            exchanges[index].response.latency = 7 * index
            exchanges[index].time += 60
        }
        #expect(try fixture.record(exchanges).changed)
        let after = try fixture.text.split(separator: "\n")
        #expect(after.count == before.count)
        let changed = zip(before, after).filter { $0 != $1 }.map(\.1)
        #expect(changed.count == 3)
        #expect(changed.allSatisfy { $0.contains("recorded: '2026-11-21T10:01:00Z, request ") })
    }

    @Test(arguments: seeds(4))
    func theOrderInWhichExchangesEndDoesNotChangeTheFile(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let exchanges = (1...12).map { number in
            RecordedExchange.made(
                number,
                number % 2 == 0 ? "GET" : "POST",
                "/\(number % 5)",
                text: "answer \(number)",
                sends: number % 3 == 0 ? "body" : ""
            )
        }
        let inOrder = try CassetteFixture()
        try inOrder.record(exchanges)
        let shuffled = try CassetteFixture()
        try shuffled.record(exchanges.shuffled(using: &generator))
        #expect(try shuffled.text == inOrder.text)
    }

    @Test func newSetsAreSortedByURLThenMethod() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            .made(1, "POST", "/b", text: "1"), .made(2, "GET", "/c", text: "2"), .made(3, "GET", "/b", text: "3"),
            .made(4, "GET", "/a?z=1", text: "4"), .made(5, "GET", "/a", text: "5"),
        ])
        #expect(
            try fixture.load().responseSets.map(\.name)
                == ["GET a.test/a", "GET a.test/a?z=1", "GET a.test/b", "POST a.test/b", "GET a.test/c"]
        )
    }

    @Test func namesAreMadeUniqueTheSameWayEachTime() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            .made(1, "GET", "/a?q=1", text: "1"), .made(2, "GET", "/a?q=2", text: "2"),
            .made(3, "POST", "/b", text: "3", sends: "x"), .made(4, "POST", "/b", text: "4", sends: "y"),
            .made(5, "GET", "/only?q=1", text: "5"),
        ])
        #expect(
            try fixture.load().responseSets.map(\.name)
                == ["GET a.test/a?q=1", "GET a.test/a?q=2", "POST a.test/b", "POST a.test/b (2)", "GET a.test/only"]
        )
    }

    // MARK: Interrupted recordings

    @Test func anInterruptedRecordingIsRecoveredAndOldTakesStay() throws {
        let fixture = try CassetteFixture()
        try fixture.record([.made(1, "GET", "/old", text: "old"), .made(2, "GET", "/both", text: "first")])
        try fixture.interrupt([.made(1, "GET", "/new", text: "new"), .made(2, "GET", "/both", text: "second")])
        let saved = try #require(try fixture.store.recover(fixture.location))
        #expect(saved.exchanges == 2)
        #expect(saved.changed)
        #expect(saved.effect.replaced == ["GET a.test/both"])
        #expect(try fixture.bodies(of: "GET a.test/old") == ["old"])
        #expect(try fixture.bodies(of: "GET a.test/new") == ["new"])
        #expect(try fixture.bodies(of: "GET a.test/both").last == "second")
        #expect(fixture.files == ["api.yaml"])
        #expect(try fixture.store.recover(fixture.location) == nil)
    }

    @Test func anEmptyJournalIsRemoved() throws {
        let fixture = try CassetteFixture(Self.handWritten)
        try fixture.interrupt([])
        #expect(try fixture.store.recover(fixture.location) == nil)
        #expect(fixture.files == ["api.yaml"])
        #expect(try fixture.text == Self.handWritten)
    }

    @Test func aRunningRecordingIsLeftAlone() throws {
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try journal.append(.made(text: "a"))
        #expect(try fixture.store.recover(fixture.location) == nil)
        #expect(try RecordingJournal.read(folder: fixture.location.journalFolder)?.exchanges.count == 1)
        try journal.append(.made(2, text: "b"))
        #expect(try fixture.store.finish(journal, to: fixture.location, expecting: 1).exchanges == 2)
    }

    @Test func anUnreadableRecordingIsNotWrittenAndItsJournalStays() throws {
        let fixture = try CassetteFixture(Self.handWritten)
        var broken = RecordedExchange.made(text: "a")
        broken.response.status = 0
        #expect(throws: CassetteError.self) { try fixture.record([broken]) }
        #expect(try fixture.text == Self.handWritten)
        #expect(try RecordingJournal.read(folder: fixture.location.journalFolder)?.exchanges == [broken])
    }

    @Test func aJournalThatLostItsExchangesIsAnError() throws {
        let fixture = try CassetteFixture(Self.handWritten)
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try journal.append(.made(text: "a"))
        #expect(throws: CassetteError.self) {
            try fixture.store.finish(journal, to: fixture.location, expecting: 2)
        }
        #expect(try fixture.text == Self.handWritten)
        #expect(FileContents.exists(fixture.location.journalFolder))
    }

    @Test func oneOfSeveralConcurrentStartsRecoversAJournal() async throws {
        let fixture = try CassetteFixture()
        try fixture.interrupt((1...200).map { .made($0, text: "take \($0)") })
        let store = fixture.store
        let location = fixture.location
        let saved = try await withThrowingTaskGroup(of: CassetteStore.Saved?.self) { group in
            for _ in 0..<8 { group.addTask { try store.recover(location) } }
            return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
        }
        #expect(saved.map(\.exchanges) == [200])
        #expect(try fixture.load().responseSets.flatMap(\.variants).flatMap(\.takes).count == 200)
        #expect(!FileContents.exists(location.journalFolder))
    }
}
