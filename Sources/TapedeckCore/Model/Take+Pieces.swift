extension Take {
    /// The times of the body's pieces, in milliseconds after the head, as the last part of ``recorded`` has them; empty
    /// if it has none.
    package var pieceTimes: [Int] {
        guard let recorded = self.recorded, let start = recorded.firstRange(of: Self.piecesMark)?.upperBound else {
            return []
        }
        var times: [Int] = []
        for text in recorded[start...].split(separator: ",") {
            let digits = text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { break }
            times.append(min(Int(digits) ?? Self.pieceTimeLimit, Self.pieceTimeLimit))
        }
        return times
    }

    /// Returns the time of each of `count` pieces, in milliseconds after the head, in recorded time. Pieces without a
    /// time are sent with the previous one.
    package func pieceTimes(of count: Int) -> [Int] {
        if let pace = self.pieces?.pace {
            return (0..<count).map { min($0 * min(pace, Self.pieceTimeLimit), Self.pieceTimeLimit) }
        }
        var times = Array(self.pieceTimes.prefix(count))
        times += repeatElement(times.last ?? 0, count: count - times.count)
        return times
    }

    /// Returns ``recorded`` with the times of the pieces, in milliseconds, after the time.
    package static func recorded(_ text: String, pieceTimes times: [Int]) -> String {
        guard !times.isEmpty else { return text }
        return "\(text)\(Self.piecesMark)\(times.map(String.init).joined(separator: ", ")) ms"
    }

    /// A day: no stream is played for longer.
    private static var pieceTimeLimit: Int { 86_400_000 }
    private static var piecesMark: String { ", in pieces after " }
}
