import TapedeckCodings
import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// Coded bodies are played as received.
@Suite
struct KeptEncodingTests {
    private static let text = Array(String(repeating: "hello, hello, help! ", count: 20).utf8)

    private func record(
        _ bytes: [UInt8],
        _ codings: [String],
        accepts: String? = "gzip, br, zstd"
    ) throws -> (fixture: CassetteFixture, coding: BodyCoding) {
        let fixture = try CassetteFixture()
        var exchange = RecordedExchange.made(
            type: "text/plain",
            headers: codings.map { HeaderField("Content-Encoding", $0) },
            body: bytes
        )
        exchange.requestHeaders = accepts.map { [HeaderField("Accept-Encoding", $0)] } ?? []
        try fixture.record([exchange])
        let take = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first)
        return (fixture, try #require(take.body.coding))
    }

    /// Two members, which no recipe gives.
    private static func members() throws -> [UInt8] {
        try ContentCoder.encode(Array(Self.text.prefix(30)), .gzip)
            + ContentCoder.encode(Self.text.dropFirst(30).map(\.self), .gzip)
    }

    @Test func bytesThatNoRecipeGivesAreKeptBesideTheReadableBody() throws {
        let coded = try Self.members()
        let (fixture, coding) = try self.record(coded, ["gzip"])
        let body = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first).body
        #expect(try fixture.decoded(body) == Self.text)
        let kept = try #require(coding.kept)
        #expect(try kept.bytes(of: Self.text, [.gzip]) == coded)
        #expect(body.files.count == 1)
        #expect(try fixture.load().bodyFiles.count == 1)
    }

    @Test func anEditedBodyWinsOverTheKeptBytes() throws {
        let (fixture, coding) = try self.record(Self.members(), ["gzip"])
        let kept = try #require(coding.kept)
        #expect(try kept.bytes(of: Self.text + [0x21], [.gzip]) == nil)
        #expect(try kept.bytes(of: Array(Self.text.dropLast()), [.gzip]) == nil)
        #expect(try fixture.load().bodyFiles.count == 1)
    }

    @Test func aCodingThatWasNotRequestedIsForAllClients() throws {
        let coded = try ContentCoder.encode(Self.text, .gzip)
        #expect(try self.record(coded, ["gzip"], accepts: nil).coding.isForAll)
        #expect(try self.record(coded, ["gzip"], accepts: "br").coding.isForAll)
        #expect(try self.record(coded, ["gzip"], accepts: "gzip;q=0").coding.isForAll)
        #expect(try !self.record(coded, ["gzip"], accepts: "*").coding.isForAll)
        #expect(try !self.record(coded, ["gzip"]).coding.isForAll)
    }

    @Test(arguments: [["gzip, gzip"], ["gzip", "gzip"], ["br, gzip"], ["zstd", "x-gzip, identity"]])
    func codingsOnTopOfEachOtherAreUndone(_ fields: [String]) throws {
        let codings = try #require(ContentCoding.all(of: fields.map { HeaderField("content-encoding", $0) }))
        let coded = try ContentCoder.encode(Self.text, codings.map { CodingRecipe($0) })
        let (fixture, coding) = try self.record(coded, fields)
        let body = try #require(try fixture.load().responseSets.first?.variants.first?.takes.first).body
        #expect(try fixture.decoded(body) == Self.text)
        #expect(coding == BodyCoding(codings))
    }
}
