import TapedeckCore

/// A regular expression of JavaScript (without the flags `u` and `v`) as one of PCRE2 that matches the same texts.
struct JavaScriptPattern {
    /// The text that the pattern is searched in.
    enum Subject {
        /// Any text.
        case text
        /// A text without line ends, such as a header field.
        case line
        /// A path with its query.
        case target
        /// The path of a URL that is compared with its query: the pattern must not go on into the query.
        case path
        /// A segment of such a path.
        case segment

        /// True for a part of a URL.
        var isInURL: Bool { self == .target || self == .path || self == .segment }
        /// The characters that end it, for a class; empty if nothing does.
        var ends: String {
            switch self {
            case .text, .line, .target: ""
            case .path: "?"
            case .segment: "/?"
            }
        }
    }

    /// The pattern for PCRE2.
    private(set) var source = ""
    /// True if it has alternatives outside of groups.
    private(set) var hasAlternatives = false

    let subject: Subject
    let scalars: [Unicode.Scalar]
    let groups: Int
    let hasNames: Bool
    var index = 0
    private var depth = 0
    /// True if a quantifier may follow.
    private var isAfterAtom = false

    /// - Throws: for a text that JavaScript refuses, or that PCRE2 has no equal for.
    init(_ pattern: String, in subject: Subject, line: Int) throws(LeftOut) {
        self.subject = subject
        self.scalars = Array(pattern.unicodeScalars)
        let names = pattern.ranges(of: "(?<").count { range in
            !pattern[range.upperBound...].hasPrefix("=") && !pattern[range.upperBound...].hasPrefix("!")
        }
        self.hasNames = names > 0
        self.groups = Self.plainGroups(self.scalars) + names
        guard pattern.utf8.count <= Pattern.maximumLength else {
            throw LeftOut("its pattern '\(pattern.prefix(120))' is too long", line: line)
        }
        do throws(Problem) {
            try self.translate()
        } catch {
            throw LeftOut("its pattern '\(pattern.prefix(120))' cannot be used: \(error.reason)", line: line)
        }
    }

    /// True if it matches an empty text.
    var matchesNothing: Bool { self.matches("") }

    /// True if it matches a part of a text, regardless of case if so asked.
    func matches(_ text: String, ignoresCase: Bool = false) -> Bool {
        guard let pattern = try? Pattern(self.source, scope: .anywhere, ignoresCase: ignoresCase) else { return false }
        return ValueMatcher.pattern(pattern).matches([text], scratch: PatternScratch())
    }

    struct Problem: Error { let reason: String }

    /// The number of `(` without a `?`, outside of classes.
    private static func plainGroups(_ scalars: [Unicode.Scalar]) -> Int {
        var count = 0
        var isInClass = false
        var isEscaped = false
        for (index, scalar) in scalars.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch scalar {
            case "\\": isEscaped = true
            case "[": isInClass = true
            case "]": isInClass = false
            case "(" where !isInClass: if index + 1 == scalars.count || scalars[index + 1] != "?" { count += 1 }
            default: break
            }
        }
        return count
    }

    var current: Unicode.Scalar? { self.index < self.scalars.count ? self.scalars[self.index] : nil }

    mutating func take(_ text: String) -> Bool {
        guard self.scalars[self.index...].starts(with: text.unicodeScalars) else { return false }
        self.index += text.unicodeScalars.count
        return true
    }

    mutating func add(_ text: String, isAtom: Bool = true) {
        self.source += text
        self.isAfterAtom = isAtom
    }

    private mutating func translate() throws(Problem) {
        while let scalar = self.current {
            self.index += 1
            switch scalar {
            case "\\": try self.escape()
            case "[": try self.characterClass()
            case "(": try self.open()
            case ")":
                guard self.depth > 0 else { throw Problem(reason: "a parenthesis is closed that none has opened") }
                self.depth -= 1
                self.add(")")
            case "|":
                if self.depth == 0 { self.hasAlternatives = true }
                self.add("|", isAtom: false)
            case "^": self.add(self.subject == .segment ? "(?<=/)" : "^", isAtom: false)
            case "$": self.add(self.ends.isEmpty ? "\\z" : "(?![^\(self.ends)])", isAtom: false)
            case ".":
                switch self.subject {
                case .text: self.add("[^\\n\\r]")
                case .line, .target: self.add(".")
                case .path, .segment: self.add("[^\(self.ends)]")
                }
            case "*", "+", "?": try self.quantifier(String(scalar))
            case "{": try self.brace()
            default: self.literal(scalar)
            }
        }
        guard self.depth == 0 else { throw Problem(reason: "a parenthesis is not closed") }
    }

    // MARK: Groups and quantifiers

    private mutating func open() throws(Problem) {
        self.depth += 1
        for start in ["?:", "?=", "?!", "?<=", "?<!"] where self.take(start) {
            self.add("(" + start, isAtom: false)
            return
        }
        if self.take("?<") {
            let name = self.scalars[self.index...].prefix { $0 != ">" }
            self.index += name.count
            guard self.take(">") else { throw Problem(reason: "the name of a group is not closed") }
            self.add("(?<\(String(String.UnicodeScalarView(name)))>", isAtom: false)
            return
        }
        guard self.current != "?", self.current != "*" else { throw Problem(reason: "a group is of no known kind") }
        self.add("(", isAtom: false)
    }

    private mutating func quantifier(_ text: String) throws(Problem) {
        guard self.isAfterAtom else { throw Problem(reason: "nothing is there to repeat") }
        self.add(text + (self.take("?") ? "?" : ""), isAtom: false)
    }

    /// `{2}`, `{2,}` or `{2,3}`; every other brace is literal.
    private mutating func brace() throws(Problem) {
        let inner = self.scalars[self.index...].prefix { $0 != "}" }
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
        let isCount =
            self.index + inner.count < self.scalars.count && parts.count <= 2 && !parts[0].isEmpty
            && parts.allSatisfy { $0.allSatisfy { ("0"..."9").contains($0) } }
        guard isCount else {
            self.literal("{")
            return
        }
        self.index += inner.count + 1
        try self.quantifier("{\(String(String.UnicodeScalarView(inner)))}")
    }
}
