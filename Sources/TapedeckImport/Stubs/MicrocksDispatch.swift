import TapedeckCore

/// The rules by which Microcks chooses the response of an operation.
struct MicrocksDispatch {
    /// The name of the dispatcher; `nil` without one: the first response answers.
    let style: String?
    let rules: String
    /// The name of the response for requests that no other one is for.
    let fallback: String?
    let line: Int

    init(_ operation: ForeignNode?) {
        self.line = operation?["dispatcher"]?.line ?? operation?.line ?? 1
        let style = operation?["dispatcher"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let rules = operation?["dispatcherRules"]
        guard style == "FALLBACK" || style == "PROXY_FALLBACK", let inner = Self.json(rules) else {
            self.style = style
            self.rules =
                rules.map { node in
                    node.text ?? (node.isMap ? String(decoding: ForeignJSON.text(node, .dotNet), as: UTF8.self) : "")
                } ?? ""
            self.fallback = nil
            return
        }
        self.style = inner["dispatcher"]?.text
        self.rules =
            inner["dispatcherRules"].map { node in
                node.text ?? String(decoding: ForeignJSON.text(node, .dotNet), as: UTF8.self)
            } ?? ""
        self.fallback = inner["fallback"]?.text
    }

    private static func json(_ node: ForeignNode?) -> ForeignNode? {
        guard let node else { return nil }
        if node.isMap { return node }
        return node.text.flatMap { ImportFile(path: "", bytes: Array($0.utf8)).document }
    }

    /// The names of parts and parameters in the rules: `a && b ?? c && d`.
    var names: (parts: [String], parameters: [String]) {
        func split(_ text: Substring) -> [String] {
            text.split(separator: "&&").map { RequestText.trimmed($0) }.filter { !$0.isEmpty }
        }
        guard let mark = self.rules.firstRange(of: "??") else {
            return (split(self.rules[...]), split(self.rules[...]))
        }
        return (split(self.rules[..<mark.lowerBound]), split(self.rules[mark.upperBound...]))
    }

    /// The cases of a `JSON_BODY` dispatcher; `nil` if the rules are no such JSON.
    var cases: MicrocksCases? {
        ImportFile(path: "", bytes: Array(self.rules.utf8)).document.flatMap { MicrocksCases($0) }
    }
}

/// The rules of a `JSON_BODY` dispatcher: a place of the body, and the responses for its values.
struct MicrocksCases {
    private let path: String
    private let operation: String
    private let cases: [ForeignPair]

    init?(_ node: ForeignNode) {
        guard let pointer = node["exp"]?.text, let cases = node["cases"], cases.isMap else { return nil }
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        self.path = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().reduce("$") {
            path,
            step in
            let name = step.replacing("~1", with: "/").replacing("~0", with: "~")
            if let index = UInt32(name) { return path + "[\(index)]" }
            return path + "[\(StubJSON.quoted(String(name)))]"
        }
        self.operation = node["operator"]?.text ?? ""
        self.cases = cases.pairs
    }

    /// The condition for which a response of this name answers, and whether it is that for all other requests; `nil` if none
    /// does.
    ///
    /// - Parameter names: the names of all responses.
    func condition(
        for name: String,
        among names: Set<String>,
        line: Int
    ) throws(LeftOut) -> (condition: StubCondition, isDefault: Bool)? {
        let isJSON = StubCondition.body(.jsonPath(try StubParts.jsonPath("$", line: line), .value(.present)))
        var (own, lost): ([StubCondition], [StubCondition]) = ([], [])
        var isDefault = false
        for pair in self.cases {
            let response = pair.value.text ?? ""
            guard pair.key.text != "default" else {
                isDefault = response == name
                continue
            }
            let condition = try self.condition(pair.key.text ?? "", line: line)
            if response == name { own.append(condition) }
            if !names.contains(response) { lost.append(condition) }
        }
        if isDefault { return (.all([isJSON] + lost.map(\.inverted)), true) }
        return own.isEmpty ? nil : (.all([isJSON, .any(own)]), false)
    }

    private func condition(_ key: String, line: Int) throws(LeftOut) -> StubCondition {
        let path = try StubParts.jsonPath(self.path, line: line)
        let value = { (value: ValueMatcher) in StubCondition.body(.jsonPath(path, .value(value))) }
        let isList = StubCondition.body(.jsonPath(path, .type(.array)))
        let isObject = StubCondition.body(.jsonPath(path, .type(.object)))
        switch (self.operation, key) {
        // A missing value, a list or an object counts as an empty text.
        case ("equals", ""): return .any([value(.equals("")), value(.absent), isList, isObject])
        case ("equals", _): return value(.equals(key))
        case ("presence", "found"): return value(.present)
        case ("presence", "missing"): return value(.absent)
        case ("presence", _): return .never
        case ("regexp", _):
            let pattern = try StubParts.whole(key, line: line)
            if pattern.matches([""], scratch: PatternScratch()) {
                return .any([value(pattern), value(.absent), isList, isObject])
            }
            return .all([value(pattern), isList.inverted, isObject.inverted])
        case ("range", _):
            guard let range = Self.range(key) else { return .never }
            return .all([value(try StubParts.anyNumber(line: line)), value(range.low), value(range.high)])
        default: throw LeftOut("its rule `\(self.operation.prefix(40))` on the body cannot be stated", line: line)
        }
    }

    /// A range of numbers such as `[1;5[`, whose brackets say if its ends belong to it.
    private static func range(_ text: String) -> (low: ValueMatcher, high: ValueMatcher)? {
        let ends = text.dropFirst().dropLast().split(separator: ";")
        guard text.count > 3, ends.count == 2, let first = text.first, let last = text.last, "[]".contains(first),
            "[]".contains(last), let low = JSONNumber(String(ends[0])), let high = JSONNumber(String(ends[1]))
        else { return nil }
        return (
            first == "[" ? .not(.lessThan(low)) : .greaterThan(low),
            last == "]" ? .not(.greaterThan(high)) : .lessThan(high)
        )
    }
}
