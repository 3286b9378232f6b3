/// A condition on a query parameter, a header field, a cookie, a form field, a text or a place in JSON.
///
/// A literal is the value itself: `.query("page", 2)`, `.header("accept", "text/html")`, and an array all values in their
/// order: `.query("tag", ["a", "b"])`. Values are compared byte by byte.
public struct ValueMatcher: Sendable, Equatable {
    /// As a cassette has it.
    let shape: Tapedeck.JSON

    init(_ shape: Tapedeck.JSON) {
        self.shape = shape
    }

    private init(_ key: String, _ value: Tapedeck.JSON) {
        self.init([Tapedeck.JSON.Member(key, value)])
    }

    private init(_ members: [Tapedeck.JSON.Member]) {
        self.init(Tapedeck.JSON(members))
    }

    /// A value is this text.
    public static func equals(_ text: String) -> Self {
        Self(Tapedeck.JSON(text))
    }

    /// The values are just these, in this order. None at all is ``absent``.
    public static func values(_ texts: [String]) -> Self {
        texts.isEmpty ? .absent : Self(Tapedeck.JSON(texts: texts))
    }

    /// A value is one of these texts.
    public static func oneOf(_ texts: [String]) -> Self {
        Self("oneOf", Tapedeck.JSON(texts: texts))
    }

    /// A value is one of these texts.
    public static func oneOf(_ texts: String...) -> Self {
        self.oneOf(texts)
    }

    /// A value has this text in it.
    public static func contains(_ text: String) -> Self {
        Self("contains", Tapedeck.JSON(text))
    }

    /// A value begins with this text.
    public static func prefix(_ text: String) -> Self {
        Self("prefix", Tapedeck.JSON(text))
    }

    /// A value ends with this text.
    public static func suffix(_ text: String) -> Self {
        Self("suffix", Tapedeck.JSON(text))
    }

    /// A regular expression (PCRE2) matches some part of a value.
    ///
    /// ```swift
    /// .header("user-agent", .pattern("firefox|safari", ignoringCase: true))
    /// ```
    public static func pattern(_ pattern: String, ignoringCase: Bool = false) -> Self {
        Self(
            [Tapedeck.JSON.Member("pattern", Tapedeck.JSON(pattern))]
                + (ignoringCase ? [Tapedeck.JSON.Member("ignoreCase", true)] : [])
        )
    }

    /// A value is a number above this one.
    public static func greaterThan(_ number: Double) -> Self {
        Self("greaterThan", Tapedeck.JSON(plain: number))
    }

    /// A value is a number below this one.
    public static func lessThan(_ number: Double) -> Self {
        Self("lessThan", Tapedeck.JSON(plain: number))
    }

    /// A value is a number above the first and below the second of these. Neither is included.
    public static func between(_ low: Double, _ high: Double) -> Self {
        Self([
            Tapedeck.JSON.Member("greaterThan", Tapedeck.JSON(plain: low)),
            Tapedeck.JSON.Member("lessThan", Tapedeck.JSON(plain: high)),
        ])
    }

    /// There is a value.
    public static let present = Self("present", true)

    /// The value is missing.
    public static let absent = Self("absent", true)

    /// Null; only of use for JSON.
    public static let null = Self(.null)

    /// The matcher does not hold.
    public static func not(_ matcher: ValueMatcher) -> Self {
        Self("not", matcher.shape)
    }
}

extension ValueMatcher: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    /// A value is this text.
    public init(stringLiteral text: String) {
        self.init(Tapedeck.JSON(text))
    }

    /// A value is this number, in this spelling.
    public init(integerLiteral number: Int) {
        self.init(Tapedeck.JSON(number))
    }

    /// A value is this number, as Swift writes it: `1.50` is the text `1.5`, and `2.0` is `2`.
    public init(floatLiteral number: Double) {
        self.init(Tapedeck.JSON(plain: number))
    }

    /// A value is `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self.init(Tapedeck.JSON(value))
    }

    /// The values are just these, in this order.
    public init(arrayLiteral texts: String...) {
        self = .values(texts)
    }
}

extension ValueMatcher: CustomStringConvertible {
    /// A short text to follow a name: `= 2`, `contains "json"`, `is absent`.
    public var description: String {
        if let members = self.shape.members {
            return members.filter { $0.name != "ignoreCase" }.map { Self.words($0) }.joined(separator: " and ")
        }
        return "= \(self.shape.string ?? self.shape.text)"
    }

    private static func words(_ member: Tapedeck.JSON.Member) -> String {
        switch member.name {
        case "oneOf": "is one of \(member.value)"
        case "contains": "contains \(member.value)"
        case "prefix": "begins with \(member.value)"
        case "suffix": "ends with \(member.value)"
        case "pattern": "matches /\(member.value.string ?? "")/"
        case "greaterThan": "> \(member.value)"
        case "lessThan": "< \(member.value)"
        case "present", "absent": "is \(member.name)"
        case "not": "not (\(ValueMatcher(member.value)))"
        default: "\(member.name) = \(member.value.string ?? member.value.text)"
        }
    }
}

extension Tapedeck.JSON {
    /// A number without `.0` behind it.
    init(plain number: Double) {
        if let whole = Int(exactly: number) {
            self.init(whole)
        } else {
            self.init(number)
        }
    }
}
