import TapedeckCore

/// Parts of response sets that the readers of several tools' stubs make.
enum StubParts {
    /// Bytes as a body that is put in its place when it is saved.
    static func body(_ bytes: [UInt8]) -> StoredBody {
        bytes.isEmpty ? .none : .inline(InlineBody(form: .base64, content: bytes))
    }

    /// A value that a regular expression of another tool must match as a whole.
    ///
    /// - Parameter lines: true if `.` matches line ends, too.
    static func whole(
        _ pattern: String,
        lines: Bool = false,
        ignoresCase: Bool = false,
        line: Int
    ) throws(LeftOut) -> ValueMatcher {
        let start = lines && PathPattern.matchesAny(pattern) ? "\\A(?s:" : "\\A(?:"
        let end = ")\\z" + self.inCharactersIfNeeded(pattern)
        return .pattern(try self.pattern(start + pattern + end, .anywhere, ignoresCase: ignoresCase, line: line))
    }

    /// Has a pattern match characters in place of bytes.
    private static let inCharacters = "(?:\\x{100}){0}"

    /// The end of a pattern that is to match characters in place of bytes; empty where that makes no difference.
    static func inCharactersIfNeeded(_ source: String) -> String {
        PathPattern.takesOneCharacter(source) ? self.inCharacters : ""
    }

    /// Returns the pattern that ``whole(_:lines:ignoresCase:line:)`` was made of; `nil` for every other one.
    ///
    /// - Parameter lines: true leaves out that `.` matches line ends, as for a tool where it always does.
    static func insideOfWhole(_ source: String, lines: Bool = false) -> String? {
        let end = ")\\z"
        let source = source.hasSuffix(self.inCharacters) ? String(source.dropLast(self.inCharacters.count)) : source
        guard source.hasSuffix(end) else { return nil }
        if source.hasPrefix("\\A(?:") { return String(source.dropFirst(5).dropLast(end.count)) }
        guard source.hasPrefix("\\A(?s:") else { return nil }
        let inner = String(source.dropFirst(6).dropLast(end.count))
        return lines ? inner : "(?s:\(inner))"
    }

    /// A value that is a number.
    static func anyNumber(line: Int) throws(LeftOut) -> ValueMatcher {
        try self.whole("-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", line: line)
    }

    /// A value that is not as a condition says: at least one of several must not be.
    ///
    /// - Returns: `nil` for a condition that no pattern can turn around.
    static func some(not matcher: ValueMatcher, line: Int) throws(LeftOut) -> ValueMatcher? {
        guard let ahead = self.lookAhead(matcher) else { return nil }
        return .pattern(try self.pattern("\\A(?!\(ahead))", .anywhere, line: line))
    }

    static func pattern(
        _ source: String,
        _ scope: Pattern.Scope,
        ignoresCase: Bool = false,
        line: Int
    ) throws(LeftOut) -> Pattern {
        guard !PathPattern.hasIntersection(source) else {
            throw LeftOut("its pattern '\(source.prefix(120))' has an intersection of classes (&&)", line: line)
        }
        do throws(PatternError) {
            return try Pattern(source, scope: scope, ignoresCase: ignoresCase)
        } catch {
            throw LeftOut("its pattern '\(source.prefix(120))' cannot be used: \(error)", line: line)
        }
    }

    /// Returns literal text escaped for a regular expression.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII, !ASCII.isUnreserved(UInt8(scalar.value)) || scalar == ".", scalar != "/" {
                result += "\\"
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// A regular expression for path and query, or for the path with any query behind it.
    static func url(matching pattern: String, isPathAlone: Bool, line: Int) throws(LeftOut) -> URLMatcher {
        var source = pattern.hasPrefix("^") ? String(pattern.dropFirst()) : pattern
        if isPathAlone { source = PathPattern.withoutQuery(source) }
        let end = isPathAlone ? "(?:\\?.*)?" : ""
        let isPlain = source.hasPrefix("/") && !source.contains("|")
        let trimmed = source.hasSuffix("$") && !source.hasSuffix("\\$") ? String(source.dropLast()) : source
        // A slash, no times: only a pattern that begins with one is compared without scheme and host.
        return .pattern(try self.pattern((isPlain ? trimmed : "/{0}(?:\(trimmed))") + end, .whole, line: line))
    }

    /// Makes a matcher ask for a scheme, which a cassette states in a whole URL.
    ///
    /// - Returns: a note where it cannot be stated; the matcher stays as it is then.
    static func require(scheme: String, in matcher: inout RequestMatcher, line: Int) throws(LeftOut) -> String? {
        let scheme = ASCII.lowercased(scheme)
        if case .exact(let url) = matcher.url, url.origin.scheme.rawValue == scheme { return nil }
        if case .names(let names)? = matcher.host, names.count == 1, !names[0].contains("*"),
            let origin = AbsoluteURL("\(scheme)://\(names[0])/")?.origin
        {
            switch matcher.url {
            case .exactPath(let path):
                guard let url = AbsoluteURL("\(origin)\(path)") else { break }
                (matcher.url, matcher.host) = (.exact(url), nil)
                return nil
            case .pattern(let pattern) where matcher.url.isPathOnly:
                let source = pattern.source.hasPrefix("^") ? pattern.source.dropFirst() : pattern.source[...]
                matcher.url = .pattern(try self.pattern(self.escaped("\(origin)") + source, .whole, line: line))
                matcher.host = nil
                return nil
            default: break
            }
        }
        return "its condition on the scheme is left out: it answers http and https"
    }

    /// The text of a glob for a path as a regular expression that begins with a slash, as paths do.
    static func glob(path text: String) -> String {
        let rest = text.drop { $0 == "*" }
        guard rest.count < text.count else { return self.glob(text) }
        return rest.first == "/" ? "/(?:.*/)?\(self.glob(String(rest.dropFirst())))" : "/.*\(self.glob(String(rest)))"
    }

    /// The text of a glob as a regular expression: `*` is anything.
    static func glob(_ text: String) -> String {
        text.split(separator: "*", omittingEmptySubsequences: false).map { self.escaped($0) }.joined(separator: ".*")
    }

    static func jsonPath(_ text: String, line: Int) throws(LeftOut) -> JSONPath {
        do throws(JSONPathError) {
            return try JSONPath(text)
        } catch {
            throw LeftOut("its JSONPath '\(text.prefix(120))' cannot be used: \(error)", line: line)
        }
    }

    /// Returns the JSON of a node: the text of a string that contains JSON, or the node as JSON.
    static func json(_ node: ForeignNode) throws(LeftOut) -> [UInt8] {
        let bytes = node.text.map { Array($0.utf8) } ?? ForeignJSON.text(node, .dotNet)
        guard (try? JSONValue(parsing: bytes)) != nil else { throw LeftOut("its JSON cannot be read", line: node.line) }
        return bytes
    }

    static func json(equal node: ForeignNode, ignoresOrder: Bool = false) throws(LeftOut) -> BodyMatcher {
        .json(
            InlineBody(form: .json, content: try self.json(node)),
            JSONComparison(ignoresArrayOrder: ignoresOrder)
        )
    }

    static func json(within node: ForeignNode) throws(LeftOut) -> BodyMatcher {
        .jsonSubset(InlineBody(form: .json, content: try self.json(node)))
    }

    /// The name of a note on a condition that ``xml(_:line:)`` made.
    static let xmlNote =
        "its XML is compared as text: white space beside tags does not count, the order of attributes does"

    /// Returns a condition for equal XML, except for white space between its tags and its declaration.
    ///
    /// Placeholders for any text (`${xmlunit.ignore}` and similar, `{{ignore}}`) work here too.
    static func xml(_ text: String, line: Int) throws(LeftOut) -> ValueMatcher {
        var rest = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if rest.hasPrefix("<?xml"), let end = rest.firstRange(of: "?>") { rest = rest[end.upperBound...] }
        var source = "\\s*(?:<\\?xml[^>]*\\?>\\s*)?"
        while !rest.isEmpty {
            if rest.first == "<", let end = rest.firstIndex(of: ">") {
                let words = rest[...end].split(whereSeparator: \.isWhitespace).map { self.escaped($0) }
                source += words.joined(separator: "\\s+") + "\\s*"
                rest = rest[end...].dropFirst()
                continue
            }
            // A `<` without an end is literal.
            let content = rest.prefix(1) + rest.dropFirst().prefix { $0 != "<" }
            rest = rest.dropFirst(content.count)
            let isAny = ["{{ignore}}", "${xmlunit.ignore}", "${xmlunit.isNumber}", "${xmlunit.isDateTime}"].contains(
                String(content.filter { !$0.isWhitespace })
            )
            let words = content.split(whereSeparator: \.isWhitespace).map { self.escaped($0) }
            source += isAny ? "[^<]*" : words.joined(separator: "\\s+") + (words.isEmpty ? "" : "\\s*")
        }
        return try self.whole(source, line: line)
    }

    /// A body of equal XML. One with placeholders for any text is compared as text.
    ///
    /// - Parameter notes: gets ``xmlNote`` for such a one.
    static func xml(body text: String, notes: inout [String], line: Int) throws(LeftOut) -> BodyMatcher {
        let body = BodyMatcher.xml(InlineBody(form: .text, content: Array(text.utf8)))
        if !text.contains("{"), body.identity != nil { return body }
        if !notes.contains(self.xmlNote) { notes.append(self.xmlNote) }
        return .text(try self.xml(text, line: line))
    }

    /// A name of a URL's gap: ASCII letters, digits and `_` after a letter.
    static func gap(_ name: some StringProtocol) -> String {
        let kept = String(
            name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" }.prefix(28)
        )
        return kept.first?.isLetter == true ? kept : "n\(kept)"
    }

    /// Returns a matcher that requires all of several; a cassette names each kind of condition once.
    ///
    /// - Parameter isOneValue: true if one value must meet them all, so that they can become a regular expression.
    static func all(_ matchers: [ValueMatcher], isOneValue: Bool, line: Int) throws(LeftOut) -> ValueMatcher {
        guard matchers.count > 1 else { return matchers.first ?? .present }
        if Set(matchers.map(self.kind)).count == matchers.count { return .all(matchers) }
        var source = ""
        var others: [ValueMatcher] = []
        for matcher in matchers {
            if let part = self.lookAhead(matcher) { source += part } else { others.append(matcher) }
        }
        guard isOneValue, Set(others.map(self.kind)).count == others.count,
            !others.contains(where: { self.kind($0) == "pattern" })
        else {
            throw LeftOut("several conditions of a kind on one name cannot be stated", line: line)
        }
        let pattern = try self.whole(source + "[\\s\\S]*", line: line)
        return others.isEmpty ? pattern : .all([pattern] + others)
    }

    private static func kind(_ matcher: ValueMatcher) -> String {
        switch matcher {
        case .equals, .values, .valuesInAnyOrder: "equals"
        case .oneOf: "oneOf"
        case .contains: "contains"
        case .prefix: "prefix"
        case .suffix: "suffix"
        case .pattern: "pattern"
        case .greaterThan: "greaterThan"
        case .lessThan: "lessThan"
        case .present, .absent: "absent"
        case .not: "not"
        case .all: "all"
        }
    }

    /// Returns a condition as a look-ahead from the beginning of a value; `nil` if it is not about text.
    private static func lookAhead(_ matcher: ValueMatcher) -> String? {
        switch matcher {
        case .equals(let text): "(?=\(self.escaped(text))\\z)"
        case .contains(let text): "(?=[\\s\\S]*?\(self.escaped(text)))"
        case .pattern(let pattern) where pattern.scope == .anywhere:
            "(?=[\\s\\S]*?(?\(pattern.ignoresCase ? "i" : ""):\(pattern.source)))"
        case .not(let inner): self.lookAhead(inner).map { "(?!\($0))" }
        default: nil
        }
    }

    /// Returns a matcher that requires one of several: a regular expression of all of them.
    static func any(_ matchers: [ValueMatcher], line: Int) throws(LeftOut) -> ValueMatcher {
        guard matchers.count > 1 else { return matchers.first ?? .present }
        let texts = matchers.compactMap { matcher in if case .equals(let text) = matcher { text } else { nil } }
        if texts.count == matchers.count { return .oneOf(texts) }
        var parts: [String] = []
        for matcher in matchers {
            switch matcher {
            case .equals(let text): parts.append(self.escaped(text))
            case .contains(let text): parts.append("[\\s\\S]*?\(self.escaped(text))[\\s\\S]*")
            case .pattern(let pattern) where !pattern.ignoresCase && pattern.scope == .anywhere:
                parts.append(
                    self.insideOfWhole(pattern.source).map { "(?:\($0))" }
                        ?? "[\\s\\S]*?(?:\(pattern.source))[\\s\\S]*"
                )
            default: throw LeftOut("its condition that one of several holds cannot be stated", line: line)
            }
        }
        return try self.whole(parts.joined(separator: "|"), line: line)
    }

    /// The fields of a response as a cassette holds them, and its framing as a wire needs it.
    static func headers(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { field in
            !field.isNamed("transfer-encoding") && !field.isNamed("connection") && !field.isNamed("content-length")
                && !field.name.isEmpty && !field.name.hasPrefix(":")
        }.map { HeaderField($0.name, $0.value.inOneLine) }
    }

    /// A status that a response can have.
    static func status(_ node: ForeignNode?, default status: Int = 200) throws(LeftOut) -> Int {
        guard let node, !node.isNull else { return status }
        guard let number = node.int, (200...999).contains(number) else {
            throw LeftOut("no response has the status \(node.text ?? "that it names")", line: node.line)
        }
        return number
    }

    /// Returns a reason phrase, if it is not the usual one.
    static func reason(_ text: String?, _ status: Int) -> String? {
        guard let text, !text.isEmpty, text != StatusPhrase.standard(status) else { return nil }
        return text.inOneLine
    }
}
