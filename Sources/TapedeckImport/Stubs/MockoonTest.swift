import TapedeckCore

/// The condition of a rule of Mockoon on a value.
struct MockoonTest {
    enum Operation {
        case equals
        case pattern
        /// There is no value, or it is empty.
        case nothing
        case emptyList
        /// An item of a list equals the text.
        case listItem
        case schema
    }

    let operation: Operation
    let value: String
    let ignoresCase: Bool
    private let line: Int

    init(_ rule: ForeignNode) throws(LeftOut) {
        self.line = rule.line
        self.value = rule["value"]?.text ?? ""
        let name = rule["operator"]?.text ?? (rule["isRegex"]?.bool == true ? "regex" : "equals")
        self.ignoresCase = name == "regex_i"
        switch name {
        case "equals": self.operation = .equals
        case "regex", "regex_i": self.operation = .pattern
        case "null": self.operation = .nothing
        case "empty_array": self.operation = .emptyList
        // Without a place there is no list.
        case "array_includes": self.operation = rule["modifier"]?.text?.isEmpty == false ? .listItem : .equals
        case "valid_json_schema": self.operation = .schema
        default: throw LeftOut("its rule has an unknown operator, \(name.prefix(40))", line: rule.line)
        }
    }

    var isAboutLists: Bool { self.operation == .emptyList || self.operation == .listItem }

    /// The regular expression; `nil` for any other test.
    func pattern(in subject: JavaScriptPattern.Subject) throws(LeftOut) -> JavaScriptPattern? {
        self.operation == .pattern ? try JavaScriptPattern(self.value, in: subject, line: self.line) : nil
    }

    /// True if the value meets the test.
    func holds(for text: String?, _ pattern: JavaScriptPattern?) -> Bool {
        if self.operation == .nothing { return text?.isEmpty ?? true }
        guard let text else { return false }
        switch self.operation {
        case .equals: return text == self.value
        case .pattern: return pattern?.matches(text, ignoresCase: self.ignoresCase) ?? false
        default: return false
        }
    }

    /// The condition on a value that is the same for every request; `nil` is no value.
    func constant(_ text: String?) throws(LeftOut) -> StubCondition {
        self.holds(for: text, try self.pattern(in: .line)) ? .always : .never
    }

    /// The condition on a place, which `make` turns a matcher of its values into; a missing value meets only ``Operation/nothing``.
    func condition(
        in subject: JavaScriptPattern.Subject,
        _ make: (ValueMatcher) throws(LeftOut) -> StubCondition
    ) throws(LeftOut) -> StubCondition {
        switch self.operation {
        case .equals: return try make(.equals(self.value))
        case .pattern:
            let source = try self.pattern(in: subject)?.source ?? ""
            let pattern = try StubParts.pattern(source, .anywhere, ignoresCase: self.ignoresCase, line: self.line)
            return try make(.pattern(pattern))
        case .nothing:
            return try make(.not(.pattern(try StubParts.pattern("[\\s\\S]", .anywhere, line: self.line))))
        case .emptyList, .listItem: return .never
        case .schema: throw LeftOut("its rule with a JSON schema cannot be stated", line: self.line)
        }
    }
}
