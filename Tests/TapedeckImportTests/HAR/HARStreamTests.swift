import Testing

@testable import TapedeckImport

/// Archives that are read entry by entry give what they give when they are read at once.
@Suite struct HARStreamTests {
    private static let side: ImportFile.Sides = { $0 == "b.txt" ? Array("side".utf8) : nil }

    /// Returns pieces of this many bytes.
    private static func pieces(_ bytes: [UInt8], _ size: Int) -> HARStream.Pieces {
        var start = 0
        return {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            start += piece.count
            return piece
        }
    }

    private static func entries(_ bytes: [UInt8], _ size: Int) throws -> [ForeignEntry]? {
        guard let stream = try HARStream(Self.pieces(bytes, size), side: Self.side) else { return nil }
        var entries: [ForeignEntry] = []
        try stream.read(Self.pieces(bytes, size)) { entries.append($0) }
        return entries
    }

    private static func text(_ entry: ForeignEntry) -> String {
        switch entry.result {
        case .success(let exchange): "\(entry.line) \(exchange)"
        case .failure(let leftOut): "\(entry.line) \(leftOut)"
        }
    }

    @Test(arguments: HARTests.files, [1, 7, 1 << 20]) func everyArchiveIsReadAlike(
        _ file: RecordedFile,
        _ size: Int
    ) throws {
        let whole = try HARFile().read(ImportFile(path: "a.har", bytes: file.text, side: Self.side)).exchanges
        // An archive without a list of entries, or as the argument of a call, is read whole.
        let isWhole = ["pages alone", "the argument of a call, as for HAR Viewer"].contains(file.quirk)
        let entries = try Self.entries(file.text, size)
        #expect(entries?.map(Self.text) == (isWhole ? nil : whole.map(Self.text)))
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
        "[",
        #"{"log": {"entries": [{"a": "#, "- a\n- b\n", #"{"other": {"entries": [{}]}}"#,
    ])
    func anIncompleteOrUnusualArchiveIsLeftToTheWholeFileReader(_ text: String) throws {
        #expect(try Self.entries(Array(text.utf8), 5) == nil)
    }
}
