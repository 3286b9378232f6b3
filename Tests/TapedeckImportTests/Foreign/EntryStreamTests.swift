import Foundation
import TapedeckCassettes
import Testing

@testable import TapedeckImport

/// Files that are read entry by entry give what they give when they are read at once.
@Suite struct EntryStreamTests {
    /// A file of another tool, and the files that it may name.
    struct File: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        var sides: [String: [UInt8]] = [:]
    }

    /// All files of this target's tests.
    private static func files() throws -> [File] {
        var files: [File] = []
        for table in PlayedTests.tables {
            for file in table.files {
                let name = "\(table.format): \(file.quirk)"
                files.append(File(testDescription: name, bytes: file.text, sides: table.sides))
            }
        }
        for (format, cases) in PlayedTests.stubs {
            let texts = cases.map(\.text)
            // Several in a file, some of them twice.
            let bare = texts.map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 }
            let all = (bare + bare.prefix(3)).filter { $0.hasPrefix("{") && !$0.contains("\"mappings\"") }
            let list = "[" + all.joined(separator: ",\n") + "]"
            let several = format == "wiremock" ? "{\"mappings\": \(list)}" : list
            for (number, text) in (texts + [several]).enumerated() {
                files.append(File(testDescription: "\(format) \(number)", bytes: Array(text.utf8)))
            }
        }
        let expectation = #"{"id": "a", "httpRequest": {"path": "/a"}, "httpResponse": {"body": "b"}}"#
        let replaced = "[\(expectation), \(expectation.replacing("/a", with: "/c"))]"
        files.append(File(testDescription: replaced, bytes: Array(replaced.utf8)))
        let pair = """
            {"request": {"path": [{"matcher": "exact", "value": "/a"}], "requiresState": {"sequence:1": "1"}},
             "response": {"status": 200, "body": "b"}}
            """
        for pairs in ["\(pair)", "\(pair),\n\(pair.replacing("/a", with: "/b"))", "\(pair),\(pair), {\"request\": 1}"] {
            let text = "{\"data\": {\"pairs\": [\(pairs)]}, \"meta\": {\"schemaVersion\": \"v5.1\"}}"
            files.append(File(testDescription: pairs, bytes: Array(text.utf8)))
        }
        for format in FormatFilesTests.formats {
            for folder in ["samples", "hostile"].map({ "\(FormatFilesTests.folder)/\(format)/\($0)" }) {
                for path in FileContents.names(in: folder).map({ "\(folder)/\($0)" }) where !FileContents.isFolder(path)
                {
                    files.append(File(testDescription: path, bytes: try FileContents.read(path)))
                }
            }
        }
        return files
    }

    /// Returns pieces of this many bytes.
    private static func pieces(_ bytes: [UInt8], _ size: Int) -> EntryStream.Pieces {
        var start = 0
        return {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            start += piece.count
            return piece
        }
    }

    /// A file as it is read entry by entry.
    private static func read(_ file: File, _ size: Int) throws -> (format: String, file: ImportedFile)? {
        let open = { Self.pieces(file.bytes, size) }
        let stream = try EntryStream("a", open, side: { file.sides[$0] }, formats: ImportFormats.plain)
        guard let stream else { return nil }
        var read = stream.hasStubs ? try stream.stubs(open()) : ImportedFile()
        if !stream.hasStubs { try stream.read(open()) { read.exchanges.append($0) } }
        return (stream.format.name, read)
    }

    private static func entries(_ bytes: [UInt8], _ size: Int) throws -> [ForeignEntry]? {
        try Self.read(File(testDescription: "", bytes: bytes), size)?.file.exchanges
    }

    private static func lines(_ file: ImportedFile) -> [String] {
        file.exchanges.map { "\($0.line) \($0.result)" } + file.stubs.map { "\($0.line) \($0.result)" }
            + file.state.map { "\($0)" } + ["\(file.isOrdered)"]
    }

    @Test func everyFileIsReadAlike() throws {
        var counts: [String: Int] = [:]
        for file in try Self.files() {
            for size in [1, 7, 1 << 20] {
                guard let read = try Self.read(file, size) else { continue }
                counts[read.format, default: 0] += 1
                let whole = ImportFile(path: "a", bytes: file.bytes, side: { file.sides[$0] })
                let format = try #require(ImportFormats.plain.recognising(whole), "\(file.testDescription)")
                #expect(format.name == read.format, "\(file.testDescription)")
                let expected = Self.lines(try format.read(whole))
                #expect(Self.lines(read.file) == expected, "\(file.testDescription)")
            }
        }
        for format in ImportFormats.plain.all where !format.lists.isEmpty {
            #expect(counts[format.name, default: 0] > 0, "\(format.name)")
        }
    }

    /// An archive without a list of entries, or as the argument of a call, is read whole, and all others are not.
    @Test(arguments: HARTests.files) func archivesAreReadEntryByEntry(_ file: RecordedFile) throws {
        let isWhole = ["pages alone", "the argument of a call, as for HAR Viewer"].contains(file.quirk)
        #expect(try (Self.entries(file.text, 7) == nil) == isWhole)
    }

    @Test func bracesAndQuotesInTextsAreIgnored() throws {
        let text = #"""
            {"comment": "\"entries\": [{", "log": {"x": {"entries": [1]}, "pages": [{"entries": []}], "entries": [
              {"request": {"method": "GET", "url": "http://a.test/"},
               "response": {"status": 200, "content": {"text": "}]\\\"{[ \\"}}} ,
              {"request": {"method": "GET", "url": "http://b.test/"}, "response": {"status": 204}}
            ], "creator": {"name": "T"}}}
            """#
        for size in [1, 3, 1000] {
            let entries = try #require(try Self.entries(Array(text.utf8), size))
            #expect(entries.map(\.line) == [2, 4])
            #expect(try entries.map { try $0.result.get().body } == [Array(#"}]\"{[ \"#.utf8), []])
        }
    }

    @Test(arguments: [
        #"{"log": {"entries": []}}"#, #"{"log": {"_recordingName": "r", "entries": [{}]}}"#, #"{"entries": {}}"#, "",
        "[", "[{\"request\": 1}] // a comment", #"{"interactions": [{}], "interactions": [{}]}"#,
        #"{"log": {"entries": [{"a": "#, "- a\n- b\n", #"{"other": {"entries": [{}]}}"#,
    ])
    func anIncompleteOrUnusualArchiveIsLeftToTheWholeFileReader(_ text: String) throws {
        #expect(try Self.entries(Array(text.utf8), 5) == nil)
    }
}
