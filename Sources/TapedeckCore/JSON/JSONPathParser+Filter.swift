extension JSONPathParser {
    /// Conditions joined by `||`, the loosest of all.
    mutating func filter() throws(JSONPathError) -> JSONPath.Filter {
        var parts = [try self.conjunction()]
        while self.takeOperator("||") {
            parts.append(try self.conjunction())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(JSONPathError) -> JSONPath.Filter {
        var parts = [try self.condition()]
        while self.takeOperator("&&") {
            parts.append(try self.condition())
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    /// Reads the operator with the white space around it; reads nothing if the operator is not there.
    private mutating func takeOperator(_ text: String) -> Bool {
        let start = self.index
        self.skipSpace()
        guard self.take(text) else {
            self.index = start
            return false
        }
        self.skipSpace()
        return true
    }

    private mutating func condition() throws(JSONPathError) -> JSONPath.Filter {
        let isNegated = self.take("!")
        if isNegated { self.skipSpace() }
        let start = self.index
        if self.current == "(" {
            let inner = try self.parenthesised()
            return isNegated ? .not(inner) : inner
        }
        let left = try self.operand()
        guard let relation = self.takeRelation() else {
            guard case .query(let query) = left else {
                throw self.failure("a value alone is no condition; compare it, as in @.id == 1", at: start)
            }
            return isNegated ? .not(.exists(query)) : .exists(query)
        }
        guard !isNegated else {
            throw self.failure("! needs parentheses around a comparison, as in !(@.id == 1)", at: start)
        }
        try Self.check(left, at: start)
        let behind = self.index
        let right = try self.operand()
        try Self.check(right, at: behind)
        return .compare(left, relation, right)
    }

    private mutating func parenthesised() throws(JSONPathError) -> JSONPath.Filter {
        try self.enter()
        self.index += 1
        self.skipSpace()
        let inner = try self.filter()
        self.skipSpace()
        guard self.take(")") else { throw self.failure("a closing parenthesis is missing here") }
        self.leave()
        return inner
    }

    private mutating func takeRelation() -> JSONPath.Relation? {
        JSONPath.Relation.allCases.first { self.takeOperator($0.rawValue) }
    }

    private static func check(_ operand: JSONPath.Operand, at offset: Int) throws(JSONPathError) {
        guard case .query(let query) = operand, !query.isSingular else { return }
        throw JSONPathError(
            message: "only a path to a single value can be compared: names and indices, no *, .., slice or filter",
            offset: offset
        )
    }

    private mutating func operand() throws(JSONPathError) -> JSONPath.Operand {
        switch self.current {
        case "@", "$":
            let isRelative = self.current == "@"
            self.index += 1
            return .query(JSONPath.Query(isRelative: isRelative, segments: try self.segments()))
        case "'", "\"": return .literal(.string(try self.quoted()))
        case "-", .some("0"..."9"): return .literal(.number(try self.number()))
        default: return .literal(try self.constant())
        }
    }

    private mutating func constant() throws(JSONPathError) -> JSONValue {
        let word = self.word()
        let start = self.index
        self.index += word.unicodeScalars.count
        guard self.current != "(" else {
            throw self.failure("functions such as \(word)() are not supported", at: start)
        }
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            throw self.failure(
                "a path that begins with @ or $, a string, a number, true, false or null should be here",
                at: start
            )
        }
    }

    private mutating func number() throws(JSONPathError) -> JSONNumber {
        let start = self.index
        var text = self.take("-") ? "-" : ""
        text += self.takeDigits()
        if self.take(".") { text += "." + self.takeDigits() }
        if self.take("e") || self.take("E") {
            text += "e"
            for sign in ["-", "+"] where self.take(sign) {
                text += sign
            }
            text += self.takeDigits()
        }
        guard let number = JSONNumber(text) else { throw self.failure("this is no JSON number", at: start) }
        return number
    }
}
