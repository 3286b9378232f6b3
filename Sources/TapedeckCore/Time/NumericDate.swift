/// A date in digits, year first: RFC 3339 and its relatives.
///
/// `2026-11-21`, alone or with a time behind `T` or a space: `10:09`, `10:09:08`, `10:09:08.123456789`; behind that
/// nothing, `Z`, `UTC`, `GMT` or an offset (`+01:00`, `+0100`, `+01`), with or without a space in front. Without an
/// offset the time counts as UTC.
struct NumericDate {
    private(set) var pieces: [DatePiece] = []
    private(set) var hasSeconds = false
    private(set) var hasZone = false
    /// The offset of the date's clock from UTC.
    private(set) var offset: Int64 = 0
    private(set) var instant = Instant(milliseconds: 0)

    private let bytes: [UInt8]
    private var index = 0

    /// Returns `nil` if the whole text is not such a date.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard (10...64).contains(bytes.count), let civil = self.readAll(), self.index == bytes.count else { return nil }
        self.instant = civil.instant.advanced(byMilliseconds: -self.offset)
    }

    private mutating func readAll() -> CivilTime? {
        guard let year = self.number(4), self.literal("-"), let month = self.number(2), self.literal("-"),
            let day = self.number(2)
        else { return nil }
        self.pieces = [.year(digits: 4), .text("-"), .month, .text("-"), .day(digits: 2, isSpaced: false)]
        guard self.index < self.bytes.count else { return CivilTime(year: year, month: month, day: day) }
        let separator = self.bytes[self.index]
        guard self.literal("T") || self.literal("t") || self.literal(" "), let hour = self.number(2),
            self.literal(":"), let minute = self.number(2)
        else { return nil }
        self.pieces += [.text(Self.text(separator)), .hour(digits: 2), .text(":"), .minute]
        var second = 0
        var millisecond = 0
        if self.literal(":") {
            guard let number = self.number(2) else { return nil }
            second = number
            self.hasSeconds = true
            self.pieces += [.text(":"), .second]
            guard let fraction = self.fraction() else { return nil }
            millisecond = fraction
        }
        guard self.readZone() else { return nil }
        return CivilTime(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second,
            millisecond: millisecond
        )
    }

    /// The milliseconds behind a point or a comma (ISO 8601); 0 when there is neither, `nil` when no digit follows.
    private mutating func fraction() -> Int? {
        guard self.index < self.bytes.count else { return 0 }
        let mark = self.bytes[self.index]
        guard self.literal(".") || self.literal(",") else { return 0 }
        let digits = self.bytes[self.index...].prefix { Self.isDigit($0) }
        guard !digits.isEmpty else { return nil }
        self.index = digits.endIndex
        let beyond = String(decoding: digits.dropFirst(3), as: UTF8.self)
        self.pieces += [
            .text(Self.text(mark)), .fraction(digits: min(3, digits.count), beyondMilliseconds: beyond),
        ]
        let padded = Array(digits.prefix(3)) + [UInt8](repeating: UInt8(ascii: "0"), count: 3 - min(3, digits.count))
        return padded.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func readZone() -> Bool {
        let start = self.index
        guard start < self.bytes.count else { return true }
        _ = self.literal(" ")
        if self.literal("Z") || self.literal("z") || self.literal("UTC") || self.literal("GMT") {
            self.hasZone = true
        } else {
            let isNegative = self.literal("-")
            guard isNegative || self.literal("+"), let hours = self.number(2), hours <= 23 else { return false }
            var minutes = 0
            if self.literal(":") || self.index < self.bytes.count {
                guard let number = self.number(2), number <= 59 else { return false }
                minutes = number
            }
            self.offset = Int64(hours * 60 + minutes) * (isNegative ? -60_000 : 60_000)
            self.hasZone = true
        }
        self.pieces.append(.text(String(decoding: self.bytes[start..<self.index], as: UTF8.self)))
        return true
    }

    private mutating func number(_ digits: Int) -> Int? {
        let end = self.index + digits
        guard end <= self.bytes.count, self.bytes[self.index..<end].allSatisfy(Self.isDigit) else { return nil }
        defer { self.index = end }
        return self.bytes[self.index..<end].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        let end = self.index + text.utf8CodeUnitCount
        guard end <= self.bytes.count,
            (self.index..<end).allSatisfy({
                self.bytes[$0] == text.utf8Start[$0 - self.index]
            })
        else { return false }
        self.index = end
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func text(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }
}
