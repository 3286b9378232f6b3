import TapedeckCore

/// The kind of a text, which decides which of its words are names of fields.
///
/// In data, the names `password` and `token` precede values. In markup and in source code they precede labels,
/// variables and calls, so nothing there is a field. The content decides, because servers mislabel it; the media type
/// decides if the content is ambiguous.
enum TextKind: Sendable, Equatable {
    /// JSON, one or many, and streams of events whose data is JSON. The text may be cut off.
    case json
    /// Objects with names without quotation marks, or strings in single ones, as JavaScript and JSON5 have them.
    case looseJSON
    /// A document of GraphQL: arguments are `name: "value"`.
    case graphQL
    /// `name=value&name=value`, with `+` for a space.
    case form
    /// Elements and attributes.
    case xml
    /// Only `<input>`, `<meta>` and scripts with JSON are data.
    case html
    /// Lines of `NAME=value` or `name: value`, such as environment files, INI, properties and YAML; header fields;
    /// connection strings.
    case assignments
    /// Prose, tables, logs and URLs: only names that cannot be prose count, such as `SMTP_PASSWORD=`.
    case plain
    /// Source code, style sheets and Markdown: nothing is a field.
    case code
    /// Images, archives, messages of binary protocols: tokens that are known by their look, and secrets that are known.
    case binary
    /// A message of the deck, which may contain parts of a request of any kind.
    case message

    /// The maximum number of bytes that are examined.
    private static let lookSize = 4096

    /// - Parameters:
    ///   - text: the text, without codings.
    ///   - type: its media type, if it has one.
    init(of text: UnsafeRawBufferPointer, type: String?) {
        let look = text.slice(0..<min(text.count, Self.lookSize))
        let isCutOff = look.count < text.count
        var start = look.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < look.count, look[start] <= ASCII.space { start += 1 }
        guard start < look.count else {
            self = Self.essence(of: type).contains("form-urlencoded") ? .form : .plain
            return
        }
        switch look[start] {
        case ASCII.openBrace, ASCII.openBracket:
            if let kind = JSONLook.kind(of: look, from: start) {
                self = kind
                return
            }
            if GraphQLLook.isDocument(look, from: start) {
                self = .graphQL
                return
            }
        case 0x3C:
            self = MarkupLook.kind(of: look, from: start, type: Self.essence(of: type))
            return
        default:
            if let data = JSONLook.startOfWrapped(look, from: start), JSONLook.kind(of: look, from: data) == .json {
                self = .json
                return
            }
            if GraphQLLook.isDocument(look, from: start) {
                self = .graphQL
                return
            }
        }
        self =
            Self.named(Self.essence(of: type), look, start)
            ?? (FormLook.isForm(look.slice(start..<look.count), isCutOff: isCutOff)
                ? .form : LineLook.kind(of: look, from: start, isCutOff: isCutOff))
    }

    /// Returns the media type in lower case, without parameters. Only texts other than JSON need it.
    private static func essence(of type: String?) -> String {
        type.map { ASCII.lowercased(String($0.prefix { $0 != ";" })) } ?? ""
    }

    /// Returns the kind that a media type names, for a text that is not JSON, GraphQL or markup.
    private static func named(_ type: String, _ text: UnsafeRawBufferPointer, _ start: Int) -> TextKind? {
        guard !type.isEmpty, type != "text/plain", type != "application/octet-stream" else {
            let isStream = text.has("data:", at: start) || text.has("event:", at: start)
            return isStream && text.range(of: Array("\ndata:".utf8), from: 0) != nil ? .json : nil
        }
        if type.contains("form-urlencoded") { return .form }
        if type.contains("event-stream") || type.contains("json") { return .json }
        if type.contains("html") { return .html }
        if type.contains("graphql") { return .graphQL }
        if type.contains("xml") { return .xml }
        if ["yaml", "toml", "properties"].contains(where: type.contains) { return .assignments }
        let languages = [
            "javascript", "ecmascript", "typescript", "css", "python", "x-c", "x-h", "x-sh", "shellscript", "perl",
            "php", "ruby", "x-java", "x-go", "rust", "x-tex", "troff", "markdown", "x-lua", "x-diff", "x-patch",
            "x-swift", "x-sql",
        ]
        return languages.contains(where: type.contains) ? .code : nil
    }
}

/// Tells JSON from source code by its tokens (RFC 8259 section 2).
enum JSONLook {
    /// JSON or loose JSON; `nil` for a text that has other tokens.
    static func kind(of text: UnsafeRawBufferPointer, from start: Int) -> TextKind? {
        var index = start
        var isLoose = false
        var depth = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case 0...ASCII.space, ASCII.comma, ASCII.colon: index += 1
            case ASCII.openBrace, ASCII.openBracket:
                depth += 1
                index += 1
            case ASCII.closeBrace, ASCII.closeBracket:
                depth -= 1
                index += 1
            // Behind what is wrapped in a call.
            case 0x29, ASCII.semicolon:
                guard depth == 0 else { return nil }
                index += 1
            case ASCII.quote, 0x27:
                if byte == 0x27 { isLoose = true }
                guard let end = Self.endOfString(text, index) else { return nil }
                index = end
            case 0x2B, 0x2D, 0x2E, 0x30...0x39:
                while index < text.count, Self.isNumberByte(text[index]) { index += 1 }
            case 0x24, 0x41...0x5A, 0x5F, 0x61...0x7A:
                // Source code does not follow data.
                guard depth > 0, let end = Self.endOfWord(text, index, &isLoose) else { return nil }
                index = end
            case ASCII.slash:
                guard let end = Self.endOfComment(text, index) else { return nil }
                isLoose = true
                index = end
            default: return nil
            }
        }
        return isLoose ? .looseJSON : .json
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x45, 0x65: true
        default: false
        }
    }

    /// Behind a string that begins at an index; `nil` if a line ends in it, which no string of JSON has.
    private static func endOfString(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        let quote = text[start]
        // Read once: in a loop of this size the compiler calls them.
        let (lineFeed, backslash) = (ASCII.lineFeed, ASCII.backslash)
        var index = start + 1
        while index < text.count {
            let byte = text[index]
            if byte == quote { return index + 1 }
            if byte == lineFeed { return nil }
            index += byte == backslash ? 2 : 1
        }
        return text.count
    }

    /// Behind a literal or a name; `nil` if a word is neither.
    private static func endOfWord(_ text: UnsafeRawBufferPointer, _ start: Int, _ isLoose: inout Bool) -> Int? {
        var index = start
        while index < text.count, TextScanner.isNameByte(text[index]), text[index] < 0x80,
            text[index] != ASCII.openBracket, text[index] != ASCII.closeBracket
        {
            index += 1
        }
        guard index < text.count else { return index }
        let word = text.slice(start..<index)
        for literal in ["true", "false", "null"] as [StaticString] {
            if word.count == literal.utf8CodeUnitCount, word.has(literal, at: 0) { return index }
        }
        isLoose = true
        while index < text.count, text[index] == ASCII.space { index += 1 }
        return index == text.count || text[index] == ASCII.colon ? index : nil
    }

    private static func endOfComment(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        guard start + 1 < text.count else { return text.count }
        if text[start + 1] == ASCII.slash { return text.index(of: ASCII.lineFeed, from: start) ?? text.count }
        guard text[start + 1] == ASCII.asterisk else { return nil }
        return text.range(of: Array("*/".utf8), from: start + 2)?.upperBound ?? text.count
    }

    /// Returns the start of JSON after prefixes that servers add: `)]}'`, `for(;;);` and `callback(`.
    static func startOfWrapped(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        for guardText in [")]}'", "for(;;);", "while(1);"] as [StaticString] where text.has(guardText, at: start) {
            index = start + guardText.utf8CodeUnitCount
        }
        if index == start {
            while index < text.count, index - start < 64, TextScanner.isNameByte(text[index]), text[index] < 0x80 {
                index += 1
            }
            guard index > start, index < text.count, text[index] == 0x28 else { return nil }
            index += 1
        }
        while index < text.count, text[index] <= ASCII.space || text[index] == ASCII.comma { index += 1 }
        guard index < text.count, text[index] == ASCII.openBrace || text[index] == ASCII.openBracket else { return nil }
        return index
    }
}

/// Tells documents of GraphQL by their tokens (GraphQL specification, October 2021, section 2.1).
enum GraphQLLook {
    static func isDocument(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        let keywords: [StaticString] = ["query", "mutation", "subscription", "fragment"]
        let isNamed = keywords.contains { word in
            let end = start + word.utf8CodeUnitCount
            return text.has(word, at: start) && end < text.count
                && (text[end] <= ASCII.space || text[end] == ASCII.openBrace || text[end] == 0x28)
        }
        // A template or a placeholder begins with two.
        guard isNamed || text[start] == ASCII.openBrace && !text.has("{{", at: start) else { return false }
        var index = start
        var hasSelection = false
        while index < text.count {
            switch text[index] {
            case ASCII.openBrace:
                hasSelection = true
                index += 1
            case 0...ASCII.space, ASCII.comma, ASCII.colon, ASCII.closeBrace, ASCII.openBracket, ASCII.closeBracket,
                0x28, 0x29, 0x21, 0x24, ASCII.ampersand, ASCII.equals, ASCII.at, 0x7C, 0x2D, 0x2E, 0x30...0x39,
                0x41...0x5A, 0x5F, 0x61...0x7A:
                index += 1
            case ASCII.hash: index = text.index(of: ASCII.lineFeed, from: index) ?? text.count
            case ASCII.quote:
                let isBlock = text.has("\"\"\"", at: index)
                index += isBlock ? 3 : 1
                while index < text.count, isBlock ? !text.has("\"\"\"", at: index) : text[index] != ASCII.quote {
                    index += text[index] == ASCII.backslash ? 2 : 1
                }
                index += isBlock ? 3 : 1
            default: return false
            }
        }
        return hasSelection
    }
}
