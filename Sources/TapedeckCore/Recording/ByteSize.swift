/// A number of bytes as people write it: `512`, `64KiB`, `10 MB`. A unit of one letter is a power of 1024: `64k`, `10m`.
package struct ByteSize: Sendable, Hashable, CustomStringConvertible {
    /// An invalid size, with advice.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let bytes: Int
    /// As it was written.
    package let description: String

    private static let units: [String: Int] = [
        "": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
        "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000,
    ]

    /// - Throws: ``Problem`` if it is not a size of at most 1,000 GB.
    package init(_ text: String) throws(Problem) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = ASCII.lowercased(String(text[digits.endIndex...].trimmingSpaces()))
        guard let number = Int(digits), let factor = Self.units[unit], number <= 1_000_000_000_000 / factor else {
            throw Problem(
                description: "`\(text)` is no size; write a whole number and a unit, such as 64k, 512 KiB or 10 MB"
            )
        }
        self.bytes = number * factor
        self.description = unit.isEmpty ? "\(text) bytes" : text
    }
}
