import TapedeckCore
import TapedeckJSON

/// JSONPaths as Java's and Go's libraries take them: with dots before brackets, patterns, and filters that ask an object
/// for its own members.
enum StubJSONPath {
    /// A condition that the path selects something.
    ///
    /// - Parameter countsNothing: true if null, and what is empty, is something, too.
    static func matcher(_ text: String, countsNothing: Bool = false, line: Int) throws(LeftOut) -> BodyMatcher {
        if let (path, test) = try self.filter(text, line: line) {
            return .jsonPath(try StubParts.jsonPath(path, line: line), test)
        }
        let plain = self.plain(text)
        // RFC 9535 asks the members of an object, and these libraries the object itself.
        guard !plain.hasPrefix("$[?(") else {
            throw LeftOut("its JSONPath '\(text)' asks the whole body by a filter of several conditions", line: line)
        }
        let found: ValueMatcher =
            self.isDefinite(plain) && !countsNothing
            ? .pattern(try StubParts.pattern("\\A(?!(?:null|\\[\\]|\\{\\})\\z)", .anywhere, line: line)) : .present
        return .jsonPath(try StubParts.jsonPath(plain, line: line), .value(found))
    }

    /// True for a path that selects one value at most.
    static func isDefinite(_ path: String) -> Bool {
        var quote: Character?
        var before: Character = " "
        for character in path {
            if character == quote {
                quote = nil
            } else if quote == nil {
                if character == "'" || character == "\"" { quote = character }
                if "*?,:".contains(character) || character == "." && before == "." { return false }
            }
            before = character
        }
        return true
    }

    /// The path as RFC 9535 has it: `$.['a'].[0]` is `$['a'][0]`.
    ///
    /// Texts in quotes, and the pattern behind `=~`, stay as they are.
    static func plain(_ text: String) -> String {
        let end = text.firstRange(of: "=~")?.lowerBound ?? text.endIndex
        var result = ""
        var quote: Character?
        for index in text[..<end].indices {
            let character = text[index]
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == ".", text[text.index(after: index)...].hasPrefix("[") {
                continue
            }
            result.append(character)
        }
        return result + text[end...]
    }

    /// A path that ends with a filter on one value, as the path to that value and a condition on it; `nil` for others.
    ///
    /// These libraries ask an object, and each item of a list. After `$` and `[*]` it is an object here, else a list.
    private static func filter(
        _ text: String,
        line: Int
    ) throws(LeftOut) -> (path: String, test: JSONTest)? {
        let text = self.plain(text.filter { !$0.isNewline })
        guard text.hasSuffix(")]"), let open = text.ranges(of: "[?(").last else { return nil }
        let prefix = String(text[..<open.lowerBound])
        var rest = text[open.upperBound...].dropLast(2).drop { $0 == " " }
        guard !prefix.contains("?"), rest.hasPrefix("@") else { return nil }
        rest = rest.dropFirst()
        let access = self.access(rest)
        guard !access.isEmpty else { return nil }
        rest = rest.dropFirst(access.count).drop { $0 == " " }
        let isObject = prefix == "$" || prefix.hasSuffix("[*]")
        let path = prefix + (isObject ? "" : "[*]") + access
        if rest.isEmpty { return (path, .value(.present)) }
        let operation = rest.prefix { "=~<>!".contains($0) }
        let value = rest.dropFirst(operation.count).trimmingSpaces()
        switch operation {
        case "=~":
            guard value.hasPrefix("/"), let end = value.dropFirst().lastIndex(of: "/") else { return nil }
            let flags = value[end...].dropFirst()
            guard flags.allSatisfy({ $0 == "i" }) else { return nil }
            let source = value.dropFirst()[..<end].replacing("\\/", with: "/")
            return (path, .value(try StubParts.whole(String(source), ignoresCase: !flags.isEmpty, line: line)))
        case "==":
            // Without quotes it is a number, true, false or null.
            if isObject, let json = try? JSONValue(parsing: Array(value.utf8)) {
                return (path, StubJSON.equal(to: json))
            }
            return self.literal(value).map { (path, .value(.equals($0))) }
        case "!=" where isObject: return self.literal(value).map { (path, .value(.not(.equals($0)))) }
        case ">=" where isObject:
            guard let number = JSONNumber(String(value)) else { return nil }
            return (path, .value(.all([try StubParts.anyNumber(line: line), .not(.lessThan(number))])))
        case "<=" where isObject:
            guard let number = JSONNumber(String(value)) else { return nil }
            return (path, .value(.all([try StubParts.anyNumber(line: line), .not(.greaterThan(number))])))
        case ">": return JSONNumber(String(value)).map { (path, .value(.greaterThan($0))) }
        case "<": return JSONNumber(String(value)).map { (path, .value(.lessThan($0))) }
        default: return nil
        }
    }

    /// The names and brackets that a text begins with.
    private static func access(_ text: Substring) -> Substring {
        var rest = text
        while true {
            if rest.hasPrefix("['") || rest.hasPrefix("[\"") {
                guard let end = rest.firstRange(of: rest.hasPrefix("['") ? "']" : "\"]") else { break }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix(".") {
                let name = rest.dropFirst().prefix { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
                guard !name.isEmpty else { break }
                rest = rest.dropFirst(name.count + 1)
                // A function, such as `size()`.
                guard !rest.hasPrefix("(") else { return "" }
            } else {
                break
            }
        }
        return text[..<rest.startIndex]
    }

    /// Returns a quoted text without its quotes, or a word; `nil` if it is not a single value.
    private static func literal(_ text: Substring) -> String? {
        if let quote = text.first, quote == "'" || quote == "\"" {
            let inner = text.dropFirst().dropLast()
            guard text.count > 1, text.last == quote, !inner.contains(quote), !inner.contains("\\") else { return nil }
            return String(inner)
        }
        return !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
            ? String(text) : nil
    }
}
