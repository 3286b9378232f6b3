import TapedeckCore
import Testing

@testable import TapedeckCassettes

@Suite("Saving exchanges after the fact")
struct SnapshotTests {
    @Test("A missing cassette is made, with large bodies beside it")
    func new() throws {
        let fixture = try CassetteFixture()
        let large = String(repeating: "long ", count: 20_000)
        let saved = try fixture.store.save(
            [.made(1, "GET", "/a", text: "one"), .made(2, "GET", "/b", type: "text/plain", text: large)],
            to: fixture.location
        )
        #expect(saved.exchanges == 2)
        #expect(saved.changed)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["one"])
        #expect(try fixture.bodies(of: "GET a.test/b") == [large])
        #expect(fixture.bodyFiles.count == 1)
        #expect(fixture.files == ["api", "api.yaml"])
    }

    @Test("Existing sets stay, as when a recording appends")
    func appends() throws {
        let exchanges: [RecordedExchange] = [
            .made(1, "GET", "/a", text: "two", time: 1_795_255_300), .made(2, "GET", "/b", text: "other"),
        ]
        let (saved, appended) = (try CassetteFixture(), try CassetteFixture())
        for fixture in [saved, appended] { try fixture.record([.made(1, "GET", "/a", text: "one")]) }
        _ = try saved.store.save(exchanges, to: saved.location)
        try appended.append(exchanges)
        #expect(try saved.text == appended.text)
        #expect(try saved.bodies(of: "GET a.test/b") == ["other"])
    }

    @Test("Saving no exchanges changes nothing")
    func nothing() throws {
        let fixture = try CassetteFixture()
        #expect(try fixture.store.save([], to: fixture.location) == CassetteStore.Saved(exchanges: 0, changed: false))
        #expect(fixture.files.isEmpty)
    }

    @Test("Saving to a cassette that is being recorded adds to it")
    func recording() throws {
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try journal.append(.made(text: "recorded"))
        _ = try fixture.store.save([.made(1, "GET", "/b", text: "late")], to: fixture.location)
        let saved = try fixture.store.finish(journal, to: fixture.location, expecting: 1)
        #expect(saved.exchanges == 1)
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/", "GET a.test/b"])
        #expect(fixture.files == ["api.yaml"])
    }

    @Test("An interrupted recording is recovered")
    func interrupted() throws {
        let fixture = try CassetteFixture()
        try fixture.interrupt([.made(1, "GET", "/a", text: "left")])
        let saved = try fixture.store.save([.made(1, "GET", "/b", text: "new")], to: fixture.location)
        #expect(saved.exchanges == 1)
        #expect(try fixture.load().responseSets.map(\.name).sorted() == ["GET a.test/a", "GET a.test/b"])
        #expect(fixture.files == ["api.yaml"])
    }

    @Test("An invalid cassette stays unchanged, and the next start recovers nothing")
    func broken() throws {
        let text = CassetteText.take("stauts: 200")
        let fixture = try CassetteFixture(text)
        #expect(throws: CassetteError.self) { try fixture.store.save([.made(text: "new")], to: fixture.location) }
        #expect(try fixture.text == text)
        #expect(fixture.files == ["api.yaml"])
        let recovered = try fixture.store.recover(fixture.location)
        #expect(recovered == nil)
    }
}
