import TapedeckCassettes
import TapedeckCore

/// The times of a recorded body's pieces, for a ``BodySchedule``.
struct PieceTimeline: Sendable, Equatable {
    /// The ends of the pieces, in bytes of the body. Ascending.
    private(set) var ends: [Int]
    /// The times of the pieces, in nanoseconds after the head.
    private(set) var times: [Int64]

    /// - Parameters:
    ///   - ends: the ends of the body's pieces.
    ///   - take: the take with their times.
    ///   - factor: the factor for these times.
    init(_ ends: [Int], of take: Take, factor: Double) {
        self.ends = ends
        self.times = take.pieceTimes(of: ends.count).map { Int64(Double($0) * factor * 1_000_000) }
    }

    /// A timeline of pieces that go out as soon as they may.
    init(atOnce ends: [Int]) {
        self.ends = ends
        self.times = ends.map { _ in 0 }
    }

    /// Returns the ends of the pieces of a body in a file; not for an event loop. Reads the file in small parts.
    ///
    /// - Throws: an error if the file cannot be read.
    static func ends(of pieces: BodyPieces, in file: BodyFile) throws -> [Int] {
        guard pieces.isFound else { return BodyPieces.ends(pieces.marks, length: file.size) }
        let reader = try BodyFileReader(file)
        var finder = PieceFinder(pieces)
        var ends: [Int] = []
        while true {
            let bytes = try reader.read(upTo: 256 << 10)
            guard !bytes.isEmpty else { return BodyPieces.ends(ends, length: file.size) }
            ends += bytes.withUnsafeBytes { finder.take($0) }
        }
    }
}
