import NIOCore
import TapedeckCore
import Testing

@testable import TapedeckSessions

/// When the pieces of a body came, by a clock that the test holds.
@Suite struct StreamPiecesTests {
    private static let events = [HeaderField("Content-Type", "text/event-stream; charset=utf-8")]
    private static let chunked = [HeaderField("Transfer-Encoding", "chunked")]
    private static let start = NIODeadline.now()

    private struct Recorded {
        var body = ""
        var pieces: [RecordedPiece]?
    }

    /// - Parameters:
    ///   - reads: what came, and how many milliseconds after the head.
    ///   - isCut: whether the client left then.
    private static func record(
        _ fields: [HeaderField],
        _ reads: [(Int64, String)],
        endsAtClose: Bool = false,
        isCut: Bool = false
    ) -> Recorded? {
        let isOpen = endsAtClose || fields.contains(named: "transfer-encoding")
        guard var pieces = StreamPieces(fields: fields, isOpen: isOpen, at: Self.start) else { return nil }
        var recorded = Recorded()
        for (time, text) in reads {
            let bytes = pieces.take(ByteBuffer(string: text), at: Self.start + .milliseconds(time))
            recorded.body += bytes.map { String(buffer: $0) }.joined()
        }
        guard !isCut else {
            recorded.pieces = pieces.finishEarly()
            return recorded
        }
        let (rest, found) = pieces.finish()
        recorded.body += rest.map { String(buffer: $0) }.joined()
        recorded.pieces = found
        return recorded
    }

    @Test func eachEventHasTheTimeOfItsFirstByte() {
        let recorded = Self.record(Self.events, [(0, "data: 1\n"), (10, "\ndata: 2\n\nda"), (500, "ta: 3\n\n")])
        #expect(
            recorded?.pieces == [
                RecordedPiece(size: 9, time: 0), RecordedPiece(size: 9, time: 10), RecordedPiece(size: 9, time: 10),
            ]
        )
        #expect(recorded?.body == "data: 1\n\ndata: 2\n\ndata: 3\n\n")
    }

    @Test func anEventThatEndsInCRIsKnownWithTheNextByteAndKeepsItsTime() {
        let recorded = Self.record(Self.events, [(0, "data: 1\r\r"), (70, "data: 2\r\n\r"), (90, "\n")])
        #expect(recorded?.pieces == [RecordedPiece(size: 9, time: 0), RecordedPiece(size: 11, time: 70)])
    }

    @Test func anUnfinishedEventAtTheEndIsAPiece() {
        let recorded = Self.record(Self.events, [(0, "data: 1\n\n"), (30, "data: 2")])
        #expect(recorded?.pieces == [RecordedPiece(size: 9, time: 0), RecordedPiece(size: 7, time: 30)])
        #expect(recorded?.body == "data: 1\n\ndata: 2")
    }

    @Test(arguments: [
        ("data: 1\n\ndata: 2\n\n", 2), ("data: 1\n\ndata: 2", 1), ("data: 1\r\rdata", 1), (": ping\r\n\r\n", 1),
    ])
    func onlyWholeEventsAreKeptIfTheClientLeaves(_ text: String, _ count: Int) {
        // Byte by byte, which must not matter.
        let reads = text.map { (Int64(0), String($0)) }
        let recorded = Self.record(Self.events, reads, isCut: true)
        #expect(recorded?.pieces?.count == count)
        #expect(recorded?.pieces?.reduce(0) { $0 + $1.size } == recorded?.body.utf8.count)
        #expect(text.hasPrefix(recorded?.body ?? "-"))
    }

    @Test func noPiecesAreKeptIfTheClientLeavesBeforeTheFirstEvent() {
        #expect(Self.record(Self.events, [(0, "data: 1\n")], isCut: true)?.pieces == nil)
        #expect(Self.record(Self.chunked, [(0, "some"), (99, "thing")], isCut: true)?.pieces == nil)
    }

    @Test func anEventTooLargeToHoldBackIsWrittenDownAsItComes() {
        let half = "data: " + String(repeating: "x", count: 200 << 10)
        let recorded = Self.record(Self.events, [(0, half), (5, half), (9, "\n\nrest")])
        #expect(recorded?.body == half + half + "\n\nrest")
        #expect(recorded?.pieces?.map(\.time) == [0, 9])
        // In the middle of it the cut is not visible in the body, so nothing is kept.
        #expect(Self.record(Self.events, [(0, half), (5, half)], isCut: true)?.pieces == nil)
        #expect(
            Self.record(Self.events, [(0, half), (5, half), (9, "\n\nrest")], isCut: true)?.body == half + half + "\n\n"
        )
    }

    @Test func aPauseOf50MillisecondsBeginsAPieceOfAnotherBody() {
        let reads: [(Int64, String)] = [(3, "ab"), (52, "cd"), (102, "e"), (200, "f")]
        let expected = [
            RecordedPiece(size: 4, time: 3), RecordedPiece(size: 1, time: 102), RecordedPiece(size: 1, time: 200),
        ]
        #expect(Self.record(Self.chunked, reads)?.pieces == expected)
        #expect(Self.record([], reads, endsAtClose: true)?.pieces == expected)
    }

    @Test func aBodyThatArrivedAtOnceHasNoPieces() {
        #expect(Self.record(Self.chunked, [(300, "ab"), (310, "cd")])?.pieces == [])
        #expect(Self.record(Self.chunked, [])?.pieces == [])
    }

    @Test func aLengthAndAContentCodingKeepABodyWhole() {
        #expect(Self.record([HeaderField("Content-Length", "4")], [])?.body == nil)
        #expect(Self.record(Self.events + [HeaderField("Content-Encoding", "gzip")], [])?.body == nil)
        #expect(Self.record(Self.chunked + [HeaderField("Content-Encoding", "br")], [])?.body == nil)
        #expect(
            Self.record(Self.events + [HeaderField("Content-Encoding", "identity")], [(0, "a\n\n")])?.pieces?.count == 1
        )
    }

    @Test func theThousandthPieceHoldsTheRest() {
        let reads = (0..<1_200).map { (Int64($0), "data: x\n\n") }
        let recorded = Self.record(Self.events, reads)
        #expect(recorded?.pieces?.count == 1_000)
        #expect(recorded?.pieces?.last == RecordedPiece(size: 9 * 201, time: 999))
        #expect(recorded?.body.utf8.count == 9 * 1_200)
    }
}
