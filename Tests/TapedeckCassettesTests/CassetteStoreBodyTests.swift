import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// The form of bodies: readable if that reproduces the exact bytes, and always exact.
@Suite
struct CassetteStoreBodyTests {
    private func record(
        _ bytes: [UInt8],
        type: String? = nil,
        coding: String? = nil
    ) throws -> (fixture: CassetteFixture, body: StoredBody) {
        let fixture = try CassetteFixture()
        let headers = coding.map { [HeaderField("Content-Encoding", $0)] } ?? []
        var exchange = RecordedExchange.made(type: type, headers: headers, body: bytes)
        exchange.requestHeaders = [HeaderField("Accept-Encoding", "gzip, deflate, br, zstd")]
        try fixture.record([exchange])
        return (fixture, try self.body(fixture))
    }

    private func body(_ fixture: CassetteFixture) throws -> StoredBody {
        try #require(try fixture.load().responseSets.first?.variants.first?.takes.first).body
    }

    private func inline(_ body: StoredBody) throws -> InlineBody {
        guard case .inline(let inline) = body else { throw Unexpected(body: body) }
        return inline
    }

    private struct Unexpected: Error {
        var body: StoredBody
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":[true]}"#, .compact), ("{\"a\":1}\n", .compactLine), (#"{"a": 1, "b": 2}"#, .spaced),
            ("{\"a\": 1}\n", .spacedLine),
        ] as [(String, JSONLayout)]
    )
    func jsonIsWrittenOverSeveralLinesWithItsLayout(_ json: String, _ layout: JSONLayout) throws {
        let body = try self.inline(self.record(Array(json.utf8), type: "application/vnd.api+JSON; x=y").body)
        #expect(body.form == .json)
        #expect(body.layout == layout)
        #expect(body.decoded == Array(json.utf8))
    }

    @Test(arguments: [
        "{\n  \"a\": 1\n}\n", "{\n    \"a\": 1\n}", "{\"a\" :1}", "[1,\r\n2]", #"["\#u{2028}"]"#,
    ])
    func jsonInAnotherLayoutStaysAsItCame(_ json: String) throws {
        let body = try self.inline(self.record(Array(json.utf8), type: "application/json").body)
        #expect(body.form == .json)
        #expect(body.layout == nil)
        #expect(body.content == Array(json.utf8))
    }

    @Test(arguments: ["{\"a\":1", "not json", "{'a': 1}\n"])
    func whatIsNoJSONIsText(_ text: String) throws {
        let body = try self.inline(self.record(Array(text.utf8), type: "application/json").body)
        #expect(body.form == .text)
        #expect(body.content == Array(text.utf8))
    }

    @Test(
        arguments: [
            ("hello", "text/plain"), ("one\ntwo\n\n", "text/plain"), (" leading", nil), ("a\r\nb", "text/html"),
            ("\u{0}\u{1B}", nil), ("yes", nil), ("Grüße 😀", nil), ("\u{FEFF}bom", nil), (#"{"a":1}"#, "text/plain"),
        ] as [(String, String?)]
    )
    func textBodiesAreStoredAsText(_ text: String, _ type: String?) throws {
        let body = try self.inline(self.record(Array(text.utf8), type: type).body)
        #expect(body.form == .text)
        #expect(body.content == Array(text.utf8))
    }

    @Test(arguments: ContentCoding.allCases)
    func aContentCodingIsUndoneAndNoted(_ coding: ContentCoding) throws {
        let json = Array(#"{"a":1}"#.utf8)
        let coded = try ContentCoder.encode(json, coding)
        for name in [coding.rawValue, coding.rawValue.uppercased()] {
            let body = try self.inline(self.record(coded, type: "application/json", coding: name).body)
            #expect(
                body
                    == InlineBody(
                        form: .json,
                        content: Array("{\n  \"a\": 1\n}\n".utf8),
                        layout: .compact,
                        coding: BodyCoding([coding])
                    )
            )
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br"])
    func aStreamThatCannotBeUndoneIsKeptAsItCame(_ coding: String) throws {
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 1, 2, 3]
        let (fixture, body) = try self.record(bytes, type: "application/json", coding: coding)
        #expect(body.coding == nil)
        #expect(try fixture.decoded(body) == bytes)
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        #expect(take.headers.contains(HeaderField("Content-Encoding", coding)))
    }

    @Test func aStreamWithBytesBehindItsEndIsKeptAsItCame() throws {
        let bytes = try ContentCoder.encode(Array("hello".utf8), .gzip) + [0]
        let (fixture, body) = try self.record(bytes, coding: "gzip")
        #expect(body.coding == nil)
        #expect(try fixture.decoded(body) == bytes)
    }

    @Test func smallBinaryBodiesAreBase64AndLargerOnesAreFiles() throws {
        for (count, isInline) in [(1, true), (1_024, true), (1_025, false), (100_000, false)] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0x80 | $0) }
            let (fixture, body) = try self.record(bytes, type: "image/png")
            #expect(try fixture.decoded(body) == bytes)
            if isInline {
                #expect(try self.inline(body).form == .base64)
                #expect(fixture.bodyFiles.isEmpty)
            } else {
                #expect(fixture.bodyFiles == ["root-\(TestDigest.digest(bytes).prefix(12)).png"])
            }
        }
    }

    @Test func textInLatin1IsKeptByteForByte() throws {
        let bytes: [UInt8] = Array("caf".utf8) + [0xE9]
        let body = try self.inline(self.record(bytes, type: "text/plain; charset=iso-8859-1").body)
        #expect(body.form == .base64)
        #expect(body.content == bytes)
    }

    @Test func aLongTextStaysInlineUpToALimit() throws {
        let line = Array("0123456789abcde\n".utf8)
        for (count, isInline) in [(4_096, true), (4_097, false)] {
            let bytes = Array(repeatElement(line, count: count).joined())
            let (fixture, body) = try self.record(bytes, type: "text/plain")
            #expect(fixture.bodyFiles.isEmpty == isInline)
            #expect(try fixture.decoded(body) == bytes)
        }
    }

    @Test func aLongTextThatHasNoReadableFormGoesIntoAFile() throws {
        let bytes = Array(repeating: UInt8(0x0D), count: 1_025)
        let (fixture, body) = try self.record(bytes, type: "text/plain")
        #expect(fixture.bodyFiles.count == 1)
        #expect(try fixture.decoded(body) == bytes)
    }

    @Test(
        arguments: [
            ("/a/b/c", "image/png", "b-c-", ".png"), ("/", "application/json", "root-", ".json"),
            ("/a?q=1", "application/vnd.x+json; charset=utf-8", "a-", ".json"), ("/a", nil, "a-", ".bin"),
            ("/it's/a b", "text/html", "it-s-a-b-", ".html"), ("/.hidden", "x/y", "root.hidden-", ".bin"),
            ("/../..", "APPLICATION/PDF", "root..-..-", ".pdf"), ("/%2e%2e/%2Fetc", nil, "-2e-2e--2Fetc-", ".bin"),
            ("/" + String(repeating: "x", count: 100), nil, String(repeating: "x", count: 48) + "-", ".bin"),
        ] as [(String, String?, String, String)]
    )
    func bodyFilesAreNamedByPathAndContent(_ target: String, _ type: String?, _ front: String, _ ending: String) throws
    {
        let fixture = try CassetteFixture()
        let bytes = Array(repeating: UInt8(0xFE), count: 2_000)
        try fixture.record([.made(1, "GET", target, type: type, body: bytes)])
        #expect(fixture.bodyFiles == ["\(front)\(TestDigest.digest(bytes).prefix(12))\(ending)"])
        #expect(try fixture.decoded(self.body(fixture)) == bytes)
    }

    @Test func aCodedBodyInAFileIsReadableThere() throws {
        let content = Array(repeating: UInt8(0xC3), count: 3_000)
        let (fixture, body) = try self.record(try ContentCoder.encode(content, .gzip), coding: "gzip")
        #expect(body.coding == .gzip)
        #expect(try fixture.decoded(body) == content)
    }

    @Test func unusedBodyFilesAreRemovedAndOtherFilesStay() throws {
        let fixture = try CassetteFixture()
        func image(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 2_000) }
        try fixture.record([.made(1, "GET", "/a", body: image(0xF1)), .made(2, "GET", "/b", body: image(0xF2))])
        let before = fixture.bodyFiles
        try fixture.folder.write("mine", to: "api/notes.txt")
        try fixture.record([.made(1, "GET", "/a", body: image(0xF3)), .made(2, "GET", "/b", body: image(0xF2))])
        let after = fixture.bodyFiles
        #expect(after.count == 3)
        #expect(after.contains("notes.txt"))
        #expect(after.contains { $0.hasPrefix("b-") && before.contains($0) })
        #expect(!after.contains { $0.hasPrefix("a-") && before.contains($0) })
        #expect(try fixture.decoded(self.body(fixture)) == image(0xF3))
    }

    @Test func aBodyFileOutsideTheCassettesFolderStays() throws {
        let text = CassetteText.take("status: 200\nrecorded: '2026-11-21T10:00:00Z'\nbody: { file: shared/a.bin }")
        var fixture = try CassetteFixture()
        fixture.cleans = true
        try fixture.folder.write("mine", to: "shared/a.bin")
        try fixture.folder.write(text.replacing("name: b", with: "name: recorded"), to: "api.yaml")
        try fixture.record([.made(text: "new")])
        #expect(try !fixture.text.contains("shared/a.bin"))
        #expect(try fixture.folder.text("shared/a.bin") == "mine")
    }

    @Test func aLargeBodyFromTheJournalIsMovedIntoPlace() throws {
        let fixture = try CassetteFixture()
        let size = BodyStorage.inspectionLimit + 1
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try FileContents.replace(journal.bodyPath("1.body"), with: [UInt8](repeating: 0xFF, count: size))
        var exchange = RecordedExchange.made(1, "GET", "/big", text: "")
        exchange.response.body = .file(name: "1.body", size: size, sha256: String(repeating: "ab", count: 32))
        try journal.append(exchange)
        _ = try fixture.store.finish(journal, to: fixture.location, expecting: 1)
        #expect(fixture.bodyFiles == ["big-abababababab.bin"])
        #expect(FileContents.size(fixture.folder.path("api/big-abababababab.bin")) == size)
        #expect(fixture.files == ["api", "api.yaml"])
    }

    @Test func aSmallBodyFromTheJournalIsReadableInTheCassette() throws {
        let fixture = try CassetteFixture()
        let journal = try RecordingJournal(folder: fixture.location.journalFolder, purpose: .record)
        try FileContents.replace(journal.bodyPath("1.body"), with: Array("hello".utf8))
        var exchange = RecordedExchange.made(1, "GET", "/small", text: "")
        exchange.response.body = .file(name: "1.body", size: 5, sha256: String(repeating: "ab", count: 32))
        try journal.append(exchange)
        _ = try fixture.store.finish(journal, to: fixture.location, expecting: 1)
        #expect(try fixture.bodies(of: "GET a.test/small") == ["hello"])
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func theRequestBodyIsKeptWithItsTypeAndWithoutSecrets() throws {
        let fixture = try CassetteFixture()
        var exchange = RecordedExchange.made(
            1,
            "POST",
            "/a",
            text: "ok",
            sends: #"{"a":1}"#,
            sentType: "application/json"
        )
        exchange.requestHeaders.append(HeaderField("Authorization", "Bearer secret"))
        try fixture.record([exchange])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        #expect(take.request?.headers == [HeaderField("Content-Type", "application/json")])
        #expect(take.request?.body == StoredBody.none)
        #expect(try !fixture.text.contains("secret"))
    }

    @Test func anEmptyBodyIsNoBody() throws {
        #expect(try self.record([]).body == .none)
    }

    @Test func everythingAboutAResponseIsKept() throws {
        let fixture = try CassetteFixture()
        var exchange = RecordedExchange.made(1, text: "part")
        exchange.response.status = 206
        exchange.response.reason = "Some of It"
        exchange.response.interim = [Take.Interim(status: 103, headers: [HeaderField("Link", "</a>")])]
        exchange.response.headers = [HeaderField("Set-Cookie", "a"), HeaderField("set-cookie", "\u{10FFE9}")]
        exchange.response.trailers = [HeaderField("Digest", "x")]
        exchange.response.endsAtClose = true
        exchange.response.fault = .truncatedBody
        exchange.response.detail = "reset"
        try fixture.record([exchange])
        var expected = Take(status: 206, reason: "Some of It", interim: exchange.response.interim)
        expected.headers = exchange.response.headers
        expected.body = .inline(InlineBody(form: .text, content: Array("part".utf8)))
        expected.trailers = exchange.response.trailers
        expected.endsAtClose = true
        expected.fault = .truncatedBody
        expected.detail = "reset"
        expected.recorded = "2026-11-21T10:00:00Z"
        #expect(try fixture.load().responseSets.first?.variants.first?.takes == [expected])
    }

    @Test(arguments: Fault.allCases.filter { !$0.hasResponse })
    func aFaultIsKeptWithItsDetail(_ fault: Fault) throws {
        let fixture = try CassetteFixture()
        var exchange = RecordedExchange.made(1, text: "")
        exchange.response = RecordedResponse()
        exchange.response.fault = fault
        if fault.options.contains(.code) { exchange.response.faultOptions.code = .enhanceYourCalm }
        exchange.response.detail = "seen"
        try fixture.record([exchange], purpose: .recordFailures)
        let options = exchange.response.faultOptions
        let expected = Take(fault: fault, faultOptions: options, detail: "seen", recorded: "2026-11-21T10:00:00Z")
        #expect(try fixture.load().responseSets.first?.variants.first?.takes == [expected])
    }
}
