import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TestShare
import Testing

@Suite
struct RecordingJournalTests {
    private let folder: TemporaryFolder
    private let journalFolder: String

    init() throws {
        self.folder = try TemporaryFolder()
        self.journalFolder = self.folder.path("api.journal")
    }

    /// A journal that held the exchanges and was closed.
    private func write(_ exchanges: [RecordedExchange], _ purpose: RecordingJournal.Purpose = .record) throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: purpose)
        for exchange in exchanges { try journal.append(exchange) }
    }

    private func read() throws -> [RecordedExchange]? {
        try RecordingJournal.read(folder: self.journalFolder)?.exchanges
    }

    private static func random(_ number: Int, _ generator: inout SeededRandom, limit: Int = 300) -> RecordedExchange {
        let texts = YAMLWriterTests.awkward
        func text() -> String { texts.randomElement(using: &generator) ?? "" }
        func fields() -> [HeaderField] {
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in HeaderField(text(), text()) }
        }
        func body() -> RecordedBody {
            if Int.random(in: 0...3, using: &generator) == 0 {
                return .file(name: text(), size: Int.random(in: 0...(1 << 40), using: &generator), sha256: text())
            }
            let count = Int.random(in: 0...limit, using: &generator)
            return .bytes((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        var response = RecordedResponse()
        response.status = Int.random(in: 0...999, using: &generator)
        response.reason = text()
        response.interim = (0..<Int.random(in: 0...2, using: &generator)).map {
            Take.Interim(status: 102 + $0, headers: fields())
        }
        response.headers = fields()
        response.body = body()
        response.trailers = fields()
        response.endsAtClose = Bool.random(using: &generator)
        response.fault = Bool.random(using: &generator) ? Fault.allCases.randomElement(using: &generator) : nil
        response.faultOptions.after = Bool.random(using: &generator) ? .messages(number) : nil
        response.faultOptions.code = Bool.random(using: &generator) ? .cancel : nil
        response.isHTTP2 = Bool.random(using: &generator)
        response.detail = Bool.random(using: &generator) ? "x" + text() : nil
        response.pieces = (0..<Int.random(in: 0...3, using: &generator)).map { RecordedPiece(size: $0 + 1, time: $0) }
        response.latency = Bool.random(using: &generator) ? Int.random(in: 0...(1 << 40), using: &generator) : nil
        var exchange = RecordedExchange(
            number: number,
            method: text(),
            url: text(),
            requestHeaders: fields(),
            requestBody: body(),
            response: response,
            time: Int.random(in: -1...(1 << 40), using: &generator)
        )
        exchange.zone = Bool.random(using: &generator) ? 0 : -330
        exchange.requestPart = [.whole, .unknown, .firstMessages].randomElement(using: &generator) ?? .whole
        return exchange
    }

    @Test(arguments: seeds(3))
    func appendedExchangesReadBack(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let exchanges = (0..<200).map { Self.random($0, &generator) }
        try self.write(exchanges)
        #expect(try self.read() == exchanges)
    }

    @Test(arguments: [RecordingJournal.Purpose.record, .append])
    func keepsItsPurpose(_ purpose: RecordingJournal.Purpose) throws {
        try self.write([], purpose)
        let contents = try #require(try RecordingJournal.read(folder: self.journalFolder))
        #expect(contents.purpose == purpose)
        #expect(contents.exchanges.isEmpty)
    }

    @Test func anExchangeCanBeReadWhileTheRecordingRuns() throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: .record)
        for number in 1...3 {
            try journal.append(.made(number, text: "body \(number)"))
            #expect(try self.read()?.count == number)
        }
        withExtendedLifetime(journal) {}
    }

    @Test func aRewrittenExchangeReplacesTheOriginalWithoutATrace() throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: .record)
        for number in 1...4 { try journal.append(.made(number, text: "the secret of \(number)")) }
        try journal.rewrite(last: 1 << 20) { exchange in
            exchange.number == 2 ? .made(2, text: "nothing to see") : nil
        }
        try journal.append(.made(5, text: "the secret of 5"))
        let texts = try self.read()?.map { exchange -> String in
            guard case .bytes(let bytes) = exchange.response.body else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        let kept = [1, 3, 4, 5].map { "the secret of \($0)" }
        #expect(texts == [kept[0], "nothing to see"] + kept[1...])
        let file = String(decoding: try FileContents.read("\(self.journalFolder)/exchanges"), as: UTF8.self)
        #expect(!file.contains("the secret of 2"))
        #expect(file.contains("the secret of 3"))
        withExtendedLifetime(journal) {}
    }

    @Test func onlyTheLastBytesAreSearchedForARewrite() throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: .record)
        for number in 1...100 { try journal.append(.made(number, text: String(repeating: "x", count: 1_000))) }
        var seen: [Int] = []
        try journal.rewrite(last: 5_000) { exchange in
            seen.append(exchange.number)
            return nil
        }
        #expect(seen.last == 100)
        #expect((2...5).contains(seen.count), "\(seen)")
        #expect(try self.read()?.count == 100)
    }

    @Test func exchangesComeInTheOrderOfTheirRequests() throws {
        try self.write([3, 1, 2].map { .made($0, text: "\($0)") })
        #expect(try self.read()?.map(\.number) == [1, 2, 3])
    }

    @Test func aMissingOrInvalidJournalReadsAsNone() throws {
        #expect(try self.read() == nil)
        #expect(!RecordingJournal.isInUse(folder: self.journalFolder))
        let space = String(repeating: "\0", count: 100)
        for text in ["TAPEDECK JOURNAL 3 record\n", "TAPEDECK JOURNAL x record\n\(space)", "notes\n\(space)"] {
            try self.folder.write(text, to: "api.journal/exchanges")
            #expect(try self.read() == nil)
        }
    }

    @Test func aJournalOfANewerTapedeckIsRefusedAndStays() throws {
        let text = "TAPEDECK JOURNAL \(RecordingJournal.version + 1) record\n" + String(repeating: "\0", count: 100)
        try self.folder.write(text, to: "api.journal/exchanges")
        let error = #expect(throws: CassetteError.self) { try self.read() }
        #expect(error?.description.contains("left by a newer Tapedeck; start that one") == true)
        let location = CassetteLocation("api", folder: self.folder.path)
        #expect(throws: CassetteError.self) { try CassetteStore(digest: TestDigest.digest).recover(location) }
        #expect(try self.folder.text("api.journal/exchanges") == text)
    }

    /// The bytes of version 1: the exchange of `made(1, text: "hello")`, without a latency.
    @Test func aJournalOfThePreviousVersionIsRecovered() throws {
        func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        func text(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }
        let request = number(1) + number(1_795_255_200) + text("GET") + text("https://a.test/") + number(0)
        let response = number(200) + text("OK") + number(0) + number(0) + number(0) + text("hello") + number(0)
        let payload = request + number(0) + number(0) + response + number(0) + text("") + text("")
        // A gzip stream ends with the CRC-32 of its content, and its size.
        let checksum = try ContentCoder.encode(payload, .gzip).suffix(8).prefix(4)
        var bytes = Array("TAPEDECK JOURNAL 1 append\n".utf8)
        bytes += repeatElement(0, count: 64 - bytes.count)
        bytes += number(payload.count).prefix(4) + checksum + payload
        bytes += repeatElement(0, count: 64)
        try self.folder.write(bytes, to: "api.journal/exchanges")
        let contents = try #require(try RecordingJournal.read(folder: self.journalFolder))
        #expect(contents.purpose == .append)
        #expect(contents.exchanges == [.made(1, text: "hello")])
    }

    @Test(.long) func aTornTailLosesOnlyTheLastRecord() throws {
        try self.write([.made(1, text: "one"), .made(2, text: "two")])
        let end = try self.usedSize(of: self.folder.bytes("api.journal/exchanges"))
        var last = RecordedExchange.made(3, text: "three, the last")
        // A record that ended in zeros would be valid without them.
        last.response.order = MessageOrder(messages: [], end: Int.max)
        try self.write([.made(1, text: "one"), .made(2, text: "two"), last])
        let whole = try self.folder.bytes("api.journal/exchanges")
        let size = self.usedSize(of: whole)
        #expect(end < size)
        let kept = Array(try #require(try self.read()).prefix(2))
        for cut in end..<size {
            try self.folder.write(Array(whole[..<cut]), to: "api.journal/exchanges")
            #expect(try self.read() == kept, "cut after \(cut) bytes")
            // Likewise with the zeros of the reserved space.
            try self.folder.write(whole[..<cut] + Array(repeating: 0, count: size - cut), to: "api.journal/exchanges")
            #expect(try self.read() == kept, "zeros after \(cut) bytes")
        }
        try self.folder.write(Array(whole[..<size]), to: "api.journal/exchanges")
        #expect(try self.read()?.count == 3)
    }

    /// Returns the end of the last record, without its padding; reserved space follows.
    private func usedSize(of bytes: [UInt8]) -> Int {
        var end = 64
        var next = 64
        while next + 8 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[next + $1]) << (8 * $1) }
            guard length > 0 else { break }
            end = next + 8 + length
            next = (end + 7) & ~7
        }
        return end
    }

    @Test(arguments: seeds(3))
    func aGarbageTailIsIgnored(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let exchanges = [RecordedExchange.made(1, text: "one"), .made(2, text: "two")]
        try self.write(exchanges)
        let whole = try self.folder.bytes("api.journal/exchanges")
        let used = (self.usedSize(of: whole) + 7) & ~7
        for _ in 0..<50 {
            let garbage = (0..<Int.random(in: 1...100, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            try self.folder.write(whole[..<used] + garbage, to: "api.journal/exchanges")
            #expect(try self.read() == exchanges)
        }
    }

    @Test func aChangedByteLosesOnlyTheRecordsFromThereOn() throws {
        let exchanges = (1...3).map { RecordedExchange.made($0, text: "body \($0)") }
        try self.write(exchanges)
        let whole = try self.folder.bytes("api.journal/exchanges")
        let used = self.usedSize(of: whole)
        for index in stride(from: 64, to: used, by: 7) {
            var changed = Array(whole[..<((used + 7) & ~7)])
            changed[index] ^= 0x10
            try self.folder.write(changed, to: "api.journal/exchanges")
            let read = try #require(try self.read())
            #expect(read.count < 3 || read == exchanges)
            #expect(read == Array(exchanges.prefix(read.count)))
        }
    }

    @Test func recordsLargerThanTheWindowAreKept() throws {
        let sizes = [100, 4 << 20, 10, 9 << 20, 5, 3 << 20, 3 << 20, 1]
        let exchanges = sizes.enumerated().map { number, size in
            RecordedExchange.made(number, body: Array(repeating: UInt8(number + 1), count: size))
        }
        try self.write(exchanges)
        let read = try #require(try self.read())
        #expect(read.count == exchanges.count)
        // Compared one by one: a mismatch must not print megabytes.
        #expect(zip(read, exchanges).allSatisfy { $0 == $1 })
    }

    @Test func recordsThatEndAtTheEdgeOfTheWindowAreKept() throws {
        let frame = 256
        let exchanges = (-12...12).map { offset in
            RecordedExchange.made(offset + 12, body: Array(repeating: 7, count: (1 << 20) - frame + offset))
        }
        try self.write(exchanges)
        let read = try #require(try self.read())
        #expect(read.count == exchanges.count)
        #expect(zip(read, exchanges).allSatisfy { $0 == $1 })
    }

    @Test func manyTasksMayAppendAtOnce() async throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: .record)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        let size = (task * 100 + number) * 13 % 20_000
                        try journal.append(
                            .made(task * 100 + number, body: Array(repeating: UInt8(task), count: size))
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let read = try #require(try self.read())
        #expect(read.map(\.number) == Array(0..<800))
        for exchange in read {
            let bytes = Array(repeating: UInt8(exchange.number / 100), count: exchange.number * 13 % 20_000)
            #expect(exchange.response.body == .bytes(bytes))
        }
    }

    @Test func twoRecordingsOfOneCassetteAreRefused() throws {
        try self.recordTwice()
        // The first has ended, so the next may begin, with an empty journal.
        #expect(!RecordingJournal.isInUse(folder: self.journalFolder))
        try self.write([.made(9, text: "new")])
        #expect(try self.read()?.map(\.number) == [9])
    }

    private func recordTwice() throws {
        let journal = try RecordingJournal(folder: self.journalFolder, purpose: .record)
        try journal.append(.made(1, text: "one"))
        #expect(RecordingJournal.isInUse(folder: self.journalFolder))
        let error = #expect(throws: CassetteError.self) {
            _ = try RecordingJournal(folder: self.journalFolder, purpose: .append)
        }
        #expect(error?.description.contains("records, refreshes or edits this cassette") == true)
        try journal.append(.made(2, text: "two"))
        #expect(try self.read()?.count == 2)
    }

    @Test func aFolderThatCannotBeMadeIsAnErrorThatNamesIt() throws {
        try self.folder.write("x", to: "file")
        let error = #expect(throws: FileError.self) {
            _ = try RecordingJournal(folder: self.folder.path("file/journal"), purpose: .record)
        }
        #expect(error?.path.hasPrefix(self.folder.path("file")) == true)
    }
}
