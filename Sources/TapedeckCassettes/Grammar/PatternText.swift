import TapedeckCore

/// Looks at the source of a regular expression without understanding all of it.
enum PatternText {
    /// Returns the first literal character that occurs in no URL, a space or one beyond ASCII, with its offset in
    /// bytes. Skips classes, which may exclude characters, and comments.
    static func firstOutsideURLs(_ source: String) -> (character: Character, offset: Int)? {
        guard source.utf8.contains(where: URLEncoding.needsEncoding) else { return nil }
        // With `x`, white space is ignored.
        let spaces = !Self.isExtended(source)
        var classes = 0
        var isComment = false
        var index = source.startIndex
        while index < source.endIndex {
            let character = source[index]
            let next = source.index(after: index)
            if isComment {
                isComment = character != ")"
            } else if character == "\\", next < source.endIndex, source[next].isASCII, source[next] != " " {
                index = next
            } else if character == "[" {
                classes += 1
            } else if character == "]" {
                classes = max(0, classes - 1)
            } else if classes == 0, source[index...].hasPrefix("(?#") {
                isComment = true
            } else if classes == 0, !character.isASCII || character == " " && spaces {
                return (character, source.utf8.distance(from: source.startIndex, to: index))
            }
            index = source.index(after: index)
        }
        return nil
    }

    /// The query of a pattern for URLs.
    enum Query: Equatable {
        /// In the order of requests, which is that of the names, or not to be understood here.
        case sorted
        /// The pattern with its parameters in that order.
        case unsorted(String)
    }

    /// Looks at the query behind the first `\?`: requests are compared with their parameters sorted by name.
    ///
    /// Parameters are told apart if each begins with a plain name and `=`, and no group, class or alternative has an `&` in it.
    static func query(_ source: String) -> Query {
        guard let question = source.firstRange(of: "\\?"), !source.contains("|") else { return .sorted }
        let ending = source.hasSuffix("$") && !source.hasSuffix("\\$") ? "$" : ""
        let query = source[question.upperBound...].dropLast(ending.count)
        let parts = query.split(separator: "&", omittingEmptySubsequences: false)
        let names = parts.compactMap { part -> String? in
            let name = part.replacing("\\", with: "").prefix { $0 != "=" }
            let isPlain = name.utf8.allSatisfy { ASCII.isUnreserved($0) || $0 == ASCII.percent }
            return isPlain && !name.isEmpty && self.isClosed(part) ? String(name) : nil
        }
        guard parts.count > 1, names.count == parts.count else { return .sorted }
        let order = parts.indices.sorted { left, right in
            names[left] == names[right]
                ? left < right : Array(names[left].utf8).lexicographicallyPrecedes(names[right].utf8)
        }
        guard order != Array(parts.indices) else { return .sorted }
        let sorted = order.map { String(parts[$0]) }.joined(separator: "&")
        return .unsorted(String(source[..<question.upperBound]) + sorted + ending)
    }

    /// True if every group, class and repetition that begins in a piece of a pattern ends there.
    private static func isClosed(_ piece: Substring) -> Bool {
        var open: [Character] = []
        var isEscaped = false
        for character in piece {
            defer { isEscaped = character == "\\" && !isEscaped }
            if isEscaped { continue }
            switch character {
            case "[" where open.last != "[", "(" where open.last != "[", "{" where open.last != "[":
                open.append(character)
            case "]" where open.last == "[", ")" where open.last == "(", "}" where open.last == "{": open.removeLast()
            case ")", "}": if open.last != "[" { return false }
            default: break
            }
        }
        return open.isEmpty
    }

    /// Returns true if an option such as `(?x)` or `(?ix:` is set anywhere.
    private static func isExtended(_ source: String) -> Bool {
        var rest = source[...]
        while let range = rest.firstRange(of: "(?") {
            rest = rest[range.upperBound...]
            let letters = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "^") }
            if letters.contains("x"), [")", ":", "-"].contains(rest.dropFirst(letters.count).first) { return true }
        }
        return false
    }
}
