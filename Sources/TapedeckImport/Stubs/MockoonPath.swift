import TapedeckCore

/// The path of a Mockoon route as a pattern for URLs.
///
/// Mockoon takes the syntax of Express 4 and that of path-to-regexp 8, into which it converts the first. Case does not
/// count, nor does a slash at the end.
struct MockoonPath {
    /// The maximum number of paths with and without the parts that may be missing.
    static let limit = 64

    /// The path with its parts in all combinations.
    private var paths: [[MockoonPathToken]] = []
    private let line: Int

    /// - Throws: for a path that Mockoon refuses, or that cannot be stated.
    init(prefix: String, endpoint: String, line: Int) throws(LeftOut) {
        self.line = line
        let path = Self.withSingleSlashes("/\(prefix)/\(endpoint.replacing(" ", with: "%20"))")
        do throws(MockoonPathProblem) {
            var parser = MockoonPathParser(path)
            let tokens = try parser.tokens(until: nil)
            try Self.flatten(tokens[...], [], into: &self.paths)
            for path in self.paths { _ = try Self.source(path) { _ in nil } }
        } catch {
            throw LeftOut("its path '\(endpoint.prefix(120))' cannot be stated: \(error.reason)", line: line)
        }
    }

    private static func withSingleSlashes(_ text: String) -> String {
        var result = ""
        for character in text where character != "/" || result.last != "/" { result.append(character) }
        return result
    }

    /// The names of the parameters, each once.
    var names: [String] {
        var names: [String] = []
        for case .parameter(let name) in self.paths.joined() where !names.contains(name) { names.append(name) }
        return names
    }

    /// True if every path has the parameter.
    func requires(_ name: String) -> Bool { self.paths.allSatisfy { Self.has(name, in: $0) } }

    private static func has(_ name: String, in path: [MockoonPathToken]) -> Bool {
        path.contains { if case .parameter(name) = $0 { true } else { false } }
    }

    /// True if the parameter is the whole of its segment wherever it occurs.
    func isWholeSegment(_ name: String) -> Bool {
        self.paths.allSatisfy { path in
            path.indices.allSatisfy { index in
                guard case .parameter(name) = path[index] else { return true }
                guard index > 0, case .text(let before) = path[index - 1], before.hasSuffix("/") else { return false }
                guard index + 1 < path.count else { return true }
                guard case .text(let after) = path[index + 1] else { return false }
                return after.hasPrefix("/")
            }
        }
    }

    /// The condition on the URL.
    ///
    /// - Parameters:
    ///   - name: a parameter that the path must have; `nil` for any path.
    ///   - parameter: returns a pattern for the value of a parameter, instead of any.
    func condition(
        requiring name: String? = nil,
        _ parameter: (_ name: String) -> String? = { _ in nil }
    ) throws(LeftOut) -> StubCondition {
        var sources: [String] = []
        do throws(MockoonPathProblem) {
            for path in self.paths where name.map({ Self.has($0, in: path) }) ?? true {
                sources.append(try Self.source(path, parameter))
            }
        } catch {
            throw LeftOut("its path cannot be stated: \(error.reason)", line: self.line)
        }
        if sources.isEmpty { return .never }
        let path = sources.count == 1 ? sources[0] : "/{0}(?:\(sources.joined(separator: "|")))"
        return try .url(path + "/?(?:\\?.*)?", ignoresCase: true, line: self.line)
    }

    /// The condition on the URL, with captures of the parameters for templates.
    func capturing() throws(LeftOut) -> StubCondition {
        var seen: Set<String> = []
        guard self.paths.count == 1 else { return try self.condition() }
        return try self.condition { name in
            let name = StubParts.gap(name)
            return seen.insert(name).inserted ? "(?<\(name)>[^/?]+)" : nil
        }
    }

    /// True if ``capturing()`` captures a parameter.
    func captures(_ name: String) -> Bool { self.paths.count == 1 && self.names.contains(name) }

    // MARK: Patterns

    private static func flatten(
        _ tokens: ArraySlice<MockoonPathToken>,
        _ start: [MockoonPathToken],
        into paths: inout [[MockoonPathToken]]
    ) throws(MockoonPathProblem) {
        var start = start
        for index in tokens.indices {
            guard case .group(let inner) = tokens[index] else {
                if case .text(let text) = tokens[index], case .text(let last)? = start.last {
                    start[start.count - 1] = .text(last + text)
                } else {
                    start.append(tokens[index])
                }
                continue
            }
            let rest = tokens[(index + 1)...]
            try self.flatten(inner[...] + rest, start, into: &paths)
            try self.flatten(rest, start, into: &paths)
            return
        }
        guard paths.count < self.limit else { throw MockoonPathProblem(reason: "it has too many optional parts") }
        paths.append(start)
    }

    /// The regular expression of a path without groups, in the way of path-to-regexp.
    private static func source(
        _ tokens: [MockoonPathToken],
        _ parameter: (String) -> String?
    ) throws(MockoonPathProblem) -> String {
        var result = ""
        var (before, beforeWildcard) = ("", "")
        var isBehindCapture = false
        var isBehindWildcard = false
        var (hasParameter, hasWildcard) = (false, false)
        for (index, token) in tokens.enumerated() {
            switch token {
            case .group: continue
            case .text(let text):
                guard let literal = CanonicalURLText.path(text) else {
                    throw MockoonPathProblem(reason: "no request has '\(text.prefix(40))'")
                }
                result += StubParts.escaped(literal)
                before += literal
                if isBehindWildcard { beforeWildcard += literal }
                if text.contains("/") { (hasParameter, hasWildcard) = (false, false) }
                continue
            case .parameter(let name):
                if isBehindCapture, before.isEmpty {
                    throw MockoonPathProblem(reason: "nothing is before ':\(name.prefix(40))'")
                }
                if let own = parameter(name) {
                    result += own
                } else if hasWildcard {
                    result += self.no("/", before) + "+"
                } else if self.hasWildcard(behind: index, in: tokens) {
                    result += self.no("/", self.text(behind: index, in: tokens)) + "+"
                } else if hasParameter {
                    result += "(?:\(self.no("/", before))+|\(StubParts.escaped(before)))"
                } else {
                    result += "[^/?]+"
                }
                (hasParameter, isBehindWildcard) = (true, false)
            case .wildcard(let name):
                if isBehindCapture, before.isEmpty {
                    throw MockoonPathProblem(reason: "nothing is before '*\(name.prefix(40))'")
                }
                if hasWildcard {
                    result += self.no(before, "") + "+"
                } else if !beforeWildcard.isEmpty {
                    result += "(?:\(self.no(beforeWildcard, ""))+|[^/?]+)"
                } else {
                    result += "[^?]+"
                }
                beforeWildcard = ""
                (hasWildcard, isBehindWildcard) = (true, true)
            }
            isBehindCapture = true
            before = ""
        }
        return result
    }

    private static func hasWildcard(behind index: Int, in tokens: [MockoonPathToken]) -> Bool {
        for token in tokens[(index + 1)...] {
            if token.isWildcard { return true }
            if case .text(let text) = token, text.contains("/") { return false }
        }
        return false
    }

    private static func text(behind index: Int, in tokens: [MockoonPathToken]) -> String {
        guard index + 1 < tokens.count, case .text(let text) = tokens[index + 1] else { return "" }
        return CanonicalURLText.path(text) ?? text
    }

    /// A pattern for a character of a path that begins neither of two texts.
    private static func no(_ one: String, _ other: String) -> String {
        var (long, short) = one.count >= other.count ? (one, other) : (other, one)
        if long == short { short = "" }
        let escaped = { (text: String) in text.map { "]^-\\[".contains($0) ? "\\\($0)" : String($0) }.joined() }
        if short.count > 1 { return "(?:(?!\(StubParts.escaped(long))|\(StubParts.escaped(short)))[^?])" }
        if long.count > 1 { return "(?:(?!\(StubParts.escaped(long)))[^\(escaped(short))?])" }
        return "[^\(escaped(long + short))?]"
    }
}
