import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

@testable import TapedeckProxy

@Suite
struct BodyScheduleTests {
    private typealias Part = BodySchedule.Part

    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    @Test func withoutLimitsEverythingIsDueAtOnceInPartsThatFitInMemory() {
        let parts = Array(BodySchedule(length: 600 << 10))
        #expect(parts.map(\.size) == [262_144, 262_144, 90_112])
        #expect(parts.allSatisfy { $0.time == 0 })
    }

    @Test func aBandwidthLimitSendsATenthOfASecondsWorthAtATime() {
        let parts = Array(BodySchedule(length: 250, bandwidth: 1_000))
        #expect(
            parts == [
                Part(size: 100, time: Self.second / 10), Part(size: 100, time: Self.second / 5),
                Part(size: 50, time: Self.second / 4),
            ]
        )
    }

    @Test func theSmallestBandwidthIsAByteASecond() {
        let parts = Array(BodySchedule(length: 3, bandwidth: 1))
        #expect(parts == (1...3).map { Part(size: 1, time: $0 * Self.second) })
    }

    @Test func piecesAreSpreadEvenlyAndTheLastIsDueAtTheEnd() {
        let parts = Array(BodySchedule(length: 11, dribble: Pacing.Dribble(pieces: 4, milliseconds: 100)))
        #expect(parts.map(\.size) == [3, 3, 3, 2])
        #expect(parts.map(\.time) == [25, 50, 75, 100].map { $0 * Self.millisecond })
    }

    @Test func aBodyWithFewerBytesThanPiecesIsSentByteByByte() {
        let parts = Array(BodySchedule(length: 2, dribble: Pacing.Dribble(pieces: 5, milliseconds: 100)))
        #expect(parts == [Part(size: 1, time: 50 * Self.millisecond), Part(size: 1, time: 100 * Self.millisecond)])
    }

    @Test func aPieceGoesNoFasterThanTheBandwidth() {
        let dribble = Pacing.Dribble(pieces: 2, milliseconds: 100)
        let parts = Array(BodySchedule(length: 20, bandwidth: 100, dribble: dribble))
        // The first piece of 10 bytes is due at 50 ms and takes 100 ms, so the second one starts late.
        #expect(parts == [Part(size: 10, time: 150 * Self.millisecond), Part(size: 10, time: 250 * Self.millisecond)])
    }

    @Test func anEmptyBodyHasNoParts() {
        #expect(Array(BodySchedule(length: 0, bandwidth: 1)).isEmpty)
        #expect(Array(BodySchedule(length: 0, dribble: Pacing.Dribble(pieces: 3, milliseconds: 1))).isEmpty)
    }

    private static func timeline(_ ends: [Int], _ times: String) -> PieceTimeline {
        PieceTimeline(ends, of: Take(recorded: "t, in pieces after \(times) ms"), factor: 1)
    }

    @Test func piecesOfATimelineHaveSizesAndTimesOfTheirOwn() {
        let parts = Array(BodySchedule(length: 9, timeline: Self.timeline([2, 3, 9], "0, 5, 70")))
        #expect(
            parts == [
                Part(size: 2, time: 0), Part(size: 1, time: 5 * Self.millisecond),
                Part(size: 6, time: 70 * Self.millisecond),
            ]
        )
    }

    @Test func aTimelineIsScaled() {
        let timeline = PieceTimeline([1, 2], of: Take(recorded: "t, in pieces after 3, 10 ms"), factor: 0.5)
        #expect(timeline.times == [1_500_000, 5 * Self.millisecond])
    }

    @Test func aBodyThatAFaultCutsShortHasFewerPieces() {
        let parts = Array(BodySchedule(length: 4, timeline: Self.timeline([3, 6, 9], "0, 1, 2")))
        #expect(parts.map(\.size) == [3, 1])
        #expect(Array(BodySchedule(length: 4, timeline: Self.timeline([], ""))).map(\.size) == [4])
    }

    @Test func aLargePieceIsSentInPartsAndADribbleTakesPrecedence() {
        let parts = Array(BodySchedule(length: 300 << 10, timeline: Self.timeline([1, 300 << 10], "0, 9")))
        #expect(parts.map(\.size) == [1, 256 << 10, (44 << 10) - 1])
        #expect(parts.map(\.time) == [0, 9 * Self.millisecond, 9 * Self.millisecond])
        let dribble = Pacing.Dribble(pieces: 2, milliseconds: 2)
        let dribbled = BodySchedule(length: 4, dribble: dribble, timeline: Self.timeline([1, 4], "0, 9"))
        #expect(Array(dribbled).map(\.size) == [2, 2])
    }

    @Test func aHurriedTimelineSendsTheRestAtOnce() {
        var schedule = BodySchedule(length: 9, timeline: Self.timeline([2, 3, 9], "0, 5, 3600000"))
        _ = schedule.next()
        schedule.hurry()
        #expect(Array(schedule) == [Part(size: 7, time: 0)])
    }

    @Test(arguments: seeds(200))
    func partsAddUpToTheBodyAndTheirTimesAscend(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let length = Int.random(in: 0...2_000_000, using: &random)
        let bandwidth = Bool.random(using: &random) ? Int.random(in: 500...5_000_000, using: &random) : nil
        let dribble =
            Bool.random(using: &random)
            ? Pacing.Dribble(
                pieces: Int.random(in: 1...50, using: &random),
                milliseconds: Int.random(in: 0...10_000, using: &random)
            ) : nil
        var schedule = BodySchedule(length: length, bandwidth: bandwidth, dribble: dribble)
        var parts: [BodySchedule.Part] = []
        let hurriesAt = Int.random(in: 1...100, using: &random)
        var isOrdered = true
        while let part = schedule.next() {
            isOrdered = isOrdered && part.size > 0 && part.size <= 256 << 10 && part.time >= parts.last?.time ?? 0
            parts.append(part)
            if parts.count == hurriesAt { break }
        }
        #expect(isOrdered)
        schedule.hurry()
        let rest = Array(schedule)
        #expect(rest.allSatisfy { $0.time == 0 })
        #expect((parts + rest).reduce(0) { $0 + $1.size } == length)
    }
}
