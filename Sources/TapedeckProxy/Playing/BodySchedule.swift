import TapedeckCore

/// The times of a body's parts: by a bandwidth, a number of pieces over a time or a timeline of pieces, both, or
/// neither.
struct BodySchedule: IteratorProtocol, Sequence, Sendable {
    struct Part: Sendable, Equatable {
        /// In bytes, at least 1.
        var size: Int
        /// In nanoseconds since the head was sent.
        var time: Int64
    }

    /// No part is larger, so that memory holds little of a large body. 256 KiB.
    private static let partLimit = 256 << 10

    /// The number of body bytes after the current piece.
    private var rest: Int
    private var bandwidth: Int?
    /// The time over which the pieces are spread, in nanoseconds.
    private var duration: Double
    private var pieces: Int
    /// The end and time of each piece, in place of equal ones.
    private var timeline: PieceTimeline?
    private var length: Int
    private var piece = 0
    /// The remaining bytes of the current piece, and its time.
    private var pieceRest = 0
    private var pieceTime: Int64 = 0
    /// The time at which all earlier parts are sent at this bandwidth.
    private var free: Int64 = 0

    /// - Parameters:
    ///   - length: of the body, in bytes.
    ///   - bandwidth: in bytes per second; parts are a tenth of a second's worth, and are sent when their time has
    ///     passed.
    ///   - dribble: piece i of n is sent at i n-ths of the time, but no sooner than the bandwidth allows.
    ///   - timeline: pieces with their own lengths and times; used without `dribble`.
    init(
        length: Int,
        bandwidth: Int? = nil,
        dribble: Pacing.Dribble? = nil,
        timeline: PieceTimeline? = nil
    ) {
        self.rest = length
        self.length = length
        self.timeline = dribble == nil ? timeline : nil
        self.bandwidth = bandwidth.map { Swift.max($0, 1) }
        self.duration = Double(dribble?.milliseconds ?? 0) * 1_000_000
        self.pieces = Swift.max(1, Swift.min(dribble?.pieces ?? 1, length))
    }

    mutating func next() -> Part? {
        if self.pieceRest == 0 { self.nextPiece() }
        guard self.pieceRest > 0 else { return nil }
        let limit = self.bandwidth.map { Swift.max(1, Swift.min($0 / 10, Self.partLimit)) } ?? Self.partLimit
        let size = Swift.min(self.pieceRest, limit)
        self.pieceRest -= size
        let transfer = self.bandwidth.map { Int64(size) * 1_000_000_000 / Int64($0) } ?? 0
        self.free = Swift.max(self.pieceTime, self.free) + transfer
        return Part(size: size, time: self.free)
    }

    private mutating func nextPiece() {
        guard self.rest > 0 else { return }
        if let timeline = self.timeline {
            self.nextPiece(of: timeline)
            return
        }
        let left = self.pieces - self.piece
        // The first ones are a byte longer where the body cannot be divided evenly.
        self.pieceRest = (self.rest + left - 1) / left
        self.rest -= self.pieceRest
        self.piece += 1
        self.pieceTime = Int64(self.duration * (Double(self.piece) / Double(self.pieces)))
    }

    private mutating func nextPiece(of timeline: PieceTimeline) {
        let start = self.length - self.rest
        while self.piece < timeline.ends.count, timeline.ends[self.piece] <= start { self.piece += 1 }
        guard self.piece < timeline.ends.count else {
            // The rest belongs to the last piece.
            self.pieceRest = self.rest
            self.rest = 0
            return
        }
        self.pieceRest = Swift.min(timeline.ends[self.piece] - start, self.rest)
        self.rest -= self.pieceRest
        self.pieceTime = timeline.times[self.piece]
        self.piece += 1
    }

    /// Sends all remaining parts at once.
    mutating func hurry() {
        self.rest += self.pieceRest
        self.pieceRest = 0
        self.bandwidth = nil
        self.pieces = 1
        self.timeline = nil
        self.piece = 0
        self.duration = 0
        self.free = 0
    }
}
