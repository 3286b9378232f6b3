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

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A zip archive; members of more than 20 bytes are deflated.
    private static func zip(_ members: [(name: String, content: [UInt8])]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in members {
            // The header and the checksum of zlib's stream are not part of a member.
            let isStored = content.count <= 20
            let packed = isStored ? content : Array(try ContentCoder.encode(content, .deflate).dropFirst(2).dropLast(4))
            let common =
                Self.number(20, 2) + Self.number(0, 2) + Self.number(isStored ? 0 : 8, 2) + Self.number(0, 8)
                + Self.number(packed.count, 4) + Self.number(content.count, 4) + Self.number(name.utf8.count, 2)
            directory += [0x50, 0x4B, 1, 2] + Self.number(20, 2) + common + Self.number(0, 12)
            directory += Self.number(bytes.count, 4) + Array(name.utf8)
            bytes += ZipArchive.signature + common + Self.number(0, 2) + Array(name.utf8) + packed
        }
        let start = bytes.count
        bytes += directory + [0x50, 0x4B, 5, 6] + Self.number(0, 4) + Self.number(members.count, 2)
        return bytes + Self.number(members.count, 2) + Self.number(directory.count, 4) + Self.number(start, 4)
            + Self.number(0, 2)
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
