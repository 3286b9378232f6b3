/// A condition on the value of a header, a query parameter, a cookie or a field.
///
/// A name can have several values. A condition is met if one of them meets it, unless documented otherwise.
package indirect enum ValueMatcher: Sendable, Equatable {
    case equals(String)
    /// Just these, in this order.
    case values([String])
    /// Just these, in any order.
    case valuesInAnyOrder([String])
    case oneOf([String])
    case contains(String)
    case prefix(String)
    case suffix(String)
    /// Matched anywhere in the value.
    case pattern(Pattern)
    /// A number above this one; likewise below.
    case greaterThan(JSONNumber)
    case lessThan(JSONNumber)
    /// There is a value.
    case present
    case absent
    case not(ValueMatcher)
    case all([ValueMatcher])

    /// The values that it compares as a whole.
    var wholeTexts: [String] {
        switch self {
        case .equals(let text): [text]
        case .oneOf(let texts), .values(let texts), .valuesInAnyOrder(let texts): texts
        default: []
        }
    }

    package func matches(_ values: [String], scratch: PatternScratch) -> Bool {
        switch self {
        case .equals(let text): values.contains { $0.isSameText(as: text) }
        case .values(let texts):
            values.count == texts.count && zip(values, texts).allSatisfy { $0.isSameText(as: $1) }
        case .valuesInAnyOrder(let texts):
            values.count == texts.count && Self.counts(values) == Self.counts(texts)
        case .oneOf(let texts): values.contains { value in texts.contains { value.isSameText(as: $0) } }
        case .contains(let text): values.contains { $0.containsText(text) }
        case .prefix(let text): values.contains { $0.utf8.starts(with: text.utf8) }
        case .suffix(let text): values.contains { $0.utf8.reversed().starts(with: text.utf8.reversed()) }
        case .pattern(let pattern):
            values.contains { value in
                ByteText.bytes(of: value).withUnsafeBytes { pattern.match($0, scratch: scratch) == .matched }
            }
        case .greaterThan(let limit): values.contains { JSONNumber($0).map { limit < $0 } ?? false }
        case .lessThan(let limit): values.contains { JSONNumber($0).map { $0 < limit } ?? false }
        case .present: !values.isEmpty
        case .absent: values.isEmpty
        case .not(let matcher): !matcher.matches(values, scratch: scratch)
        case .all(let matchers): matchers.allSatisfy { $0.matches(values, scratch: scratch) }
        }
    }

    /// The number of times that each text occurs, compared byte by byte.
    private static func counts(_ texts: [String]) -> [[UInt8]: Int] {
        texts.reduce(into: [:]) { $0[Array($1.utf8), default: 0] += 1 }
    }

    /// A short text of the condition.
    package var summary: String {
        switch self {
        case .equals(let text): text
        case .values(let texts): texts.joined(separator: ", ")
        case .valuesInAnyOrder(let texts): texts.joined(separator: ", ") + " in any order"
        case .oneOf(let texts): "one of " + texts.joined(separator: ", ")
        case .contains(let text): "a text with \"\(text)\" in it"
        case .prefix(let text): "a text that begins with \"\(text)\""
        case .suffix(let text): "a text that ends with \"\(text)\""
        case .pattern(let pattern): "a text that matches \(pattern.source)"
        case .greaterThan(let number): "a number above \(number.spelling)"
        case .lessThan(let number): "a number below \(number.spelling)"
        case .present: "any value"
        case .absent: "no value"
        case .not(let matcher): "not " + matcher.summary
        case .all(let matchers): matchers.map(\.summary).joined(separator: " and ")
        }
    }

    /// The texts of a matcher that accepts only these.
    package var plainTexts: [String]? {
        switch self {
        case .equals(let text): [text]
        case .values(let texts), .valuesInAnyOrder(let texts): texts
        default: nil
        }
    }
}
