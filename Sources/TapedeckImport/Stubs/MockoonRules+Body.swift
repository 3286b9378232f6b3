import TapedeckCore

extension MockoonRules {
    // MARK: Bodies

    private static func type(_ source: String, line: Int) throws(LeftOut) -> StubCondition {
        let pattern = try StubParts.pattern(source, .anywhere, ignoresCase: true, line: line)
        return .field(\.headers, "content-type", .pattern(pattern))
    }

    private static func isJSON(line: Int) throws(LeftOut) -> StubCondition {
        try self.type("application/(?:json|.*\\+json)", line: line)
    }

    func body(_ rule: Rule, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        let test = rule.test
        let json = try Self.isJSON(line: rule.line)
        guard !rule.modifier.isEmpty else {
            switch test.operation {
            case .equals, .pattern: return try test.condition(in: .text) { .body(.text($0)) }
            case .nothing: return .body(.text(.equals("")))
            case .emptyList: return .all([json, try Self.emptyList(at: "$", line: rule.line)])
            default: throw LeftOut("its rule on the items of a body cannot be stated", line: rule.line)
            }
        }
        let places = try Self.places(rule.modifier, line: rule.line)
        if rule.modifier.hasPrefix("$"), places.field == nil {
            StubNote.add("its JSONPath is not tried on forms", to: &notes)
        }
        let root = try StubParts.jsonPath("$", line: rule.line)
        let isParsed = StubCondition.all([json, .body(.jsonPath(root, .value(.present)))])
        var conditions = [
            StubCondition.all([
                test.operation == .nothing ? isParsed : json, try self.json(at: places.path, test, line: rule.line),
            ])
        ]
        // Without a type that Mockoon parses, and for broken JSON, the whole body is the value.
        if !test.isAboutLists {
            let isOther = try Self.type(
                "application/(?:xml|soap\\+xml|x-www-form-urlencoded)|text/xml|multipart/form-data",
                line: rule.line
            )
            conditions.append(
                .all([
                    StubCondition.any([isOther, isParsed]).inverted,
                    try test.condition(in: .text) { .body(.text($0)) },
                ])
            )
        }
        if let name = places.field, !test.isAboutLists {
            let form = try Self.type("application/x-www-form-urlencoded", line: rule.line)
            let multipart = try Self.type("multipart/form-data", line: rule.line)
            conditions.append(
                .all([
                    form,
                    try test.condition(in: .text) {
                        .body(.form([RequestMatcher.Field(name, $0)], refusesOthers: false))
                    },
                ])
            )
            if test.operation != .nothing {
                conditions.append(
                    .all([
                        multipart,
                        try test.condition(in: .text) {
                            .body(.multipart([BodyMatcher.Part(name: name, content: $0)]))
                        },
                    ])
                )
            }
        }
        return .any(conditions)
    }

    /// The JSONPath of a modifier, and the name of a field of a form; `nil` if no field has it.
    private static func places(_ modifier: String, line: Int) throws(LeftOut) -> (path: String, field: String?) {
        if modifier.hasPrefix("$") {
            let isPlain = !modifier.contains { "?@^~`".contains($0) } && !modifier.contains("(")
            guard isPlain else {
                throw LeftOut("its JSONPath '\(modifier.prefix(120))' cannot be stated", line: line)
            }
            let names = modifier.hasPrefix("$.") && !modifier.contains("[") ? String(modifier.dropFirst(2)) : ""
            return (
                StubJSONPath.plain(modifier), names.contains("..") || names.hasPrefix(".") ? nil : self.fieldName(names)
            )
        }
        let steps = Self.steps(modifier)
        guard !steps.contains(where: { $0 == "_text" || $0 == "_attributes" || $0 == "_cdata" }) else {
            throw LeftOut("its rule on an XML body cannot be stated", line: line)
        }
        var path = "$"
        for step in steps {
            if let index = UInt32(step), String(index) == step {
                // An item, or a member of this name.
                path += "[\(index),'\(index)']"
            } else {
                path += "[\(StubJSON.quoted(step))]"
            }
        }
        let isPlain = steps.allSatisfy { step in
            !step.isEmpty && step.utf8.allSatisfy { ASCII.isUnreserved($0) && !"-.~".utf8.contains($0) }
                && !(0x30...0x39).contains(step.utf8.first ?? 0)
        }
        if isPlain { path = "$." + steps.joined(separator: ".") }
        return (path, self.fieldName(modifier))
    }

    private func json(at text: String, _ test: MockoonTest, line: Int) throws(LeftOut) -> StubCondition {
        let path = try StubParts.jsonPath(text, line: line)
        let items = try StubParts.jsonPath(text + "[0:]", line: line)
        let isText = { (value: ValueMatcher) in StubCondition.body(.jsonPath(path, .value(value))) }
        switch test.operation {
        case .nothing: return .any([isText(.absent), isText(.equals("")), .body(.jsonPath(path, .type(.null)))])
        case .emptyList: return try Self.emptyList(at: text, line: line)
        case .listItem: return .body(.jsonPath(items, .value(.equals(test.value))))
        default:
            var conditions = [
                try test.condition(in: .text, isText),
                try test.condition(in: .text) { .body(.jsonPath(items, .value($0))) },
            ]
            // A null is an empty text.
            if try test.holds(for: "", test.pattern(in: .text)) {
                conditions.append(.body(.jsonPath(path, .type(.null))))
            }
            return .any(conditions)
        }
    }

    private static func emptyList(at text: String, line: Int) throws(LeftOut) -> StubCondition {
        .body(.jsonPath(try StubParts.jsonPath(text, line: line), .all([.type(.array), .value(.equals("[]"))])))
    }
}
