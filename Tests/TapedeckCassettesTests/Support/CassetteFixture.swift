import TapedeckCassettes
import TapedeckCore
import Testing

/// A cassette called `api` in a folder of its own, with the store that keeps it.
struct CassetteFixture {
    let folder: TemporaryFolder
    let location: CassetteLocation
    var store = CassetteStore(digest: TestDigest.digest)
    /// Recordings remove what they did not request.
    var cleans = false

    init(_ text: String? = nil) throws {
        self.folder = try TemporaryFolder()
        self.location = CassetteLocation("api", folder: self.folder.path)
        if let text { try self.folder.write(text, to: "api.yaml") }
    }

    var text: String {
        get throws { try self.folder.text("api.yaml") }
    }

    /// The names in the folder for body files.
    var bodyFiles: [String] { FileContents.names(in: self.folder.path("api")) }

    /// Everything in the folder but the journal.
    var files: [String] { FileContents.names(in: self.folder.path) }

    func load() throws -> Cassette {
        try self.store.load(self.location)
    }

    /// The answers of the set of that name, as bodies.
    func bodies(of set: String, variant: String = "recorded") throws -> [String] {
        let set = try #require(try self.load().responseSets.first { $0.name == set })
        let takes = try #require(set.variants.first { $0.name == variant }).takes
        return try takes.map { String(decoding: try self.decoded($0.body), as: UTF8.self) }
    }

    /// The body without its content coding.
    func decoded(_ body: StoredBody) throws -> [UInt8] {
        switch body {
        case .none: []
        case .inline(let inline): inline.decoded
        case .file(let file): try FileContents.read(file.path)
        }
    }

    /// Returns the text between `from` and `to`, to examine a part of the file.
    func lines(from: String, to: String) throws -> String {
        let text = try self.text
        let start = try #require(text.range(of: from))
        let end = try #require(text[start.upperBound...].range(of: to))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    // MARK: Recording

    @discardableResult
    func record(
        _ exchanges: [RecordedExchange],
        purpose: RecordingJournal.Purpose = .record,
        variant: String? = nil,
        commandFailed: Bool = false
    ) throws -> CassetteStore.Saved {
        try self.finish(exchanges, purpose, variant: variant, commandFailed: commandFailed)
    }

    @discardableResult
    func append(_ exchanges: [RecordedExchange]) throws -> CassetteStore.Saved {
        try self.finish(exchanges, .append)
    }

    private func finish(
        _ exchanges: [RecordedExchange],
        _ purpose: RecordingJournal.Purpose,
        variant: String? = nil,
        commandFailed: Bool = false
    ) throws -> CassetteStore.Saved {
        let journal = try RecordingJournal(
            folder: self.location.journalFolder,
            purpose: purpose,
            variant: variant,
            answersAnyBody: self.store.answersAnyBody
        )
        for exchange in exchanges { try journal.append(exchange) }
        var saved = try self.store.finish(
            journal,
            to: self.location,
            expecting: exchanges.count,
            commandFailed: commandFailed,
            cleans: self.cleans
        )
        // Most tests compare the rest.
        saved.signature = nil
        saved.effect.written = []
        return saved
    }

    /// Leaves the journal as a recording does that is killed.
    func interrupt(
        _ exchanges: [RecordedExchange],
        _ purpose: RecordingJournal.Purpose = .record,
        variant: String? = nil
    ) throws {
        let journal = try RecordingJournal(
            folder: self.location.journalFolder,
            purpose: purpose,
            variant: variant,
            answersAnyBody: self.store.answersAnyBody
        )
        for exchange in exchanges { try journal.append(exchange) }
    }
}

extension RecordedExchange {
    /// An exchange with `https://a.test` as recordings have it.
    static func made(
        _ number: Int = 1,
        _ method: String = "GET",
        _ target: String = "/",
        type: String? = nil,
        headers: [HeaderField] = [],
        body: [UInt8],
        sends requestBody: [UInt8] = [],
        sentType: String? = nil,
        time: Int = 1_795_255_200
    ) -> RecordedExchange {
        var response = RecordedResponse()
        response.status = 200
        response.reason = "OK"
        response.headers = (type.map { [HeaderField("Content-Type", $0)] } ?? []) + headers
        response.body = .bytes(body)
        return RecordedExchange(
            number: number,
            method: method,
            url: "https://a.test\(target)",
            requestHeaders: sentType.map { [HeaderField("Content-Type", $0)] } ?? [],
            requestBody: .bytes(requestBody),
            response: response,
            time: time
        )
    }

    static func made(
        _ number: Int = 1,
        _ method: String = "GET",
        _ target: String = "/",
        type: String? = nil,
        headers: [HeaderField] = [],
        text: String,
        sends requestBody: String = "",
        sentType: String? = nil,
        time: Int = 1_795_255_200
    ) -> RecordedExchange {
        self.made(
            number,
            method,
            target,
            type: type,
            headers: headers,
            body: Array(text.utf8),
            sends: Array(requestBody.utf8),
            sentType: sentType,
            time: time
        )
    }
}

extension String {
    /// Returns the first place of `needle`.
    func range(of needle: String) -> Range<String.Index>? {
        self[...].range(of: needle)
    }
}

extension Substring {
    func range(of needle: String) -> Range<String.Index>? {
        self.firstRange(of: needle)
    }
}
