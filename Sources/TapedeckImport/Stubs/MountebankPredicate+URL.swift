import TapedeckCore

extension MountebankPredicate {
    /// Any query behind a path.
    private static let anyQuery = "(?:\\?.*)?"
    private static let nameNote = "names of query parameters are tried as written, in lower and in upper case"

    // MARK: Paths

    func path(_ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        let test = self.comparison(expected)
        if test.comparison == .exists { return MountebankText.isTrue(expected) ? .always : .never }
        guard let text = try test.text() else { return .never }
        if test.comparison == .matches { return try self.path(matching: text, test) }
        // A path is never empty.
        if text.isEmpty { return test.comparison == .equals ? .never : .always }
        guard let literal = CanonicalURLText.path(text) else { return .never }
        if let removed = try test.removed(in: .path) {
            let pattern = try test.literal(literal, without: removed, in: .path)
            let end = test.comparison == .equals || test.comparison == .endsWith ? "" : "[^?]*"
            return try self.url("/{0}" + pattern.dropFirst(2) + end + Self.anyQuery, line: test.line)
        }
        let isWhole = test.comparison == .equals || test.comparison == .startsWith
        if isWhole, !text.hasPrefix("/") { return .never }
        let source = StubParts.escaped(literal)
        switch test.comparison {
        case .startsWith: return try self.url(source + "[^?]*" + Self.anyQuery, line: test.line)
        case .contains: return try self.url("/{0}[^?]*?\(source)[^?]*" + Self.anyQuery, line: test.line)
        case .endsWith: return try self.url("/{0}[^?]*\(source)" + Self.anyQuery, line: test.line)
        default:
            guard test.hasCase(text) else {
                return .request(RequestMatcher(url: .exactPath(text), refusesOtherQuery: false))
            }
            return try self.url(source + Self.anyQuery, line: test.line)
        }
    }

    private func path(matching text: String, _ test: MountebankText) throws(LeftOut) -> StubCondition {
        guard test.except == nil else {
            throw LeftOut("its condition `matches` with `except` cannot be stated", line: test.line)
        }
        return try StubPath.matching(text, ignoresCase: !self.isCaseSensitive, line: test.line)
    }

    private func url(_ source: String, line: Int) throws(LeftOut) -> StubCondition {
        try .url(source, ignoresCase: !self.isCaseSensitive, line: line)
    }

    // MARK: Queries

    func query(_ expected: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        if self.isDeep { return try self.wholeQuery(expected) }
        guard expected.isMap else { return self.onWhole(expected) }
        var conditions: [StubCondition] = []
        for pair in self.members(of: expected) {
            for value in try self.each(of: pair.value) {
                conditions.append(try self.parameter(pair.key.text ?? "", value, &notes))
            }
        }
        return .all(conditions)
    }

    /// The condition on one parameter, whose name has no case unless `caseSensitive` is set: it is a pattern then.
    private func parameter(
        _ name: String,
        _ expected: ForeignNode,
        _ notes: inout [String]
    ) throws(LeftOut) -> StubCondition {
        let test = self.comparison(expected)
        let outcome = try test.outcome(in: .line)
        let key = CanonicalURLText.name(name)
        if self.isCaseSensitive, self.namesHaveCase || !test.hasCase(name) {
            return try outcome.condition { .field(\.query, name, $0) }
        }
        guard case .value(let value, let orMissing) = outcome else {
            return try outcome.condition { _ in .always }
        }
        func parameter(_ value: String) throws(LeftOut) -> StubCondition {
            try .url(
                "/[^?]*\\?(?:.*&)?\(StubParts.escaped(key))\(value)(?:&.*)?",
                ignoresCase: true,
                line: test.line
            )
        }
        let text = try test.text() ?? ""
        if test.comparison == .exists || text.isEmpty {
            let isThere = test.except == nil ? try parameter("=[^&]+") : nil
            guard let isThere else {
                throw LeftOut(
                    "its `except` on the query parameter '\(name.prefix(80))' cannot be stated",
                    line: test.line
                )
            }
            return test.comparison == .exists && MountebankText.isTrue(expected) ? isThere : isThere.inverted
        }
        if test.comparison == .matches || test.except != nil || self.isCaseSensitive {
            // A pattern for the decoded value cannot be one for the URL.
            let names = Set([
                name, name.lowercased(), name.uppercased(), name.prefix(1).uppercased() + name.dropFirst(),
            ])
            return .any(
                try names.sorted().map { (name) throws(LeftOut) in
                    let condition = StubCondition.field(\.query, name, value)
                    return orMissing ? .any([condition, try parameter("(?:=[^&]*)?").inverted]) : condition
                }
            )
        }
        let literal = StubParts.escaped(CanonicalURLText.query(text))
        switch test.comparison {
        // An escaped byte is one character.
        case .contains: return try parameter("=(?:[^&%]|%..)*?\(literal)[^&]*")
        case .startsWith: return try parameter("=\(literal)[^&]*")
        case .endsWith: return try parameter("=(?:[^&%]|%..)*\(literal)")
        default: return try parameter("=\(literal)")
        }
    }

    /// The condition that the query has these parameters and no others, in any order.
    private func wholeQuery(_ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        guard expected.isMap else { return .never }
        guard self.except == nil else {
            throw LeftOut("its `except` on the whole query cannot be stated", line: expected.line)
        }
        guard expected.pairs.count <= 60 else {
            throw LeftOut("its condition on the query is too long", line: expected.line)
        }
        var counts: [(parameter: String, count: Int)] = []
        for pair in self.members(of: expected) {
            // One value is no list in mountebank.
            if pair.value.isList, pair.value.items.count < 2 { return .never }
            for node in pair.value.isList ? pair.value.items : [pair.value] {
                guard let text = node.isNull ? "null" : MountebankText.text(node) else { return .never }
                let value = CanonicalURLText.query(text)
                let name = StubParts.escaped(CanonicalURLText.name(pair.key.text ?? ""))
                let parameter = value.isEmpty ? name : "\(name)=\(StubParts.escaped(value))"
                if let index = counts.firstIndex(where: { self.isSame($0.parameter, parameter) }) {
                    counts[index].count += 1
                } else {
                    counts.append((parameter, 1))
                }
            }
        }
        let total = counts.reduce(0) { $0 + $1.count }
        guard total <= 60 else { throw LeftOut("its condition on the query is too long", line: expected.line) }
        if total == 0 { return try self.url("/[^?]*", line: expected.line) }
        if total == 1 { return try self.url("/[^?]*\\?\(counts[0].parameter)", line: expected.line) }
        var source = "/[^?]*\\?"
        for (parameter, count) in counts {
            let one = "(?:[^&]*&)*?\(parameter)(?:&|\\z)"
            source += "(?=\(count == 1 ? one : "(?:\(one)){\(count)}"))"
        }
        return try self.url(source + "[^&]*(?:&[^&]*){\(total - 1)}", line: expected.line)
    }

    private func isSame(_ one: String, _ other: String) -> Bool {
        self.isCaseSensitive ? one == other : one.lowercased() == other.lowercased()
    }
}

/// Conditions on the path of a URL, whose query does not count.
enum StubPath {
    /// Returns the condition that a regular expression of JavaScript matches a part of the path.
    static func matching(_ text: String, ignoresCase: Bool, line: Int) throws(LeftOut) -> StubCondition {
        let whole = try JavaScriptPattern(text, in: .path, line: line)
        // These match any path.
        if ["", "^", ".*", "^.*", ".*$", "^.*$", "(.*)", "^(.*)$", "/", "^/", "\\/", "^\\/"].contains(text) {
            return .always
        }
        let anyQuery = "(?:\\?.*)?"
        guard text.hasPrefix("^/") || text.hasPrefix("^\\/"), !whole.hasAlternatives else {
            return try .url("/{0}[^?]*?(?:\(whole.source))[^?]*" + anyQuery, ignoresCase: ignoresCase, line: line)
        }
        // From the slash on it reads as a path.
        var inner = text.dropFirst()
        if inner.hasPrefix("\\/") { inner = inner.dropFirst() }
        let endsThere = inner.hasSuffix("$") && !inner.hasSuffix("\\$")
        if endsThere { inner = inner.dropLast() }
        let pattern = try JavaScriptPattern(String(inner), in: .path, line: line)
        // An atom that is repeated is no plain slash.
        guard pattern.source.hasPrefix("/"), !["*", "+", "?", "{"].contains(pattern.source.dropFirst().prefix(1)) else {
            return try .url("/{0}[^?]*?(?:\(whole.source))[^?]*" + anyQuery, ignoresCase: ignoresCase, line: line)
        }
        return try .url(pattern.source + (endsThere ? "" : "[^?]*") + anyQuery, ignoresCase: ignoresCase, line: line)
    }
}
