import TapedeckCore
import TapedeckYAML

/// Conditions on a single value of a request, or on those at a path of its JSON.
///
/// They are written in the order in which they were read, one after the other.
struct ConditionEntry: Sendable {
    var tests: [JSONTest] = []
    var ignoresCase = false
    var ignoresOrder = false

    /// The conditions on a value that JSON is no part of.
    var values: [ValueMatcher] {
        self.tests.compactMap { if case .value(let matcher) = $0 { matcher } else { nil } }
    }
}

extension CassetteGrammar {
    private static let besides: [KeyRule] = [.with("ignoreCase", ["pattern"]), .with("ignoreOrder", ["values"])]

    static let value = Mapping<ConditionEntry>("valueConditions", "`value`", rules: CassetteGrammar.besides) {
        Self.conditions
    }

    /// Values in JSON.
    static let jsonTest = Mapping<ConditionEntry>("jsonTest", "`jsonPath`", rules: CassetteGrammar.besides) {
        Self.conditions
        Self.test("count", .integer(0...Int.max), JSONTest.count) { test in
            if case .count(let count) = test { count } else { nil }
        }
        .means("number of selected values")
        Self.test("type", .word, JSONTest.type) {
            test in
            if case .type(let type) = test { type } else { nil }
        }
        .means("`null`, `boolean`, `number`, `string`, `array`, `object`, of all")
    }

    @KeyList<ConditionEntry> private static var conditions: [Key<ConditionEntry>] {
        Self.condition("equals", .textOrEmpty, ValueMatcher.equals) {
            if case .equals(let text) = $0 { text } else { nil }
        }
        .means("a value is this text; a text alone means the same")
        Key("values", .oneOrList(.text)) { reader, entry, owner in
            let texts = reader.texts(entry.value, "values", allowsEmpty: true)
            owner.tests.append(.value(owner.ignoresOrder ? .valuesInAnyOrder(texts) : .values(texts)))
        } write: { writer, owner in
            for value in owner.values {
                switch value {
                case .values(let texts): writer.pair("values") { $0.flowList(texts) }
                case .valuesInAnyOrder(let texts):
                    writer.pair("values") { $0.flowList(texts) }
                    writer.pair("ignoreOrder") { $0.yaml.raw("true") }
                default: continue
                }
            }
        }
        .means("the values are exactly these, in order; a list alone means the same")
        Key("ignoreOrder", .bool)
            .means("with `values`, `true`: in any order")
        Self.condition("oneOf", .list, ValueMatcher.oneOf) {
            if case .oneOf(let texts) = $0 { texts } else { nil }
        }
        .means("a value is in this list")
        Self.condition("contains", .text, ValueMatcher.contains) {
            if case .contains(let text) = $0 { text } else { nil }
        }
        .means("a value contains, begins with, ends with this")
        Self.condition("prefix", .text, ValueMatcher.prefix) {
            if case .prefix(let text) = $0 { text } else { nil }
        }
        .means("a value contains, begins with, ends with this")
        Self.condition("suffix", .text, ValueMatcher.suffix) {
            if case .suffix(let text) = $0 { text } else { nil }
        }
        .means("a value contains, begins with, ends with this")
        Key("pattern", .text) { reader, entry, owner in
            let pattern = reader.pattern(
                entry.value,
                "pattern",
                scope: .anywhere,
                ignoresCase: owner.ignoresCase
            )
            if let pattern { owner.tests.append(.value(.pattern(pattern))) }
        } write: { writer, owner in
            for case .pattern(let pattern) in owner.values {
                writer.pair("pattern") { $0.yaml.scalar(pattern.source) }
                if pattern.ignoresCase { writer.pair("ignoreCase") { $0.yaml.raw("true") } }
            }
        }
        .means("a pattern matches part of a value")
        Key("ignoreCase", .bool)
            .means("with `pattern`, `true`: case does not count")
        Self.condition("greaterThan", .number, ValueMatcher.greaterThan) {
            if case .greaterThan(let number) = $0 { number } else { nil }
        }
        .means("a value is a number above, below")
        Self.condition("lessThan", .number, ValueMatcher.lessThan) {
            if case .lessThan(let number) = $0 { number } else { nil }
        }
        .means("a value is a number above, below")
        // Each is the other's opposite.
        Self.condition("present", .bool, presence) {
            $0 == .present ? true : nil
        }
        .means("with `true`: there is a value, there is none")
        Self.condition("absent", .bool, absence) {
            $0 == .absent ? true : nil
        }
        .means("with `true`: there is a value, there is none")
        Self.condition("not", .value, ValueMatcher.not) {
            if case .not(let matcher) = $0 { matcher } else { nil }
        }
        .means("this value does not hold")
    }

    private static func presence(_ isThere: Bool) -> ValueMatcher { isThere ? .present : .absent }
    private static func absence(_ isMissing: Bool) -> ValueMatcher { isMissing ? .absent : .present }

    private static func condition<Value>(
        _ name: StaticString,
        _ codec: Codec<Value>,
        _ make: @escaping @Sendable (Value) -> ValueMatcher,
        value: @escaping @Sendable (ValueMatcher) -> Value?
    ) -> Key<ConditionEntry> {
        self.test(
            name,
            codec,
            { .value(make($0)) },
            value: { if case .value(let matcher) = $0 { value(matcher) } else { nil } }
        )
    }

    private static func test<Value>(
        _ name: StaticString,
        _ codec: Codec<Value>,
        _ make: @escaping @Sendable (Value) -> JSONTest,
        value: @escaping @Sendable (JSONTest) -> Value?
    ) -> Key<ConditionEntry> {
        // `present: true` and `absent: false` are one condition.
        Key(name, codec) {
            $0.tests.lazy.compactMap(value).first
        } set: { new, owner in
            if !owner.tests.contains(make(new)) { owner.tests.append(make(new)) }
        }
    }
}

extension Codec where Value == [String] {
    fileprivate static var list: Self {
        Codec(.oneOrList(.text), read: { $0.texts($1, $2, allowsEmpty: true) }, inline: { $0.flowList($1) })
    }
}

extension Codec where Value == JSONNumber {
    fileprivate static var number: Self {
        Codec(
            .number,
            read: { reader, node, name in
                if node.kind == .scalar, let number = JSONNumber(node.string) { return number }
                reader.error(node, "`\(name)` is a number")
                return nil
            },
            inline: { $0.yaml.raw($1.spelling) }
        )
    }
}

extension Codec where Value == ValueMatcher {
    static var value: Self {
        Codec(.mapping("value"), read: { $0.readValue($1, $2) }, inline: { $0.write($1) })
    }
}

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
            let matchers = self.readConditions(node, what, CassetteGrammar.value).values
            return matchers.count > 1 ? .all(matchers) : matchers.first
        }
    }

    /// Reads the test of the values at a path: as for any value, with their count and type.
    mutating func readTest(_ node: YAMLNode, _ what: String) -> JSONTest? {
        guard node.kind == .mapping else {
            if node.isNull { return .value(.equals("null")) }
            return self.readValue(node, what).map(JSONTest.value)
        }
        let tests = self.readConditions(node, what, CassetteGrammar.jsonTest).tests
        return tests.count > 1 ? .all(tests) : tests.first
    }

    private mutating func readConditions(
        _ node: YAMLNode,
        _ what: String,
        _ mapping: Mapping<ConditionEntry>
    ) -> ConditionEntry {
        var entry = ConditionEntry()
        if let value = node["ignoreCase"] {
            if node["pattern"] == nil { self.error(value, "`ignoreCase` goes with `pattern`") }
            entry.ignoresCase = self.bool(value, "ignoreCase") ?? false
        }
        if let value = node["ignoreOrder"] {
            if node["values"] == nil { self.error(value, "`ignoreOrder` goes with `values`") }
            entry.ignoresOrder = self.bool(value, "ignoreOrder") ?? false
        }
        _ = self.read(node, by: mapping, into: &entry, what: "`\(what)`")
        if node.count == 0 {
            let names = mapping.names.joined(separator: ", ")
            self.error(node, "`\(what)` has no condition; write a value, or some of \(names)")
        }
        return entry
    }
}

extension CassetteWriter {
    /// Names with what their values must be.
    mutating func write(_ fields: [RequestMatcher.Field], as name: StaticString) {
        guard !fields.isEmpty else { return }
        self.key(name)
        self.block { writer in
            for field in fields {
                writer.key(field.name)
                writer.inline { $0.write(field.value) }
            }
        }
    }

    mutating func write(_ matcher: ValueMatcher) {
        switch matcher {
        case .equals(let text): self.yaml.scalar(text)
        case .values(let texts): self.flowList(texts)
        default: self.flowMapping { $0.conditions(.value(matcher)) }
        }
    }

    /// Writes the test of the values at a path.
    mutating func write(_ test: JSONTest) {
        switch test {
        case .value(.equals(let text)):
            // Numbers, true, false and null as JSON has them.
            if JSONNumber(text) != nil || ["true", "false", "null"].contains(text) {
                self.yaml.raw(text)
            } else {
                self.yaml.scalar(text)
            }
        case .value(let matcher): self.write(matcher)
        case .count, .type, .all: self.flowMapping { $0.conditions(test) }
        }
    }

    private mutating func conditions(_ test: JSONTest) {
        switch test {
        case .all(let tests): for test in tests { self.conditions(test) }
        case .value(.all(let matchers)): for matcher in matchers { self.conditions(.value(matcher)) }
        default: self.write(ConditionEntry(tests: [test]), by: CassetteGrammar.jsonTest)
        }
    }

    /// Writes the conditions on a text, also one that is equal, as the value of a key.
    mutating func conditions(of matcher: ValueMatcher) {
        self.inline { writer in writer.flowMapping { $0.conditions(.value(matcher)) } }
    }

    /// A regular expression that is the whole value of a key.
    mutating func write(_ pattern: Pattern) {
        if pattern.ignoresCase { self.write(ValueMatcher.pattern(pattern)) } else { self.yaml.scalar(pattern.source) }
    }
}
