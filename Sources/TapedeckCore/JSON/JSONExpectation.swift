/// An expected JSON value, in which placeholders match any value of a kind.
///
/// A string that is `{{any.uuid}}` matches any UUID; within a longer string (`order-{{any.uuid}}`) it matches that
/// part. A placeholder also matches itself. Kinds: ``placeholders``.
package struct JSONExpectation: Sendable, Equatable {
    package let value: JSONValue
    package let comparison: JSONComparison
    /// True if objects may have more members, and lists more items, in any order.
    package let isSubset: Bool
    private let pattern: JSONPattern
    private let rules: JSONPattern.Rules

    /// Creates an expectation. Paths ignored in `comparison` count on neither side.
    package init(_ value: JSONValue, comparison: JSONComparison = JSONComparison(), isSubset: Bool = false) {
        self.value = value
        self.comparison = comparison
        self.isSubset = isSubset
        self.rules = JSONPattern.Rules(isSubset: isSubset, ignoresArrayOrder: comparison.ignoresArrayOrder)
        self.pattern = JSONPattern(comparison.counting(value), rules: self.rules)
    }

    package static func == (left: JSONExpectation, right: JSONExpectation) -> Bool {
        left.value == right.value && left.comparison == right.comparison && left.isSubset == right.isSubset
    }

    /// True if any part that counts is a placeholder.
    package var hasPlaceholders: Bool { self.pattern.hasPlaceholders }

    /// Returns true if a value is as expected.
    ///
    /// In a subset, each expected member must be there and match, and each expected item must be matched by an item
    /// of its own.
    package func matches(_ value: JSONValue) -> Bool {
        self.pattern.matches(self.comparison.counting(value), self.rules)
    }

    /// Returns the places where a value differs, at most `limit`; never empty for a value that does not match. Indices
    /// do not count ignored items. Where the order of a list does not count, an index is that of the expected item.
    package func differences(_ value: JSONValue, limit: Int) -> [JSONDifference] {
        var search = JSONDifferenceSearch(rules: self.rules, limit: max(limit, 1))
        search.compare(self.pattern, self.comparison.counting(value), at: "$")
        return search.differences
    }
}

extension JSONExpectation {
    /// All placeholders: any value, a UUID, a point in time (RFC 3339, an HTTP date, or seconds or milliseconds since
    /// 1970), a number, a string, a boolean.
    package static let placeholders = JSONPlaceholder.allCases.map { "{{\($0.rawValue)}}" }

    /// Returns unknown placeholders, such as `{{any.uid}}`, each once, as written.
    package static func unknownPlaceholders(in value: JSONValue) -> [String] {
        var found: [String] = []
        self.collectUnknown(in: value, into: &found)
        return found
    }

    private static func collectUnknown(in value: JSONValue, into found: inout [String]) {
        switch value {
        case .null, .bool, .number: break
        case .string(let text):
            for name in JSONTextPattern(text).unknown where !found.contains(name) {
                found.append(name)
            }
        case .array(let items):
            for item in items {
                self.collectUnknown(in: item, into: &found)
            }
        case .object(let members):
            for member in members {
                self.collectUnknown(in: member.value, into: &found)
            }
        }
    }
}
