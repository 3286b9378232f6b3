import TapedeckCore
import Testing

@Suite struct BodyPiecesTests {
    private static func ends(_ cut: BodyPieces.Cut, _ body: String) -> [Int] {
        Array(body.utf8).withUnsafeBytes { BodyPieces(cut).ends(of: $0) }
    }

    @Test func theLastPieceHoldsTheRest() {
        #expect(Self.ends(.sizes([2, 3]), "abcdefgh") == [2, 5, 8])
        #expect(Self.ends(.events, "data: 1\n\nrest") == [9, 13])
        #expect(Self.ends(.events, "data: 1\n\n") == [9])
    }

    @Test func aBodyThatWasEditedShorterHasFewerPieces() {
        #expect(Self.ends(.sizes([2, 3, 3]), "abcde") == [2, 5])
        #expect(Self.ends(.sizes([2, Int.max, Int.max]), "abcde") == [2, 5])
        #expect(Self.ends(.sizes([2]), "").isEmpty)
        #expect(Self.ends(.events, "").isEmpty)
    }

    @Test func movingMarksRemovesEmptyPieces() {
        var pieces = BodyPieces(.sizes([2, 3, 4]))
        #expect(pieces.marks == [2, 5, 9])
        pieces.marks = [10, 10, 12]
        #expect(pieces == BodyPieces(.sizes([10, 2])))
        var events = BodyPieces(.events)
        events.marks = [1, 2]
        #expect(events == BodyPieces(.events))
    }

    @Test(arguments: [
        ("text/event-stream", nil, true), ("Text/Event-Stream;charset=utf-8", "identity", true),
        ("text/event-stream", "gzip", false), ("text/event-streams", nil, false), ("text/plain", nil, false),
    ])
    func anEventStreamIsRecognisedByItsType(_ type: String, _ coding: String?, _ areEvents: Bool) {
        let fields = [HeaderField("content-type", type)] + (coding.map { [HeaderField("Content-Encoding", $0)] } ?? [])
        #expect(BodyPieces.areEvents(fields) == areEvents)
    }

    // MARK: Times

    @Test func pieceTimesComeLastInRecorded() {
        let text = Take.recorded(Take.recorded(at: "2026-11-21T10:00:00Z", latency: 120), pieceTimes: [0, 1003, 2005])
        #expect(text == "2026-11-21T10:00:00Z, answered in 120 ms, in pieces after 0, 1003, 2005 ms")
        let take = Take(recorded: text + ", until the client left")
        #expect(take.pieceTimes == [0, 1003, 2005])
        #expect(take.latency == 120)
        #expect(Take.recorded("2026-11-21T10:00:00Z", pieceTimes: []) == "2026-11-21T10:00:00Z")
    }

    @Test(arguments: [
        ("2026-11-21T10:00:00Z", []), ("t, in pieces after", []), ("t, in pieces after x, 3 ms", []),
        ("t, in pieces after 3, x", [3]), ("t, in pieces after 99999999999999999999 ms", [86_400_000]),
        ("t, in pieces after 5,6,7", [5, 6, 7]),
    ])
    func pieceTimesAreReadFromEditedText(_ recorded: String, _ times: [Int]) {
        #expect(Take(recorded: recorded).pieceTimes == times)
    }

    @Test func piecesWithoutATimeHaveTheTimeOfThePreviousOne() {
        let take = Take(pieces: BodyPieces(.events), recorded: "t, in pieces after 1, 5 ms")
        #expect(take.pieceTimes(of: 4) == [1, 5, 5, 5])
        #expect(take.pieceTimes(of: 1) == [1])
        #expect(Take(pieces: BodyPieces(.events)).pieceTimes(of: 2) == [0, 0])
    }

    @Test func aPaceWinsOverTimes() {
        let take = Take(pieces: BodyPieces(.events, pace: 200), recorded: "t, in pieces after 1, 5 ms")
        #expect(take.pieceTimes(of: 3) == [0, 200, 400])
    }
}
