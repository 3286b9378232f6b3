import TapedeckCassettes
import TapedeckCore

/// When which piece of a body goes out: what a ``BodySchedule`` goes by for a body that came piece by piece.
struct PieceTimeline: Sendable, Equatable {
    /// Where each piece ends, in bytes of the body. Rising.
    private(set) var ends: [Int]
    /// When each piece goes out, in nanoseconds after the head.
    private(set) var times: [Int64]

    /// - Parameters:
    ///   - ends: where the pieces of the body end.
    ///   - take: what says when they came.
    ///   - factor: by what those times are multiplied.
    init(_ ends: [Int], of take: Take, factor: Double) {
        self.ends = ends
        self.times = take.pieceTimes(of: ends.count).map { Int64(Double($0) * factor * 1_000_000) }
    }

    /// Where the pieces of a body end that is in a file; not for an event loop. Memory holds little of it.
    ///
    /// - Throws: when the file cannot be read.
    static func ends(of pieces: BodyPieces, in file: BodyFile) throws -> [Int] {
        guard case .events = pieces.cut else { return BodyPieces.ends(pieces.marks, length: file.size) }
        let reader = try BodyFileReader(file)
        var scanner = EventScanner()
        var ends: [Int] = []
        while true {
            let bytes = try reader.read(upTo: 256 << 10)
            guard !bytes.isEmpty else { return BodyPieces.ends(ends, length: file.size) }
            ends += bytes.withUnsafeBytes { scanner.scan($0) }
        }
    }
}
