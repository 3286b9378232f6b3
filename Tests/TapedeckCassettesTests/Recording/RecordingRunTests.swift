import TapedeckCore
import TapedeckPlatform
import TestShare
import Testing

@testable import TapedeckCassettes

/// Recordings of one cassette add up: nothing is removed that was not replaced, and what one session of a run recorded is
/// not replaced by another's answers.
@Suite struct RecordingRunTests {
    private func finish(
        _ fixture: CassetteFixture,
        _ exchanges: [RecordedExchange],
        _ run: RecordingRun,
        _ purpose: RecordingJournal.Purpose = .record
    ) throws -> CassetteStore.Saved {
        let journal = try RecordingJournal.start(at: fixture.location, purpose: purpose)
        for exchange in exchanges { try journal.append(exchange) }
        return try fixture.store.finish(journal, to: fixture.location, expecting: exchanges.count, run: run)
    }

    private func run(
        _ session: String?,
        _ fixture: CassetteFixture,
        began: Int64 = 1_795_255_200
    ) throws -> RecordingRun {
        RecordingRun(
            session: try session.map { try ScenarioName($0) },
            identity: session ?? "",
            begin: Instant(seconds: began),
            seen: FileSignature(fixture.location.path)
        )
    }

    private static func get(_ path: String, _ text: String, time: Int = 1_795_255_200) -> RecordedExchange {
        .made(1, "GET", path, text: text, time: time)
    }

    @Test func `sets and variants that a recording did not request stay as they are`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/a", "a"), .made(2, "GET", "/b", text: "b")])
        let copy =
            "      - name: sold out\n        takes:\n          - status: 200\n            recorded: '2026-11-21T10:00:00Z'\n"
        let text = try fixture.text.replacing("  - name: GET a.test/b", with: copy + "  - name: GET a.test/b")
        try fixture.folder.write(text, to: "api.yaml")
        let saved = try fixture.record([Self.get("/c", "c")])
        #expect(saved.effect.untouched == ["GET a.test/a", "GET a.test/b"])
        #expect(saved.effect.lines[0].hasPrefix("kept 2 response sets that this run did not request"))
        #expect(try fixture.text.hasPrefix(text))
        try fixture.record([Self.get("/a", "new")])
        let set = try #require(try fixture.load().responseSets.first)
        #expect(set.variants.map(\.name) == ["recorded", "sold out"])
        #expect(set.defaultVariant == 0)
        #expect(try fixture.bodies(of: set.name) == ["new"])
        #expect(try fixture.text.contains(copy))
    }

    @Test func `a set without the variant recorded gets one behind the others`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/a", "a")])
        try fixture.folder.write(try fixture.text.replacing("name: recorded", with: "name: sold out"), to: "api.yaml")
        for text in ["new", "newer"] {
            try fixture.record([Self.get("/a", text)])
            let set = try #require(try fixture.load().responseSets.first)
            #expect(set.variants.map(\.name) == ["sold out", "recorded"])
            #expect(try fixture.bodies(of: set.name, variant: "sold out") == ["a"])
            #expect(try fixture.bodies(of: set.name) == [text])
        }
    }

    @Test func `another session's other answer is a variant with a profile of its name`() throws {
        let fixture = try CassetteFixture()
        var run = try self.run("test a", fixture)
        let first = try self.finish(fixture, [Self.get("/a", "1"), .made(2, "GET", "/same", text: "s")], run)
        #expect(first.effect.written == ["GET a.test/a", "GET a.test/same"])
        run = try self.run("test b", fixture)
        run.writers = ["GET a.test/a": "test a", "GET a.test/same": "test a"]
        let second = try self.finish(fixture, [Self.get("/a", "2"), .made(2, "GET", "/same", text: "s")], run)
        #expect(second.effect.conflicts == [.init(set: "GET a.test/a", variant: "test b")])
        #expect(second.effect.lines.contains { $0.contains("the variant \"test b\"") }, "\(second.effect.lines)")
        let cassette = try fixture.load()
        #expect(cassette.responseSets.map { $0.variants.map(\.name) } == [["recorded", "test b"], ["recorded"]])
        #expect(cassette.profiles == [Profile(name: "test b", choices: [.init(.set("GET a.test/a"), "test b")])])
        #expect(try fixture.bodies(of: "GET a.test/a") == ["1"])

        // That session alone, in another run: its own variant is recorded again.
        let alone = try self.finish(fixture, [Self.get("/a", "3")], try self.run("test b", fixture))
        #expect(alone.effect.conflicts.isEmpty)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["1"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "test b") == ["3"])
        // The first one alone, too.
        _ = try self.finish(fixture, [Self.get("/a", "4")], try self.run("test a", fixture))
        #expect(try fixture.bodies(of: "GET a.test/a") == ["4"])
    }

    @Test func `a session that records again replaces its own answers`() throws {
        let fixture = try CassetteFixture()
        var run = try self.run("test a", fixture)
        _ = try self.finish(fixture, [Self.get("/a", "1")], run)
        run.writers = ["GET a.test/a": "test a"]
        _ = try self.finish(fixture, [Self.get("/a", "2")], run)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["2"])
        #expect(try fixture.load().responseSets[0].variants.count == 1)
    }

    @Test func `what another process recorded since the run began is another session's`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/old", "old", time: 1_795_255_000), .made(2, "GET", "/a", text: "0")])
        let run = try self.run("test b", fixture)
        // The other process, meanwhile.
        try fixture.record([Self.get("/a", "1", time: 1_795_255_300)])
        let saved = try self.finish(fixture, [Self.get("/a", "2"), .made(2, "GET", "/old", text: "new")], run)
        #expect(saved.effect.conflicts == [.init(set: "GET a.test/a", variant: "test b")])
        #expect(try fixture.bodies(of: "GET a.test/old") == ["new"])
    }

    @Test func `recordings at the same time have journals of their own, and nothing of them is left`() throws {
        let fixture = try CassetteFixture()
        let journals = try (1...3).map { _ in try RecordingJournal.start(at: fixture.location, purpose: .record) }
        #expect(Set(journals.map(\.folder)).count == 3)
        #expect(RecordingJournal.isInUse(folder: fixture.location.journalFolder))
        for (number, journal) in journals.enumerated() {
            try journal.append(.made(1, "GET", "/\(number)", text: "\(number)"))
        }
        for journal in [journals[1], journals[0], journals[2]] {
            #expect(try fixture.store.finish(journal, to: fixture.location, expecting: 1).exchanges == 1)
        }
        #expect(try fixture.load().responseSets.map(\.name) == (0...2).map { "GET a.test/\($0)" })
        #expect(fixture.files == ["api.yaml"])
        #expect(!RecordingJournal.isInUse(folder: fixture.location.journalFolder))
    }

    @Test func `journals of several killed recordings are all recovered`() throws {
        let fixture = try CassetteFixture()
        do {
            let journals = try (1...3).map { _ in try RecordingJournal.start(at: fixture.location, purpose: .record) }
            for (number, journal) in journals.enumerated() {
                try journal.append(.made(1, "GET", "/\(number)", text: "\(number)"))
            }
        }
        // An interrupted journal is in nobody's way, and not overwritten.
        let running = try RecordingJournal.start(at: fixture.location, purpose: .append)
        let saved = try #require(try fixture.store.recover(fixture.location))
        #expect(saved.exchanges == 3)
        #expect(try fixture.load().responseSets.count == 3)
        try running.append(.made(1, "GET", "/late", text: "late"))
        _ = try fixture.store.finish(running, to: fixture.location, expecting: 1)
        #expect(try fixture.load().responseSets.count == 4)
        #expect(fixture.files == ["api.yaml"])
    }

    /// Starts a recording whose exchange is at the given second; it ends with the result.
    private func start(_ fixture: CassetteFixture, _ text: String, at second: Int) throws -> RecordingJournal {
        let journal = try RecordingJournal.start(
            at: fixture.location,
            purpose: .record,
            begin: Instant(seconds: Int64(second))
        )
        try journal.append(Self.get("/a", text, time: second))
        return journal
    }

    @Test func `different answers in the journals of several killed recordings are all recovered`() throws {
        let fixture = try CassetteFixture()
        do {
            let journals = try (0..<3).map { try self.start(fixture, "\($0)", at: 1_795_255_200 + $0 * 100) }
            #expect(journals.map(\.begin?.seconds) == [1_795_255_200, 1_795_255_200, 1_795_255_200])
        }
        let saved = try #require(try fixture.store.recover(fixture.location))
        #expect(saved.effect.conflicts.map(\.variant) == ["recorded (2)", "recorded (3)"])
        for (number, name) in ["recorded", "recorded (2)", "recorded (3)"].enumerated() {
            #expect(try fixture.bodies(of: "GET a.test/a", variant: name) == ["\(number)"])
        }
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func `a recovered recording does not replace a later one`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([
            Self.get("/a", "0", time: 1_795_255_000), .made(2, "GET", "/b", text: "0", time: 1_795_255_000),
        ])
        do {
            let killed = try self.start(fixture, "killed", at: 1_795_255_200)
            try killed.append(.made(2, "GET", "/b", text: "new", time: 1_795_255_201))
        }
        // Another deck that was running then.
        let later = try RecordingJournal.start(at: fixture.location, purpose: .record)
        try later.append(Self.get("/a", "later", time: 1_795_255_300))
        _ = try fixture.store.finish(later, to: fixture.location, expecting: 1)
        let saved = try #require(try fixture.store.recover(fixture.location))
        #expect(saved.effect.conflicts == [.init(set: "GET a.test/a", variant: "recorded (2)")])
        #expect(try fixture.bodies(of: "GET a.test/a") == ["later"])
        #expect(try fixture.bodies(of: "GET a.test/a", variant: "recorded (2)") == ["killed"])
        #expect(try fixture.bodies(of: "GET a.test/b") == ["new"])
    }

    @Test func `a recording that was saved as it was killed is recovered as it is`() throws {
        let fixture = try CassetteFixture()
        do {
            let journal = try self.start(fixture, "1", at: 1_795_255_200)
            // Saved, but the journal was not removed.
            let copy = try fixture.store.save(
                try journal.recording(),
                in: journal.folder,
                to: fixture.location,
                ledger: try BodyLedger(fixture.location, journal: journal.folder),
                removesJournal: false,
                search: { exchange, _ in exchange },
                traits: { _ in [:] }
            )
            #expect(copy.exchanges == 1)
        }
        let text = try fixture.text
        let saved = try #require(try fixture.store.recover(fixture.location))
        #expect(saved.effect.conflicts.isEmpty)
        #expect(try fixture.text == text)
    }

    @Test func `the answer that came before the second of two decks started is not overwritten`() throws {
        let fixture = try CassetteFixture()
        let first = try self.start(fixture, "1", at: 1_795_255_200)
        let second = try self.start(fixture, "2", at: 1_795_255_300)
        let begin = try #require(second.begin)
        let run = RecordingRun(begin: begin, seen: FileSignature(fixture.location.path))
        _ = try fixture.store.finish(first, to: fixture.location, expecting: 1)
        let saved = try fixture.store.finish(second, to: fixture.location, expecting: 1, run: run)
        #expect(saved.effect.conflicts == [.init(set: "GET a.test/a", variant: "recorded (2)")])
        #expect(try fixture.bodies(of: "GET a.test/a") == ["1"])
        // Without others the run begins with the recording.
        let alone = try self.start(fixture, "3", at: 1_795_255_400)
        #expect(alone.begin?.seconds == 1_795_255_400)
        RecordingJournal.remove(folder: alone.folder)
    }

    @Test func `a clean recording removes nothing that another one of its run saved`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/old", "0", time: 1_795_255_000)])
        let run = try self.run(nil, fixture)
        try fixture.record([Self.get("/other", "1", time: 1_795_255_300)])
        let journal = try RecordingJournal.start(at: fixture.location, purpose: .record)
        try journal.append(Self.get("/a", "2"))
        let saved = try fixture.store.finish(journal, to: fixture.location, expecting: 1, cleans: true, run: run)
        #expect(saved.effect.removed == ["GET a.test/old"])
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/a", "GET a.test/other"])
    }

    @Test func `a cassette that is a link, or has a mode of its own, stays that`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/a", "1")])
        let target = fixture.folder.path("real.yaml")
        try FileContents.move(fixture.location.path, to: target)
        #expect(chmod(target, 0o640) == 0)
        #expect(symlink("real.yaml", fixture.location.path) == 0)
        try fixture.record([Self.get("/a", "2")])
        #expect(FileContents.isLink(fixture.location.path))
        #expect(try fixture.bodies(of: "GET a.test/a") == ["2"])
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a file without a last line end gets one of its kind`(_ lineEnd: String) throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/a", "1")])
        var lines = try fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.last == "" { lines.removeLast() }
        try fixture.folder.write(lines.joined(separator: lineEnd), to: "api.yaml")
        try fixture.record([.made(1, "GET", "/b", text: "2")])
        let bytes = Array(try fixture.text.utf8)
        let bare = bytes.indices.count { bytes[$0] == ASCII.lineFeed && bytes[$0 - 1] != ASCII.carriageReturn }
        let all = bytes.count { $0 == ASCII.lineFeed }
        #expect(bare == (lineEnd == "\n" ? all : 0))
        #expect(try fixture.load().responseSets.count == 2)
    }

    @Test func `ranges that were not requested again stay if they are of the same version`() throws {
        let fixture = try CassetteFixture()
        func part(_ range: String, tag: String) -> RecordedExchange {
            let fields = [HeaderField("ETag", tag), HeaderField("Content-Range", "bytes \(range)/10")]
            var exchange = RecordedExchange.made(1, "GET", "/file", headers: fields, text: range)
            exchange.response.status = 206
            exchange.requestHeaders = [HeaderField("Range", "bytes=\(range)")]
            return exchange
        }
        try fixture.record([part("0-4", tag: "\"1\""), part("5-9", tag: "\"1\"")])
        try fixture.record([part("0-4", tag: "\"1\"")])
        #expect(try fixture.bodies(of: "GET a.test/file") == ["0-4", "5-9"])
        try fixture.append([part("2-3", tag: "\"1\"")])
        #expect(try Set(fixture.bodies(of: "GET a.test/file")) == ["0-4", "5-9", "2-3"])
        // The client has it already.
        var known = RecordedExchange.made(1, "GET", "/file", text: "")
        known.response.status = 304
        known.requestHeaders = [HeaderField("If-None-Match", "\"1\"")]
        try fixture.record([known])
        #expect(try fixture.bodies(of: "GET a.test/file").count == 4)
        try fixture.record([part("0-4", tag: "\"2\"")])
        #expect(try Set(fixture.bodies(of: "GET a.test/file")) == ["0-4", ""])
        // Without a strong validator two recordings may be of two versions.
        try fixture.record([part("0-4", tag: "W/\"3\"")])
        try fixture.record([part("5-9", tag: "W/\"3\"")])
        #expect(try Set(fixture.bodies(of: "GET a.test/file")) == ["5-9", ""])
    }

    @Test func `ranges of two sessions add up`() throws {
        let fixture = try CassetteFixture()
        func part(_ range: String) -> RecordedExchange {
            let fields = [HeaderField("ETag", "\"1\""), HeaderField("Content-Range", "bytes \(range)/10")]
            var exchange = RecordedExchange.made(1, "GET", "/file", headers: fields, text: range)
            exchange.response.status = 206
            exchange.requestHeaders = [HeaderField("Range", "bytes=\(range)")]
            return exchange
        }
        var run = try self.run("test a", fixture)
        _ = try self.finish(fixture, [part("0-4")], run)
        run = try self.run("test b", fixture)
        run.writers = ["GET a.test/file": "test a"]
        let second = try self.finish(fixture, [part("5-9")], run)
        #expect(second.effect.conflicts.isEmpty)
        #expect(try fixture.bodies(of: "GET a.test/file") == ["0-4", "5-9"])
    }

    @Test func `a copy that has the name of a session is a person's`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/a", "0", time: 1_795_255_000)])
        let copy =
            "      - name: sold out\n        takes:\n          - status: 200\n            recorded: '2026-11-21T10:00:00Z'\n"
        try fixture.folder.write(try fixture.text + copy, to: "api.yaml")
        var run = try self.run("sold out", fixture)
        run.writers = ["GET a.test/a": "another"]
        _ = try self.finish(fixture, [Self.get("/a", "1")], run)
        _ = try fixture.record([Self.get("/a", "2")], variant: "sold out")
        let set = try #require(try fixture.load().responseSets.first)
        #expect(set.variants.map(\.name) == ["recorded", "sold out", "sold out (2)"])
        #expect(try fixture.bodies(of: set.name, variant: "sold out") == [""])
    }

    @Test func `other answers of a later run replace those of an earlier one`() throws {
        let fixture = try CassetteFixture()
        for begin in [1_795_255_200, 1_795_265_200] {
            let time = Int64(begin)
            var run = try self.run(nil, fixture, began: time)
            _ = try self.finish(fixture, [Self.get("/a", "first \(begin)", time: begin)], run)
            run.writers = ["GET a.test/a": "another"]
            _ = try self.finish(fixture, [Self.get("/a", "second \(begin)", time: begin)], run)
            let set = try #require(try fixture.load().responseSets.first)
            #expect(set.variants.map(\.name) == ["recorded", "recorded (2)"])
            #expect(try fixture.bodies(of: set.name, variant: "recorded (2)") == ["second \(begin)"])
        }
    }

    @Test func `a clean recording that lacks answers removes nothing`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.get("/old", "0", time: 1_795_255_000)])
        let journal = try RecordingJournal.start(at: fixture.location, purpose: .record)
        try journal.append(Self.get("/a", "2"))
        let saved = try fixture.store.finish(
            journal,
            to: fixture.location,
            expecting: 1,
            cleans: true,
            isComplete: false
        )
        #expect(saved.effect.unreached == ["GET a.test/old"])
        #expect(try fixture.load().responseSets.count == 2)
    }

    /// Recordings of all kinds one after the other: each take on tape is of the last one that replaced it, and what a person
    /// wrote stays.
    @Test(arguments: seeds(8))
    func `what no later recording replaced is still on tape`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try CassetteFixture()
        var expected: [String: [String]] = [:]
        var copies: Set<String> = []
        for step in 0..<20 {
            var paths = (0..<6).map { "/\($0)" }.shuffled(using: &random)
            paths.removeLast(Int.random(in: 1...4, using: &random))
            let kind = Int.random(in: 0..<6, using: &random)
            if kind == 3 { paths.removeAll { expected["GET a.test\($0)"] != nil } }
            var exchanges: [RecordedExchange] = []
            for (number, path) in paths.enumerated() {
                let isFailure = kind == 4 && Bool.random(using: &random)
                var exchange = RecordedExchange.made(number, "GET", path, text: "\(path) \(step)")
                if isFailure {
                    exchange.response = RecordedResponse()
                    exchange.response.fault = .connectionRefused
                } else {
                    expected["GET a.test\(path)"] = ["\(path) \(step)"]
                }
                exchanges.append(exchange)
            }
            switch kind {
            case 0:
                try fixture.interrupt(exchanges)
                _ = try fixture.store.recover(fixture.location)
            case 1: try fixture.record(exchanges, commandFailed: true)
            case 2:
                let half = exchanges.count / 2
                let journals = try [exchanges[..<half], exchanges[half...]].map { part in
                    let journal = try RecordingJournal.start(at: fixture.location, purpose: .record)
                    for exchange in part { try journal.append(exchange) }
                    return (journal, part.count)
                }
                for (journal, count) in journals.shuffled(using: &random) {
                    _ = try fixture.store.finish(journal, to: fixture.location, expecting: count)
                }
            case 3: try fixture.append(exchanges)
            default: try fixture.record(exchanges)
            }
            guard !expected.isEmpty else { continue }
            if kind == 5, let name = expected.keys.sorted().first(where: { !copies.contains($0) }) {
                // A person's own variant, in front of the recorded one or behind it.
                let text = try fixture.text
                let copy = "      - name: mine\n        takes:\n          - status: 418\n"
                let set = try #require(text.range(of: "  - name: \(name)\n"))
                let place = try #require(text[set.upperBound...].range(of: "    variants:\n")).upperBound
                try fixture.folder.write(text[..<place] + copy + text[place...], to: "api.yaml")
                copies.insert(name)
            }
            let sets = try fixture.load().responseSets
            #expect(Set(sets.map(\.name)) == Set(expected.keys), "step \(step), \(kind)")
            for set in sets {
                #expect(try fixture.bodies(of: set.name) == expected[set.name], "step \(step), \(kind)")
                let names = copies.contains(set.name) ? ["mine", "recorded"] : ["recorded"]
                #expect(set.variants.map(\.name) == names, "step \(step), \(kind)")
            }
        }
    }
}
