import TapedeckCore

extension MountebankPredicate {
    // MARK: Forms

    func form(_ expected: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        // Without a body of this type there is no form.
        let type = ValueMatcher.pattern(
            try StubParts.pattern(
                "\\A\\s*application/x-www-form-urlencoded\\s*(?:;|\\z)",
                .anywhere,
                line: expected.line
            )
        )
        let isForm = StubCondition.all([.field(\.headers, "content-type", type), .body(try Self.filled(expected.line))])
        guard expected.isMap else {
            switch self.name {
            case "exists": return MountebankText.isTrue(expected) ? isForm : isForm.inverted
            default: return .all([isForm.inverted, try self.isEmptyText(expected) ? .always : .never])
            }
        }
        if !self.namesHaveCase { StubNote.add("names of form fields count with their case", to: &notes) }
        if self.isDeep { return .all([isForm, try self.wholeForm(expected)]) }
        var conditions = [isForm]
        for pair in self.members(of: expected) {
            for value in try self.each(of: pair.value) {
                conditions.append(
                    try self.comparison(value).outcome(in: .text).condition { value in
                        .body(.form([RequestMatcher.Field(pair.key.text ?? "", value)], refusesOthers: false))
                    }
                )
            }
        }
        return .all(conditions)
    }

    private func wholeForm(_ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        var fields: [RequestMatcher.Field] = []
        for pair in self.members(of: expected) {
            guard let text = pair.value.isNull ? "null" : MountebankText.text(pair.value) else {
                throw LeftOut("its condition on a list of values of a form cannot be stated", line: pair.value.line)
            }
            let test = self.comparison(pair.value)
            guard !test.hasCase(text), self.except == nil else {
                guard case .value(let value, _) = try test.outcome(in: .text) else { return .never }
                fields.append(RequestMatcher.Field(pair.key.text ?? "", value))
                continue
            }
            fields.append(RequestMatcher.Field(pair.key.text ?? "", .values([text])))
        }
        return .body(.form(fields, refusesOthers: true))
    }

    private func isEmptyText(_ expected: ForeignNode) throws(LeftOut) -> Bool {
        switch self.name {
        case "deepEquals": false
        case "matches":
            try JavaScriptPattern(MountebankText.text(expected) ?? "", in: .text, line: expected.line).matchesNothing
        default: MountebankText.text(expected) == ""
        }
    }

    private static func filled(_ line: Int) throws(LeftOut) -> BodyMatcher {
        .text(.pattern(try StubParts.pattern("[\\s\\S]", .anywhere, line: line)))
    }

    // MARK: JSON

    /// The note on names, which mountebank compares without regard to case.
    private static let caseNote = "names in the JSON of its body count with their case"
    private static let listNote = "lists of objects in the JSON of its body are not searched"

    /// The condition on a body that is JSON.
    func json(_ expected: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> StubCondition {
        if !self.namesHaveCase { StubNote.add(Self.caseNote, to: &notes) }
        guard self.isDeep else {
            StubNote.add(Self.listNote, to: &notes)
            // Of a list at the top the items are compared by their places.
            let members: [(String, ForeignNode)] =
                expected.isList
                ? expected.items.enumerated().map { ("[\($0.offset)]", $0.element) }
                : self.members(of: expected).map { (Self.step($0.key.text ?? ""), $0.value) }
            var conditions = [StubCondition.body(try Self.filled(expected.line))]
            for (step, value) in members { conditions.append(try self.member("$" + step, value)) }
            // A condition that a value is there holds for no empty body.
            return .all(
                conditions.count > 1 && !self.holdsWithout(members.map(\.1)) ? Array(conditions[1...]) : conditions
            )
        }
        guard self.except == nil else {
            throw LeftOut("its `except` on the whole of a JSON body cannot be stated", line: expected.line)
        }
        StubNote.add("numbers and case in the JSON of its body count", to: &notes)
        return .body(try self.equalJSON(expected))
    }

    private func equalJSON(_ expected: ForeignNode) throws(LeftOut) -> BodyMatcher {
        let json = ForeignJSON.text(expected, .javaScript)
        guard !String(decoding: json, as: UTF8.self).contains("{{any") else {
            throw LeftOut("its JSON has a text that would be a placeholder, `{{any`", line: expected.line)
        }
        return try StubParts.json(equal: expected, ignoresOrder: true)
    }

    /// True if a missing value may meet the condition.
    private func holdsWithout(_ values: [ForeignNode]) -> Bool {
        switch self.name {
        case "exists": values.contains { !MountebankText.isTrue($0) || $0.isMap || $0.isList }
        case "matches": true
        default: values.contains { MountebankText.text($0) == "" || $0.isMap || $0.isList }
        }
    }

    /// The step of a JSONPath to a member.
    private static func step(_ name: String) -> String {
        let isPlain =
            name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ASCII.isUnreserved($0) && !"-.~".utf8.contains($0) }
            && !name.isEmpty && !(0x30...0x39).contains(name.utf8.first ?? 0)
        if isPlain { return ".\(name)" }
        let escaped = name.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n")
            .replacing("\t", with: "\\t").replacing("\r", with: "\\r")
        return "['\(escaped)']"
    }

    private func member(_ path: String, _ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        if expected.isMap {
            var conditions: [StubCondition] = []
            for pair in self.members(of: expected) {
                conditions.append(try self.member(path + Self.step(pair.key.text ?? ""), pair.value))
            }
            if self.holdsWithout(expected.pairs.map(\.value)) {
                // A value that is missing or false has no members.
                let isThere = try StubParts.pattern("\\A(?!(?:0|false|null)?\\z)", .anywhere, line: expected.line)
                let value = JSONTest.value(.pattern(isThere))
                conditions.insert(.body(.jsonPath(try StubParts.jsonPath(path, line: expected.line), value)), at: 0)
            }
            return .all(conditions)
        }
        guard expected.isList else { return try self.value(at: path, expected) }
        // Each of them must be in the list, in any order.
        var conditions: [StubCondition] = []
        for item in expected.items {
            guard !item.isList, item.pairs.count <= 1, item.pairs.allSatisfy({ MountebankText.text($0.value) != nil })
            else {
                throw LeftOut("its condition on a list of objects cannot be stated", line: item.line)
            }
            let step = item.pairs.first.map { Self.step($0.key.text ?? "") } ?? ""
            conditions.append(try self.plainValue(at: path + "[0:]" + step, item.pairs.first?.value ?? item))
        }
        return .all(conditions)
    }

    /// The condition on a value, or on one of the items of a list.
    private func value(at path: String, _ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        let alone = try self.plainValue(at: path, expected)
        if self.name == "exists" || MountebankText.text(expected) == "" { return alone }
        return .any([alone, try self.plainValue(at: path + "[0:]", expected)])
    }

    private func plainValue(at path: String, _ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        let path = try StubParts.jsonPath(path, line: expected.line)
        if expected.isNull, self.name == "equals" { return .body(.jsonPath(path, .type(.null))) }
        return try self.comparison(expected).outcome(in: .text).condition { value in
            .body(.jsonPath(path, .value(value)))
        }
    }

    // MARK: JSONPath

    /// The condition on what a JSONPath selects in the body.
    func json(
        at selector: ForeignNode,
        _ expected: ForeignNode,
        _ notes: inout [String]
    ) throws(LeftOut) -> StubCondition {
        guard var text = selector["selector"].flatMap(MountebankText.text), !text.isEmpty else {
            throw LeftOut("its `jsonpath` has no selector", line: selector.line)
        }
        if !text.hasPrefix("$") { text = text.hasPrefix("[") ? "$" + text : "$." + text }
        if !self.namesHaveCase {
            StubNote.add(Self.caseNote, to: &notes)
            // Only the text is in lower case then, not the path.
            let isMixed = MountebankText.isTrue(self.node["keyCaseSensitive"]) && self.name != "matches"
            if isMixed, text != text.lowercased() { return try self.missing(selecting: expected) }
        }
        for word in ["?", "@", "^", "~", "`", "length"] where text.contains(word) {
            guard word != "length" || text.contains("length(") || text.contains("(@") else { continue }
            throw LeftOut("its JSONPath '\(text.prefix(120))' cannot be stated", line: selector.line)
        }
        let path = StubJSONPath.plain(text)
        _ = try StubParts.jsonPath(path, line: selector.line)
        if self.isDeep { return try self.selection(path, expected) }
        if expected.isMap || expected.isList {
            throw LeftOut("its condition on objects that a JSONPath selects cannot be stated", line: expected.line)
        }
        return try self.value(at: path, expected)
    }

    private func missing(selecting expected: ForeignNode) throws(LeftOut) -> StubCondition {
        if self.isDeep || expected.isMap || expected.isList { return .never }
        if self.name == "exists" { return MountebankText.isTrue(expected) ? .never : .always }
        return MountebankText.text(expected) == "" ? .always : .never
    }

    /// The condition that a JSONPath selects these values and no others, or a list of them.
    private func selection(_ path: String, _ expected: ForeignNode) throws(LeftOut) -> StubCondition {
        let values = expected.isList ? expected.items : [expected]
        var texts: Set<String> = []
        for value in values {
            guard let text = value.isNull ? "null" : MountebankText.text(value),
                texts.insert(text.lowercased()).inserted
            else {
                throw LeftOut("its condition `deepEquals` on these values cannot be stated", line: value.line)
            }
        }
        if expected.isList, values.isEmpty { return .never }
        func selects(_ path: String) throws(LeftOut) -> StubCondition {
            let path = try StubParts.jsonPath(path, line: expected.line)
            var conditions: [StubCondition] = []
            for value in values {
                let outcome: MountebankText.Outcome =
                    value.isNull
                    ? .value(.equals("null"), orMissing: false) : try self.comparison(value).outcome(in: .text)
                conditions.append(
                    try outcome.condition { matcher in
                        .body(.jsonPath(path, .all([.count(values.count), .value(matcher)])))
                    }
                )
            }
            return .all(conditions)
        }
        // One selected value is no list, and a list of one value no value.
        guard expected.isList else { return try selects(path) }
        let items = try selects(path + "[0:]")
        return values.count == 1 ? items : .any([try selects(path), items])
    }
}
