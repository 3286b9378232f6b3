import TapedeckCore

/// A comparison of one text of a request by a predicate of mountebank.
///
/// A missing text is compared as an empty one. Case does not count unless `caseSensitive` is set.
struct MountebankText {
    enum Comparison: String {
        case equals
        case contains
        case startsWith
        case endsWith
        case matches
        case exists
    }

    /// The outcome of a comparison with all texts.
    enum Outcome {
        case always
        case never
        /// - Parameter orMissing: true if a missing text meets it, too.
        case value(ValueMatcher, orMissing: Bool)

        /// Returns the condition on a place, which `make` turns a matcher of its values into.
        func condition(_ make: (ValueMatcher) throws(LeftOut) -> StubCondition) throws(LeftOut) -> StubCondition {
            switch self {
            case .always: .always
            case .never: .never
            case .value(let matcher, orMissing: false): try make(matcher)
            case .value(let matcher, orMissing: true): .any([try make(.absent), try make(matcher)])
            }
        }
    }

    let comparison: Comparison
    let expected: ForeignNode
    let isCaseSensitive: Bool
    /// A regular expression for what is removed from the text before.
    var except: String?
    /// True if expected numbers are texts.
    var forcesTexts = false

    var line: Int { self.expected.line }

    /// The expected text, as JavaScript writes scalars and without what `except` removes; `nil` for null, lists and maps.
    func text() throws(LeftOut) -> String? {
        guard let text = Self.text(self.expected) else { return nil }
        guard let except = self.except, self.comparison != .matches else { return text }
        // Nothing is removed from numbers and booleans, unless they are made texts first.
        if !self.forcesTexts, case .scalar(_, isPlain: true) = self.expected.content,
            Double(text) != nil || text == "true" || text == "false"
        {
            return text
        }
        let pattern = try self.pattern(try JavaScriptPattern(except, in: .text, line: self.line).source)
        return Self.removing(pattern, from: text)
    }

    private static func removing(_ pattern: Pattern, from text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var start = 0
        let scratch = PatternScratch()
        bytes.withUnsafeBytes { subject in
            while case .found(let range, _) = pattern.first(in: subject, from: start, scratch: scratch) {
                kept += subject[start..<range.lowerBound]
                // An empty match removes nothing.
                start = range.upperBound
                guard range.isEmpty else { continue }
                guard start < subject.count else { return }
                kept.append(subject[start])
                start += 1
            }
        }
        return String(decoding: kept + bytes[start...], as: UTF8.self)
    }

    static func text(_ node: ForeignNode) -> String? {
        guard case .scalar(let text, let isPlain) = node.content, !node.isNull else { return nil }
        guard isPlain, Double(text) != nil else { return text }
        return String(decoding: ForeignJSON.text(node, .javaScript), as: UTF8.self)
    }

    /// True for what JavaScript takes for true.
    static func isTrue(_ node: ForeignNode?) -> Bool {
        guard let node else { return false }
        guard case .scalar(let text, let isPlain) = node.content else { return true }
        if !isPlain { return !text.isEmpty }
        return !node.isNull && text != "false" && Double(text) != 0
    }

    /// True if case makes a difference for a text.
    func hasCase(_ text: String) -> Bool {
        !self.isCaseSensitive && text.utf8.contains { (0x61...0x7A).contains(ASCII.lowercased($0)) || $0 >= 0x80 }
    }

    /// The condition on a text that a pattern can be applied to as a whole.
    func outcome(in subject: JavaScriptPattern.Subject) throws(LeftOut) -> Outcome {
        if self.comparison == .exists {
            let any = ValueMatcher.pattern(
                try self.pattern(try self.removed(in: subject).map { "\\A\($0)[\\s\\S]" } ?? "[\\s\\S]")
            )
            return .value(Self.isTrue(self.expected) ? any : .not(any), orMissing: false)
        }
        guard let text = try self.text() else { return .never }
        if self.comparison == .matches { return try self.matches(text, in: subject) }
        guard !text.isEmpty else {
            guard self.comparison == .equals else { return .always }
            let any = try self.removed(in: subject).map { "\\A\($0)[\\s\\S]" } ?? "[\\s\\S]"
            return .value(.not(.pattern(try self.pattern(any))), orMissing: false)
        }
        if let removed = try self.removed(in: subject) {
            return .value(
                .pattern(try self.pattern(try self.literal(text, without: removed, in: subject))),
                orMissing: false
            )
        }
        let escaped = StubParts.escaped(text)
        let matcher: ValueMatcher =
            switch (self.comparison, self.hasCase(text)) {
            case (.equals, false): .equals(text)
            case (.equals, true): .pattern(try self.pattern("\\A(?:\(escaped))\\z"))
            case (.contains, false): .contains(text)
            case (.startsWith, false): .prefix(text)
            case (.startsWith, true): .pattern(try self.pattern("\\A\(escaped)"))
            case (.endsWith, false): .suffix(text)
            case (.endsWith, true): .pattern(try self.pattern("\(escaped)\\z"))
            default: .pattern(try self.pattern(escaped))
            }
        return .value(matcher, orMissing: false)
    }

    private func matches(_ text: String, in subject: JavaScriptPattern.Subject) throws(LeftOut) -> Outcome {
        guard self.except == nil else {
            throw LeftOut("its condition `matches` with `except` cannot be stated", line: self.line)
        }
        let pattern = try JavaScriptPattern(text, in: subject, line: self.line)
        // These match any text.
        if ["", ".*", "^.*", ".*$", "(.*)", "^"].contains(text) { return .always }
        if subject == .line, text == "^.*$" || text == "^(.*)$" { return .always }
        return .value(.pattern(try self.pattern(pattern.source)), orMissing: pattern.matchesNothing)
    }

    func pattern(_ source: String) throws(LeftOut) -> Pattern {
        try StubParts.pattern(source, .anywhere, ignoresCase: !self.isCaseSensitive, line: self.line)
    }

    // MARK: Removed parts

    /// Returns a pattern for all that `except` removes at one place; `nil` without an `except`.
    func removed(in subject: JavaScriptPattern.Subject) throws(LeftOut) -> String? {
        guard let except = self.except else { return nil }
        let pattern = try JavaScriptPattern(except, in: subject, line: self.line)
        guard !pattern.matchesNothing else {
            throw LeftOut("its `except` matches an empty text, which cannot be stated", line: self.line)
        }
        // Atomic, as what is removed is not looked at again.
        return "(?>(?:\(pattern.source))*)"
    }

    /// Returns a pattern for a text that may have removed parts before, between and behind its characters.
    func literal(
        _ text: String,
        without removed: String,
        in subject: JavaScriptPattern.Subject
    ) throws(LeftOut) -> String {
        guard text.utf8.count < Pattern.maximumLength / removed.utf8.count else {
            throw LeftOut("its `except` on so long a text cannot be stated", line: self.line)
        }
        let (any, end) = subject == .path ? ("[^?]", "(?![^?])") : ("[\\s\\S]", "\\z")
        let body = text.map { removed + StubParts.escaped(String($0)) }.joined()
        let before = self.comparison == .contains || self.comparison == .endsWith ? "(?:\(removed)\(any))*?" : ""
        let after = self.comparison == .equals || self.comparison == .endsWith ? removed + end : ""
        return "\\A" + before + body + after
    }
}
