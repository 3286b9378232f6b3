import TapedeckCore

/// A predicate of a mountebank stub as a condition on the request.
struct MountebankPredicate {
    /// The operators, of which a predicate has one: the first that is named counts.
    private static let operators: Set<String> = [
        "equals", "deepEquals", "contains", "startsWith", "endsWith", "matches", "exists", "not", "or", "and", "inject",
    ]
    /// The maximum number of predicates within predicates.
    private static let depthLimit = 12
    /// The maximum number of predicates in a list, and of values in a predicate.
    private static let sizeLimit = 1_000

    let node: ForeignNode
    /// The name of the operator.
    let name: String
    let isCaseSensitive: Bool
    /// True if the case of names counts, such as those of query parameters.
    let namesHaveCase: Bool
    let except: String?

    private init(_ node: ForeignNode) throws(LeftOut) {
        guard let name = node.pairs.compactMap(\.key.text).first(where: { Self.operators.contains($0) }) else {
            throw LeftOut("it has a predicate without an operator", line: node.line)
        }
        self.node = node
        self.name = name
        self.isCaseSensitive = MountebankText.isTrue(node["caseSensitive"])
        self.namesHaveCase = self.isCaseSensitive && node["keyCaseSensitive"]?.bool != false
        let except = node["except"].flatMap(MountebankText.text) ?? ""
        self.except = except.isEmpty ? nil : except
    }

    /// The condition of all predicates of a stub.
    static func condition(
        _ nodes: [ForeignNode],
        _ notes: inout [String],
        depth: Int = 0
    ) throws(LeftOut) -> StubCondition {
        .all(try self.conditions(nodes, &notes, depth: depth))
    }

    private static func conditions(
        _ nodes: [ForeignNode],
        _ notes: inout [String],
        depth: Int
    ) throws(LeftOut) -> [StubCondition] {
        guard nodes.count <= self.sizeLimit else {
            throw LeftOut("it has more than \(self.sizeLimit) predicates", line: nodes[0].line)
        }
        var conditions: [StubCondition] = []
        for node in nodes { conditions.append(try MountebankPredicate(node).condition(&notes, depth: depth)) }
        return conditions
    }

    private func condition(_ notes: inout [String], depth: Int) throws(LeftOut) -> StubCondition {
        guard depth <= Self.depthLimit, let value = self.node[self.name] else {
            throw LeftOut("its predicates are nested too deeply", line: self.node.line)
        }
        switch self.name {
        case "inject":
            throw LeftOut("its predicate runs JavaScript (`inject`), which cannot be stated", line: value.line)
        case "not": return try MountebankPredicate(value).condition(&notes, depth: depth + 1).inverted
        case "and", "or":
            guard value.isList else { throw LeftOut("its predicate `\(self.name)` is no list", line: value.line) }
            let conditions = try Self.conditions(value.items, &notes, depth: depth + 1)
            return self.name == "and" ? .all(conditions) : .any(conditions)
        default: break
        }
        guard value.isMap else { throw LeftOut("its predicate `\(self.name)` is no map", line: value.line) }
        guard Self.isSmall(value) else {
            throw LeftOut("its predicate `\(self.name)` has more than \(Self.sizeLimit) values", line: value.line)
        }
        guard self.node["xpath"].map({ !MountebankText.isTrue($0) }) ?? true else {
            throw LeftOut("its condition by XPath cannot be stated", line: self.node["xpath"]?.line ?? value.line)
        }
        var conditions: [StubCondition] = []
        for pair in self.members(of: value) {
            let field = pair.key.text ?? ""
            let name = self.namesHaveCase || field == "requestFrom" ? field : ASCII.lowercased(field)
            conditions.append(try self.condition(on: name, pair.value, &notes))
        }
        return .all(conditions)
    }

    private static func isSmall(_ node: ForeignNode) -> Bool {
        var open = [node]
        var count = 0
        while let next = open.popLast() {
            count += 1
            guard count + next.pairs.count + next.items.count <= self.sizeLimit else { return false }
            open += next.pairs.map(\.value) + next.items
        }
        return true
    }

    /// Returns the comparison of one text with an expected one; of `deepEquals` as of `equals`.
    func comparison(_ expected: ForeignNode) -> MountebankText {
        MountebankText(
            comparison: MountebankText.Comparison(rawValue: self.name) ?? .equals,
            expected: expected,
            isCaseSensitive: self.isCaseSensitive,
            except: self.except,
            forcesTexts: self.isDeep
        )
    }

    var isDeep: Bool { self.name == "deepEquals" }

    /// The members of a map; of names that differ only in a case that does not count, the last one.
    func members(of node: ForeignNode) -> [ForeignPair] {
        var members: [ForeignPair] = []
        var places: [String: Int] = [:]
        for pair in node.pairs {
            let name = pair.key.text ?? ""
            let key = self.namesHaveCase ? name : name.lowercased()
            if let place = places[key] {
                members[place] = ForeignPair(key: members[place].key, value: pair.value)
            } else {
                places[key] = members.count
                members.append(pair)
            }
        }
        return members
    }

    // MARK: Fields

    private func condition(
        on field: String,
        _ expected: ForeignNode,
        _ notes: inout [String]
    ) throws(LeftOut) -> StubCondition {
        if let jsonPath = self.node["jsonpath"], MountebankText.isTrue(jsonPath) {
            switch field {
            case "body": return try self.json(at: jsonPath, expected, &notes)
            // Neither of them is JSON.
            case "method", "path": return try self.missing(expected)
            default: throw LeftOut("its JSONPath on `\(field.prefix(80))` cannot be stated", line: jsonPath.line)
            }
        }
        switch field {
        case "method": return try self.method(expected)
        case "path": return try self.path(expected)
        case "query": return try self.query(expected, &notes)
        case "headers": return try self.headers(expected, &notes)
        case "form": return try self.form(expected, &notes)
        case "body":
            if expected.isMap || expected.isList { return try self.json(expected, &notes) }
            return try self.comparison(expected).outcome(in: .text).condition { (value) throws(LeftOut) in
                // A body is never missing, only empty.
                value == .absent ? .body(.text(.equals(""))) : .body(.text(value))
            }
        case "requestFrom", "ip", "timestamp":
            throw LeftOut("its condition on `\(field)` cannot be stated", line: expected.line)
        default: return try self.missing(expected)
        }
    }

    /// The condition on a field that no request has, which is compared as an empty text.
    private func missing(_ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        if self.isDeep || expected.isMap || expected.isList { return .never }
        let text = MountebankText.text(expected) ?? ""
        switch self.name {
        case "exists": return MountebankText.isTrue(expected) ? .never : .always
        case "matches":
            return try JavaScriptPattern(text, in: .text, line: expected.line).matchesNothing ? .always : .never
        default: return text.isEmpty && !expected.isNull ? .always : .never
        }
    }

    /// The methods that Node's server takes.
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ACL", "BIND", "CHECKOUT", "COPY", "LINK",
        "LOCK", "M-SEARCH", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MOVE", "NOTIFY", "PROPFIND", "PROPPATCH",
        "PURGE", "QUERY", "REBIND", "REPORT", "SEARCH", "SOURCE", "SUBSCRIBE", "UNBIND", "UNLINK", "UNLOCK",
        "UNSUBSCRIBE",
    ]

    private func method(_ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        switch try self.comparison(expected).outcome(in: .line) {
        case .always: return .always
        case .never: return .never
        case .value(let value, _):
            let methods = Self.methods.filter { value.matches([$0], scratch: PatternScratch()) }
            if methods.isEmpty { return .never }
            return methods.count == Self.methods.count ? .always : .request(RequestMatcher(methods: methods))
        }
    }

    private func headers(_ expected: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        guard !self.isDeep else {
            throw LeftOut("its condition `deepEquals` on all header fields cannot be stated", line: expected.line)
        }
        guard expected.isMap else { return self.onWhole(expected) }
        if self.namesHaveCase {
            StubNote.add("names of header fields are compared without regard to case", to: &notes)
        }
        var conditions: [StubCondition] = []
        for pair in self.members(of: expected) {
            let name = pair.key.text ?? ""
            guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else {
                conditions.append(try self.missing(pair.value))
                continue
            }
            for value in try self.each(of: pair.value) {
                conditions.append(
                    try self.comparison(value).outcome(in: .line).condition { .field(\.headers, name, $0) }
                )
            }
        }
        return .all(conditions)
    }

    /// The condition on the whole of a field that is a map in mountebank, never empty and equal to no text.
    func onWhole(_ expected: ForeignNode) -> StubCondition {
        self.name == "exists" && MountebankText.isTrue(expected) ? .always : .never
    }

    /// The values that a field of several must have: of a list all of its items, which must differ then.
    func each(of expected: ForeignNode) throws(LeftOut) -> [ForeignNode] {
        guard expected.isList else { return [expected] }
        let texts = Set(expected.items.compactMap { MountebankText.text($0).map { $0.lowercased() } })
        // Only of several fields does mountebank make a list.
        guard self.name == "equals", texts.count == expected.items.count, texts.count > 1, !texts.contains("") else {
            throw LeftOut("its condition `\(self.name)` on a list of values cannot be stated", line: expected.line)
        }
        return expected.items
    }
}
