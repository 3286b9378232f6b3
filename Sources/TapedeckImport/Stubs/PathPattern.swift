/// Regular expressions for paths of other tools, which do not see the query.
enum PathPattern {
    /// Returns the expression with `?` taken out of all that matches any character, so that it ends before the query.
    static func withoutQuery(_ source: String) -> String { self.excluding("?", in: source) }

    /// Returns the expression for one segment of a path.
    static func inSegment(_ source: String) -> String { self.excluding("/?", in: source) }

    private static func excluding(_ characters: String, in source: String) -> String {
        var result = ""
        var rest = source[...]
        while let character = rest.popFirst() {
            switch character {
            case ".": result += "[^\(characters)]"
            case "[":
                let rule = Self.popClass(&rest)
                let isNegated = rule.hasPrefix("^")
                let known = isNegated && characters.allSatisfy { rule.contains($0) }
                result += "[" + (isNegated && !known ? "^\(characters)\(rule.dropFirst())" : rule) + "]"
            case "\\":
                guard let escaped = rest.popFirst() else { return result + "\\" }
                switch escaped {
                case "S", "D", "W": result += "(?![\(characters)])\\\(escaped)"
                // Literal text up to \\E.
                case "Q":
                    let literal = rest.firstRange(of: "\\E").map { rest[..<$0.lowerBound] } ?? rest
                    rest = rest.dropFirst(literal.count).dropFirst(2)
                    result += StubParts.escaped(literal)
                default: result += "\\\(escaped)"
                }
            default: result.append(character)
            }
        }
        return result
    }

    /// Takes the rest of a class behind its bracket. A bracket in first place, or escaped, is no end.
    private static func popClass(_ rest: inout Substring) -> String {
        var rule = ""
        if rest.first == "^" { rule.append(rest.removeFirst()) }
        if rest.first == "]" {
            rest.removeFirst()
            rule += "\\]"
        }
        while let character = rest.popFirst(), character != "]" {
            rule.append(character)
            if character == "\\", let escaped = rest.popFirst() { rule.append(escaped) }
        }
        return rule
    }

    /// Returns the expression with `^` and `$` as the ends of a text that may be part of a longer one.
    static func anchored(_ source: String, end: String) -> String {
        // With the flag `m` they are the ends of lines.
        guard !source.contains("(?m"), !source.contains("(?im"), !source.contains("(?sm") else { return source }
        var result = ""
        var rest = source[...]
        var isInClass = false
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                result.append(character)
                if let escaped = rest.popFirst() { result.append(escaped) }
            case "[":
                isInClass = true
                result.append(character)
            case "]":
                isInClass = false
                result.append(character)
            case "^" where !isInClass: result += "\\A"
            case "$" where !isInClass: result += end
            default: result.append(character)
            }
        }
        return result
    }

    /// True if a `.` of the text matches any character.
    static func matchesAny(_ source: String) -> Bool {
        var rest = source[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\": rest = rest.dropFirst()
            case "[": _ = self.popClass(&rest)
            case ".": return true
            default: continue
            }
        }
        return false
    }

    /// True if an item of the text matches one character of any kind, which outside of ASCII is several bytes: patterns match
    /// characters only if one outside of ASCII is in them.
    static func takesOneCharacter(_ source: String) -> Bool {
        var rest = source[...]
        var isNegated = false
        var isInClass = false
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                if let escaped = rest.popFirst(), "SDW".contains(escaped), !isInClass, !"*+".contains(rest.first ?? " ")
                {
                    return true
                }
            case "[":
                isInClass = true
                isNegated = rest.first == "^"
            case "]" where isInClass:
                isInClass = false
                if isNegated, !"*+".contains(rest.first ?? " ") { return true }
            case "." where !isInClass && !"*+".contains(rest.first ?? " "): return true
            default: continue
            }
        }
        return false
    }

    /// True if the text has a class with `&&`, which in Java is an intersection.
    static func hasIntersection(_ source: String) -> Bool {
        var rest = source[...]
        var isInClass = false
        while let character = rest.popFirst() {
            switch character {
            case "\\": rest = rest.dropFirst()
            case "[": isInClass = true
            case "]": isInClass = false
            case "&" where isInClass && rest.first == "&": return true
            default: continue
            }
        }
        return false
    }
}
