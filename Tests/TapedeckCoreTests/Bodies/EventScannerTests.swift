import TapedeckCore
import Testing

@Suite struct EventScannerTests {
    private static func ends(_ reads: [some StringProtocol]) -> (ends: [Int], whole: Int) {
        var scanner = EventScanner()
        let ends = reads.flatMap { text in Array(text.utf8).withUnsafeBytes { scanner.scan($0) } }
        return (ends, scanner.wholeEnd)
    }

    private static let streams: [(text: String, ends: [Int], whole: Int)] = [
        ("", [], 0),
        ("data: 1\n\n", [9], 9),
        ("data: 1\r\n\r\n", [11], 11),
        // The byte after a CR could be the LF of the same line end.
        ("data: 1\r\r", [], 9),
        ("data: 1\r\rid", [9], 9),
        ("data: 1\n\r\ndata: 2\r\n\n", [10, 20], 20),
        ("id: 1\ndata: 1\n\ndata: 2\n", [15], 15),
        // Blank lines before an event are not events.
        ("\n\n\ndata: 1\n\n\n\n", [12], 12),
        ("\r\n\r\ndata: 1\r\r\n", [14], 14),
        (": ping\n\n:\n\n", [8, 11], 11),
    ]

    @Test(arguments: streams)
    func eventsEndBehindABlankLine(_ stream: (text: String, ends: [Int], whole: Int)) {
        let found = Self.ends([stream.text])
        #expect(found.ends == stream.ends)
        #expect(found.whole == stream.whole)
    }

    @Test(arguments: streams)
    func eventEndsAreFoundCharacterByCharacter(_ stream: (text: String, ends: [Int], whole: Int)) {
        let bytes = stream.text.unicodeScalars.map { String($0) }
        let found = Self.ends(bytes)
        #expect(found.ends == stream.ends)
        #expect(found.whole == stream.whole)
    }
}
