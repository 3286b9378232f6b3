/// Recognises points in time in a text: RFC 3339, the three forms of RFC 9110 section 5.6.7, and seconds or
/// milliseconds since 1970.
enum TimestampText {
    /// The numbers that are taken for seconds or milliseconds since 1970.
    static let epochNumbers = 100_000_000..<100_000_000_000_000

    /// The lengths of worded and dashed forms, in bytes: from asctime's to RFC 3339 with a long fraction.
    private static let lengths = 20...40

    /// Returns the possible ends of a timestamp that begins at `start`, ascending.
    static func ends(in text: UnsafeRawBufferPointer, from start: Int) -> [Int] {
        for length in Self.lengths.reversed() where start + length <= text.count {
            let piece = ByteText.string(from: UnsafeRawBufferPointer(rebasing: text[start..<(start + length)]))
            if Instant(rfc3339: piece) != nil || Instant(httpDate: piece) != nil { return [start + length] }
        }
        return self.endsOfEpochNumber(in: text, from: start)
    }

    private static func endsOfEpochNumber(in text: UnsafeRawBufferPointer, from start: Int) -> [Int] {
        guard start < text.count, text[start] != 0x30 else { return [] }
        let isDigit: (UInt8) -> Bool = { $0 &- 0x30 < 10 }
        let whole = text[start...].prefix(while: isDigit).count
        // 9 to 14 digits are just the numbers of the range.
        guard whole >= 9 else { return [] }
        var ends = (9...min(whole, 14)).map { start + $0 }
        if whole <= 14, start + whole < text.count, text[start + whole] == 0x2E {
            let fraction = text[(start + whole + 1)...].prefix(while: isDigit)
            ends += fraction.indices.map { $0 + 1 }
        }
        return ends
    }
}
