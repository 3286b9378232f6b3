import TapedeckCore

/// Turns Handlebars templates of other tools into ours.
enum StubTemplate {
    /// The equal of a tag.
    enum Part {
        /// A name, or a function of one.
        case name(String)
        /// A place in the request's JSON body, whose value may be an object, too.
        case json(String)
        /// Text with tags of ours.
        case raw(String)
        /// Literal text.
        case text(String)
    }

    /// A note on templates that insert parts of the request.
    static let escapesNote =
        "its template inserts parts of the request as they are: Handlebars escapes & < > \" ' ` = in them, and prints objects "
        + "over several lines; the query is sorted by name"

    /// A tag that ours have no equal for.
    struct UnknownTag: Error {
        let text: String
    }

    /// Returns the template.
    ///
    /// - Parameter part: returns the equivalent of a tag's content, or `nil`.
    static func converted(_ text: String, _ part: (String) -> Part?) throws(UnknownTag) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            let isEscaped = rest[..<open.lowerBound].last == "\\"
            result += rest[..<open.lowerBound]
            let isTriple = rest[open.upperBound...].hasPrefix("{")
            var inner = rest[open.upperBound...].dropFirst(isTriple ? 1 : 0)
            guard let close = inner.firstRange(of: "}}") else {
                throw UnknownTag(text: String(rest[open.lowerBound...].prefix(80)))
            }
            rest = inner[close.upperBound...]
            inner = inner[..<close.lowerBound]
            if isTriple, rest.hasPrefix("}") { rest = rest.dropFirst() }
            let whole = "{{\(inner.prefix(80))}}"
            // A tilde removes the white space next to the tag.
            if inner.hasPrefix("~") {
                inner = inner.dropFirst()
                while result.last?.isWhitespace == true { result.removeLast() }
            }
            if inner.hasSuffix("~") {
                inner = inner.dropLast()
                rest = rest.drop(while: \.isWhitespace)
            }
            if inner.hasPrefix("!") { continue }
            let expression = inner.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !isEscaped, let part = part(expression) else { throw UnknownTag(text: whole) }
            switch part {
            case .name(let name): result += isTriple ? "{{{\(name)}}}" : "{{\(name)}}"
            // In a string of JSON its text is escaped; elsewhere an object is inserted as JSON.
            case .json(let name): result += self.endsInString(result) ? "{{\(name)}}" : "{{{\(name)}}}"
            case .raw(let text): result += text
            case .text(let text):
                guard !text.contains("{{") else { throw UnknownTag(text: whole) }
                result += text
            }
        }
        return result + String(rest)
    }

    private static func endsInString(_ text: String) -> Bool {
        var isInString = false
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return isInString
    }

    /// Returns the name for a JSONPath of names and numbers, or `nil` for any other path.
    static func json(_ path: String) -> Part? {
        guard path.hasPrefix("$") else { return nil }
        if path == "$" { return .name("request.body") }
        let text = path.dropFirst().replacing("['", with: ".").replacing("']", with: "").replacing("[", with: ".")
            .replacing("]", with: "")
        let names = text.split(separator: ".", omittingEmptySubsequences: true)
        guard text.hasPrefix("."), !path.contains(".."), !names.isEmpty, names.allSatisfy({ self.isPlain($0) }) else {
            return nil
        }
        return .json("json." + names.joined(separator: "."))
    }

    /// True for names that a tag can hold.
    static func isPlain(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { ASCII.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }

    /// Returns the present time, shifted, in one of our formats, or without one.
    static func now(seconds: Int, format: String?) -> Part {
        let sign = seconds < 0 ? "minus" : "plus"
        let name = seconds == 0 ? "now" : "now.\(sign)-\(seconds.magnitude)s"
        guard let format else { return .name(name) }
        if format.hasPrefix(".") { return .name(name + format) }
        return .raw("{{#\(name)}}\(format){{/\(name)}}")
    }
}

/// The words of a tag, as Handlebars splits them.
struct TemplateWords {
    /// Texts without their quotes.
    private(set) var words: [String] = []
    /// `key=value` words.
    private(set) var options: [String: String] = [:]

    /// `nil` for an expression with others in it, and for quotes without an end.
    init?(_ expression: String) {
        var rest = expression[...]
        while let first = rest.first {
            if first == " " {
                rest = rest.dropFirst()
                continue
            }
            var name: String?
            let word = rest.prefix { $0 != " " && $0 != "=" && $0 != "'" && $0 != "\"" }
            if rest.dropFirst(word.count).first == "=", !word.isEmpty {
                name = String(word)
                rest = rest.dropFirst(word.count + 1)
            }
            let value: Substring
            if let quote = rest.first, quote == "'" || quote == "\"" {
                guard let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
                value = rest.dropFirst()[..<end]
                rest = rest[end...].dropFirst()
            } else {
                value = rest.prefix { $0 != " " }
                guard !value.contains("("), !value.contains(")") else { return nil }
                rest = rest.dropFirst(value.count)
            }
            if let name { self.options[name] = String(value) } else { self.words.append(String(value)) }
        }
        guard !self.words.isEmpty else { return nil }
    }
}

/// The segments of a stub's path, for templates that count them.
struct PathSegments {
    /// The pattern with a capture for each segment, where the path is a pattern.
    private(set) var pattern = ""
    private var parts: [StubTemplate.Part?] = []

    /// The segments of a path; of one with gaps in braces their names.
    init(path: String) {
        let path = path.prefix { $0 != "?" }
        self.parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { segment in
            guard segment.contains("{") else {
                return .text(PercentEncoding.text(String(segment)) ?? String(segment))
            }
            let name = segment.dropFirst().dropLast()
            return segment.hasPrefix("{") && segment.hasSuffix("}") && StubTemplate.isPlain(name)
                ? .name("url.\(name)") : nil
        }
    }

    /// The segments of a regular expression; the pattern stays whole if they cannot be separated.
    init(pattern: String) {
        self.pattern = pattern
        let source = pattern.hasPrefix("^") ? String(pattern.dropFirst()) : pattern
        guard source.hasPrefix("/"), let segments = Self.split(source) else { return }
        var text = ""
        for (number, segment) in segments.enumerated() {
            if number + 1 == segments.count, segment == ".*" || segment == ".+" {
                // Further segments may come behind it.
                text += "/(?<segment\(number)>[^/?]\(segment.dropFirst()))(?:/.*)?"
                self.parts.append(.name("url.segment\(number)"))
                continue
            }
            let hasQuery = segment.contains("\\?") || segment.hasSuffix("$")
            if hasQuery || segment.isEmpty || Self.mayHoldSlash(segment) {
                text += "/" + segment
                self.parts.append(segment.isEmpty ? .text("") : nil)
            } else {
                text += "/(?<segment\(number)>\(segment))"
                self.parts.append(.name("url.segment\(number)"))
            }
        }
        self.pattern = text
    }

    /// Returns the equivalent of a segment, counted from 0; `nil` if it is not known.
    subscript(_ number: Int) -> StubTemplate.Part? {
        self.parts.indices.contains(number) ? self.parts[number] : nil
    }

    /// True for a part that may match slashes, too, so that it is no single segment.
    private static func mayHoldSlash(_ segment: String) -> Bool {
        let known = segment.replacing("[^/]", with: "").replacing("[^/?]", with: "")
        var rest = known[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\": if let escaped = rest.popFirst(), "SDWQ".contains(escaped) { return true }
            case ".": return true
            case "[" where rest.first == "^": return true
            default: continue
            }
        }
        return false
    }

    /// Returns the parts between the slashes outside of groups and classes; `nil` for alternatives and for references
    /// to groups.
    private static func split(_ source: String) -> [String]? {
        var segments: [String] = []
        var current = ""
        var depth = 0
        var isInClass = false
        var isEscaped = false
        for character in source.dropFirst() {
            if isEscaped {
                guard !character.isNumber else { return nil }
                isEscaped = false
            } else {
                switch character {
                case "\\": isEscaped = true
                case "[": isInClass = true
                case "]": isInClass = false
                case "(" where !isInClass: depth += 1
                case ")" where !isInClass: depth -= 1
                case "|" where !isInClass && depth == 0: return nil
                case "/" where !isInClass && depth == 0:
                    segments.append(current)
                    current = ""
                    continue
                default: break
                }
            }
            current.append(character)
        }
        return segments + [current]
    }
}
