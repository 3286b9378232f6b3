/// Some statuses of responses, written as `200,2xx,300-399`.
package struct StatusFilter: Sendable, Equatable, CustomStringConvertible {
    /// An invalid list of statuses, with advice.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// As it was written.
    package let description: String
    private let ranges: [ClosedRange<Int>]

    /// - Throws: ``Problem``.
    package init(_ text: String) throws(Problem) {
        var ranges: [ClosedRange<Int>] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let range = Self.range(String(item.trimmingSpaces())) else {
                throw Problem(description: "`\(text)` is no list of statuses; write them as in 200,2xx,300-399")
            }
            ranges.append(range)
        }
        self.description = text
        self.ranges = ranges
    }

    /// Returns true if a status is one of them.
    package func contains(_ status: Int) -> Bool {
        self.ranges.contains { $0.contains(status) }
    }

    private static func range(_ text: String) -> ClosedRange<Int>? {
        if text.count == 3, ASCII.lowercased(text).hasSuffix("xx"), let hundred = text.first?.wholeNumberValue,
            (2...5).contains(hundred)
        {
            return hundred * 100...hundred * 100 + 99
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.status($0) }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
            return nil
        }
        return first...last
    }

    private static func status(_ text: Substring) -> Int? {
        guard text.count == 3, text.allSatisfy({ $0.isASCII && $0.isNumber }), let status = Int(text),
            (200...599).contains(status)
        else { return nil }
        return status
    }
}
