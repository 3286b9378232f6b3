import TapedeckCore
import TapedeckYAML

/// Conditions on single values of a request.
extension CassetteReader {
    /// Names with what their values must be.
    mutating func readValues(_ node: YAMLNode, _ what: String) -> [RequestMatcher.Field] {
        guard !node.isNull, self.expectMapping(node, what) else { return [] }
        return node.pairs.compactMap { key, value in
            guard !value.isNull else {
                self.error(
                    value,
                    "`\(what) \(key.string)` is null: write `{ absent: true }` for what must not be there, or \"\" for an "
                        + "empty value"
                )
                return nil
            }
            return self.readValue(value, "\(what) \(key.string)").map { RequestMatcher.Field(key.string, $0) }
        }
    }

    mutating func readValue(_ node: YAMLNode, _ what: String) -> ValueMatcher? {
        switch node.kind {
        case .scalar: return .equals(node.string)
        case .sequence:
            if node.count == 0 {
                self.error(node, "`\(what)` is an empty list; write { absent: true } for what must not be there")
                return nil
            }
            return .values(self.texts(node, what, allowsEmpty: true))
        case .mapping:
            let ignoresCase = self.readIgnoreCase(node)
            var matchers: [ValueMatcher] = []
            for (key, value) in node.pairs {
                guard !key.scalarEquals("ignoreCase"),
                    let matcher = self.readCondition(key, value, ignoresCase, what, CassetteKeys.value)
                else { continue }
                // `present: true` and `absent: false` are one condition.
                if !matchers.contains(matcher) { matchers.append(matcher) }
            }
            if node.count == 0 { self.error(node, Self.noCondition(what, CassetteKeys.value)) }
            return matchers.count > 1 ? .all(matchers) : matchers.first
        }
    }

    private static func noCondition(_ what: String, _ keys: [String]) -> String {
        "`\(what)` has no condition; write a value, or some of \(keys.joined(separator: ", "))"
    }

    private mutating func readIgnoreCase(_ node: YAMLNode) -> Bool {
        guard let value = node["ignoreCase"] else { return false }
        if node["pattern"] == nil { self.error(value, "`ignoreCase` goes with `pattern`") }
        return self.bool(value, "ignoreCase")
    }

    private mutating func readCondition(
        _ key: YAMLNode,
        _ value: YAMLNode,
        _ ignoresCase: Bool,
        _ what: String,
        _ known: [String]
    ) -> ValueMatcher? {
        let name = key.string
        switch name {
        case "equals": return self.text(value, name, allowsEmpty: true).map(ValueMatcher.equals)
        case "values": return .values(self.texts(value, name, allowsEmpty: true))
        case "oneOf": return .oneOf(self.texts(value, name, allowsEmpty: true))
        case "contains": return self.text(value, name).map(ValueMatcher.contains)
        case "prefix": return self.text(value, name).map(ValueMatcher.prefix)
        case "suffix": return self.text(value, name).map(ValueMatcher.suffix)
        case "pattern":
            return self.pattern(value, name, scope: .anywhere, ignoresCase: ignoresCase).map(ValueMatcher.pattern)
        case "greaterThan": return self.number(value, name).map(ValueMatcher.greaterThan)
        case "lessThan": return self.number(value, name).map(ValueMatcher.lessThan)
        case "present": return self.bool(value, name) ? .present : .absent
        case "absent": return self.bool(value, name) ? .absent : .present
        case "not": return self.readValue(value, name).map(ValueMatcher.not)
        default:
            self.unknown(key, known, of: "`\(what)`")
            return nil
        }
    }

    private mutating func number(_ node: YAMLNode, _ what: String) -> JSONNumber? {
        if node.kind == .scalar, let number = JSONNumber(node.string) { return number }
        self.error(node, "`\(what)` is a number")
        return nil
    }

    // MARK: JSON

    /// Reads the test of the values at a path: as for any value, with their count and type.
    mutating func readTest(_ node: YAMLNode, _ what: String) -> JSONTest? {
        guard node.kind == .mapping else {
            if node.isNull { return .value(.equals("null")) }
            return self.readValue(node, what).map(JSONTest.value)
        }
        let ignoresCase = self.readIgnoreCase(node)
        var tests: [JSONTest] = []
        for (key, value) in node.pairs {
            let test: JSONTest?
            if key.scalarEquals("ignoreCase") {
                continue
            } else if key.scalarEquals("count") {
                test = self.count(value, "count", 0...Int.max).map(JSONTest.count)
            } else if key.scalarEquals("type") {
                test = self.choice(value, "type", JSONType.allCases).map(JSONTest.type)
            } else {
                test = self.readCondition(key, value, ignoresCase, what, CassetteKeys.jsonTest).map(JSONTest.value)
            }
            if let test, !tests.contains(test) { tests.append(test) }
        }
        if node.count == 0 { self.error(node, Self.noCondition(what, CassetteKeys.jsonTest)) }
        return tests.count > 1 ? .all(tests) : tests.first
    }
}
