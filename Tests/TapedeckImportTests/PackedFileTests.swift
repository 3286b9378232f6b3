import Foundation
import TapedeckCodings
import TapedeckControlAPI
import TapedeckCore
import TapedeckDeck
import TestShare
import Testing

@testable import TapedeckImport

/// Files that are compressed, and zip archives.
@Suite struct PackedFileTests {
    private static let archive = """
        {"log": {"version": "1.2", "creator": {"name": "Playwright"}, "entries": [{"request": {"method": "GET", "url": \
        "http://a.test/"}, "response": {"status": 200, "content": {"_file": "0a.txt"}}}]}}
        """

    /// Members of more than 20 bytes are deflated.
    private static func zip(_ members: [(name: String, content: [UInt8])]) throws -> [UInt8] {
        ZipFile.bytes(
            try members.map { name, content in
                guard content.count > 20 else { return ZipFile.Member(name, content) }
                // The header and the checksum of zlib's stream are not part of a member.
                let packed = Array(try ContentCoder.encode(content, .deflate).dropFirst(2).dropLast(4))
                return ZipFile.Member(name, packed, deflated: content)
            }
        )
    }

    private func body(_ bytes: [UInt8]) throws -> String? {
        let files = try PackedFile.files(path: "a.har.zip", bytes: bytes)
        let file = try #require(files.first)
        let entry = try #require(try HARFile().read(file).exchanges.first)
        return try? String(decoding: entry.result.get().body, as: UTF8.self)
    }

    @Test func aPlaywrightArchiveHasItsBodiesInSeparateFiles() throws {
        let har = Array(Self.archive.utf8)
        #expect(try self.body(Self.zip([("har.har", har), ("0a.txt", Array("hi".utf8))])) == "hi")
        let long = String(repeating: "body ", count: 100)
        #expect(try self.body(Self.zip([("x/har.har", har), ("x/0a.txt", Array(long.utf8))])) == long)
        #expect(try self.body(Self.zip([("har.har", har)])) == nil)
        #expect(ImportFile.stem(of: "t/a.har.zip") == "a")
    }

    @Test func gzipAndZlibAreUnpacked() throws {
        let text = Array("http_interactions: []".utf8)
        for coding in [ContentCoding.gzip, .deflate] {
            let files = try PackedFile.files(path: "a.zz", bytes: try ContentCoder.encode(text, coding))
            #expect(files.map(\.bytes) == [text])
        }
        // `x^` is the beginning of a zlib stream, too.
        #expect(try PackedFile.files(path: "a", bytes: Array("x^2: 1".utf8)).map(\.bytes) == [Array("x^2: 1".utf8)])
    }

    @Test func bombsAndDamagedArchivesAreRefused() throws {
        let bomb = try ContentCoder.encode([UInt8](repeating: 0x20, count: 257 << 20), .gzip)
        #expect(throws: ForeignError.self) { try PackedFile.files(path: "a.har.gz", bytes: bomb) }
        let whole = try Self.zip([("har.har", Array(Self.archive.utf8))])
        #expect(throws: ForeignError.self) { try PackedFile.files(path: "a", bytes: try Self.zip([("a.txt", [0x61])])) }
        for end in some(of: Array(stride(from: 4, to: whole.count, by: 7))) {
            #expect(throws: ForeignError.self) { try PackedFile.files(path: "a", bytes: Array(whole[..<end])) }
        }
        for index in some(of: Array(4..<whole.count)) {
            var damaged = whole
            damaged[index] ^= 0xFF
            _ = try? PackedFile.files(path: "a", bytes: damaged)
        }
    }

    @Test(arguments: ["", " \n", "[]", "{}", "--- []"]) func aFileWithoutEntriesIsNamed(_ text: String) throws {
        var options = CassetteImport.Options(paths: [])
        options.out = "/nowhere/a.yaml"
        let report = try CassetteImport(
            Array(text.utf8),
            named: "a.yml",
            options,
            configuration: .passthrough(),
            now: 0
        ).report
        #expect(report.isWhole)
        #expect(report.notes.map(\.reason) == ["it is empty: it has no entries"])
    }
}
