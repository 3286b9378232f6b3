/// A range of bytes that a request asks for (RFC 9110 section 14.1.2).
package enum ByteRange: Sendable, Equatable {
    /// From an offset to the end.
    case from(Int)
    /// From an offset through another one.
    case within(ClosedRange<Int>)
    /// The given number of bytes at the end.
    case last(Int)

    /// Parses the value of a Range field; `nil` if it is in another unit than bytes, or malformed: a recipient ignores the
    /// field then (RFC 9110 section 14.2).
    package static func all(of value: String) -> [ByteRange]? {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ASCII.equalsIgnoringCase(String(parts[0].trimmingSpaces()), "bytes") else { return nil }
        var ranges: [ByteRange] = []
        for part in parts[1].split(separator: ",") {
            let text = part.trimmingSpaces()
            if text.isEmpty { continue }
            guard let range = ByteRange(String(text)) else { return nil }
            ranges.append(range)
        }
        return ranges.isEmpty ? nil : ranges
    }

    private init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        switch (parts[0].isEmpty, parts[1].isEmpty) {
        case (true, false):
            guard let last else { return nil }
            self = .last(last)
        case (false, true):
            guard let first else { return nil }
            self = .from(first)
        case (false, false):
            guard let first, let last, first <= last else { return nil }
            self = .within(first...last)
        case (true, true): return nil
        }
    }

    /// A number of digits alone; one that is too large for any body counts as the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }

    /// The bytes of a representation of `size` bytes; `nil` if it has none of them (RFC 9110 section 15.5.17).
    package func bytes(of size: Int) -> Range<Int>? {
        switch self {
        case .from(let first): first < size ? first..<size : nil
        case .within(let range):
            range.lowerBound < size ? range.lowerBound..<(min(range.upperBound, size - 1) + 1) : nil
        case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }
}

/// The value of a Content-Range field (RFC 9110 section 14.4).
package struct ContentRange: Sendable, Equatable {
    package var bytes: Range<Int>
    /// The size of the whole representation.
    package var size: Int

    package init(_ bytes: Range<Int>, of size: Int) {
        self.bytes = bytes
        self.size = size
    }

    /// Parses a value with a range of bytes and a size; `nil` for any other.
    package init?(_ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, ASCII.equalsIgnoringCase(String(words[0]), "bytes") else { return nil }
        let parts = words[1].split(separator: "/")
        guard parts.count == 2, let size = Int(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-").map { Int($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, first <= last, last < size else {
            return nil
        }
        self.init(first..<(last + 1), of: size)
    }

    package var text: String { "bytes \(self.bytes.lowerBound)-\(self.bytes.upperBound - 1)/\(self.size)" }

    /// The value that goes with a 416: the size alone.
    package static func unsatisfied(_ size: Int) -> String { "bytes */\(size)" }
}
