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
