/// The part of a name after `random.`.
enum RandomName: Equatable {
    /// `uuid`: version 4 (RFC 9562 section 5.4).
    case uuid
    /// `number`, from 0 to 999,999, or `number-10-20` with both ends.
    case number(ClosedRange<UInt64>)
    /// `text-8`: this many lower-case letters and digits; 16 without a number.
    case text(Int)
    /// `hex-8`: this many hexadecimal digits; 16 without a number.
    case hex(Int)

    /// One of each, for suggestions.
    static let examples = ["uuid", "number", "number-10-20", "text-8", "hex-8"]
    private static let longest = 4_096

    /// `nil` for a name that means nothing.
    init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { $0.allSatisfy(\.isASCII) ? UInt64($0) : nil }
        guard let kind = parts.first, numbers.count == parts.count - 1 else { return nil }
        switch (kind, numbers.count) {
        case ("uuid", 0): self = .uuid
        case ("number", 0): self = .number(0...999_999)
        case ("number", 2) where numbers[0] <= numbers[1]: self = .number(numbers[0]...numbers[1])
        case ("text", 0): self = .text(16)
        case ("hex", 0): self = .hex(16)
        case ("text", 1) where (1...UInt64(Self.longest)).contains(numbers[0]): self = .text(Int(numbers[0]))
        case ("hex", 1) where (1...UInt64(Self.longest)).contains(numbers[0]): self = .hex(Int(numbers[0]))
        default: return nil
        }
    }

    func text(_ random: inout some RandomNumberGenerator) -> String {
        switch self {
        case .uuid:
            let version: UInt64 = 0x4000 | random.next() & 0x0FFF
            let variant: UInt64 = 0x8000 | random.next() & 0x3FFF
            let parts = [
                Self.digits("0123456789abcdef", 8, &random), String(version, radix: 16), String(variant, radix: 16),
                Self.digits("0123456789abcdef", 12, &random),
            ]
            return "\(parts[0])-\(Self.digits("0123456789abcdef", 4, &random))-\(parts[1])-\(parts[2])-\(parts[3])"
        case .number(let range): return String(UInt64.random(in: range, using: &random))
        case .text(let count): return Self.digits("abcdefghijklmnopqrstuvwxyz0123456789", count, &random)
        case .hex(let count): return Self.digits("0123456789abcdef", count, &random)
        }
    }

    private static func digits(
        _ alphabet: StaticString,
        _ count: Int,
        _ random: inout some RandomNumberGenerator
    ) -> String {
        let bytes = (0..<count).map { _ in
            alphabet.utf8Start[Int.random(in: 0..<alphabet.utf8CodeUnitCount, using: &random)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
