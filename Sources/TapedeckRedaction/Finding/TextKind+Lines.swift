import TapedeckCore

/// Tells HTML, XML and templates apart.
enum MarkupLook {
    private static let elements: Set<String> = [
        "a", "article", "aside", "b", "base", "blockquote", "body", "br", "button", "center", "code", "dd", "div", "dl",
        "dt", "em", "fieldset", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "header",
        "hr", "html", "i", "iframe", "img", "input", "label", "li", "link", "main", "meta", "nav", "ol", "option", "p",
        "pre", "script", "section", "select", "small", "span", "strong", "style", "table", "tbody", "td", "template",
        "textarea", "th", "thead", "title", "tr", "tt", "u", "ul",
    ]

    /// The kind of a text that begins with `<`.
    static func kind(of text: UnsafeRawBufferPointer, from start: Int, type: String) -> TextKind {
        var index = start
        // XHTML is HTML.
        var isXML = type.contains("xml") && !type.contains("html")
        while index + 1 < text.count, text[index] == 0x3C {
            switch text[index + 1] {
            // `<?xml …?>` and `<!DOCTYPE …>`, `<!-- … -->`.
            case 0x3F:
                guard text.has("<?xml", at: index) else { return .code }
                isXML = isXML || !type.contains("html")
                index = text.range(of: Array("?>".utf8), from: index)?.upperBound ?? text.count
            case 0x21:
                if text.has("<!doctype html", at: index) { return .html }
                let end = Array((text.has("<!--", at: index) ? "-->" : ">").utf8)
                index = text.range(of: end, from: index)?.upperBound ?? text.count
            // Templates: `<% … %>`.
            case ASCII.percent: return .code
            default:
                var end = index + 1
                while end < text.count, TextScanner.isNameByte(text[end]) || text[end] == ASCII.colon { end += 1 }
                guard end > index + 1 else { return type.contains("html") ? .html : .plain }
                let name = ASCII.lowercased(String(decoding: text[(index + 1)..<end], as: UTF8.self))
                if isXML { return name == "html" ? .html : .xml }
                return type.contains("html") || Self.elements.contains(name) ? .html : .xml
            }
            while index < text.count, text[index] <= ASCII.space { index += 1 }
        }
        return type.contains("html") ? .html : index < text.count ? .plain : .xml
    }
}

/// Tells forms that no type names: one line of `name=value&name=value` without a byte that would be escaped.
enum FormLook {
    static func isForm(_ text: UnsafeRawBufferPointer, isCutOff: Bool) -> Bool {
        guard var end = text.index(of: ASCII.equals, from: 0), end > 0, text.index(of: ASCII.ampersand, from: 0) != nil
        else { return false }
        end = text.count
        while end > 0, text[end - 1] <= ASCII.space { end -= 1 }
        var names = 0
        var values = 0
        for byte in text[..<end] {
            switch byte {
            case ASCII.equals: values += 1
            case ASCII.ampersand: names += 1
            case ASCII.percent, 0x2B, ASCII.asterisk, ASCII.openBracket, ASCII.closeBracket: break
            default: guard ASCII.isUnreserved(byte) else { return false }
            }
        }
        return values > names || isCutOff && values == names
    }
}

/// Tells files of assignments from source code and prose by the lines of their beginnings.
enum LineLook {
    private static let lineLimit = 80

    static func kind(of text: UnsafeRawBufferPointer, from start: Int, isCutOff: Bool) -> TextKind {
        var (assignments, code, others) = (0, 0, 0)
        var index = start
        var lines = 0
        while index < text.count, lines < Self.lineLimit {
            let next = text.index(of: ASCII.lineFeed, from: index)
            if next == nil, isCutOff, lines > 0 { break }
            var end = next ?? text.count
            if end > index, text[end - 1] == ASCII.carriageReturn { end -= 1 }
            let line = text.slice(HeaderLook.trimmed(text, index..<end))
            index = (next ?? text.count) + 1
            guard !line.isEmpty else { continue }
            lines += 1
            switch Self.kind(of: line, isFirst: lines == 1) {
            case .assignments: assignments += 1
            case .code: code += 1
            case .plain: others += 1
            default: break
            }
        }
        if assignments > 0, (code + others) * 4 <= assignments, code * 10 <= assignments { return .assignments }
        return code * 5 >= lines && code > 0 ? .code : .plain
    }

    /// The kind of one line; `.message` for comments, headings and others that may occur anywhere.
    private static func kind(of line: UnsafeRawBufferPointer, isFirst: Bool) -> TextKind {
        let first = line[0]
        if first == ASCII.hash { return isFirst && line.has("#!", at: 0) ? .code : .message }
        if first == ASCII.semicolon || first == 0x21 { return .message }
        if first == ASCII.openBracket, line[line.count - 1] == ASCII.closeBracket { return .message }
        if line.has("---", at: 0) { return .message }
        if isFirst, line.range(of: Array(" HTTP/".utf8), from: 0) != nil || line.has("http/", at: 0) { return .message }
        if Self.isAssignment(line) { return .assignments }
        return Self.isCode(line) ? .code : .plain
    }

    /// `NAME=value`, `export NAME="value"`, `name: value`, `- name: value`, `Name=value;Name=value`, and npm's
    /// `//host/path/:name=value`.
    private static func isAssignment(_ line: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        for lead in ["export ", "set ", "- "] as [StaticString] where line.has(lead, at: 0) {
            start = lead.utf8CodeUnitCount
        }
        if line.has("//", at: 0), let place = line.range(of: Array("/:".utf8), from: 0) { start = place.upperBound }
        // `@scope:name=value`, of the same files.
        if line[0] == ASCII.at, let colon = line.index(of: ASCII.colon, from: 1),
            line.slice(1..<colon).allSatisfy(TextScanner.isNameByte)
        {
            start = colon + 1
        }
        if start < line.count, line[start] == ASCII.quote { start += 1 }
        var end = start
        while end < line.count, TextScanner.isNameByte(line[end]) || line[end] == ASCII.slash { end += 1 }
        guard end > start, end < line.count else { return false }
        // Names of connection strings have spaces: `User Id=a;`.
        let isConnection =
            line.index(of: ASCII.semicolon, from: 0).flatMap { line.index(of: ASCII.equals, from: $0) } != nil
        if isConnection {
            while end < line.count, TextScanner.isNameByte(line[end]) || line[end] == ASCII.space { end += 1 }
        }
        if end < line.count, line[end] == ASCII.quote { end += 1 }
        while end < line.count, line[end] == ASCII.space || line[end] == ASCII.tab { end += 1 }
        guard end < line.count else { return false }
        let value = line.slice((end + 1)..<line.count)
        switch line[end] {
        case ASCII.equals:
            guard let next = value.first else { return true }
            if next == ASCII.equals || next == 0x3E { return false }
        case ASCII.colon:
            guard let next = value.first else { return true }
            guard next == ASCII.space || next == ASCII.tab else { return false }
        default: return false
        }
        return isConnection ? value.index(of: ASCII.equals, from: 0) != nil : !Self.isExpression(value)
    }

    /// A call, a block or the end of a statement outside of quotation marks.
    private static func isExpression(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let last = value.last(where: { $0 > ASCII.space }) else { return false }
        if last == ASCII.semicolon || last == ASCII.openBrace || last == 0x28 || last == ASCII.comma { return true }
        if let first = value.first(where: { $0 > ASCII.space }), first == ASCII.quote || first == 0x27 {
            return last != first
        }
        return value.index(of: 0x28, from: 0) != nil && value.index(of: 0x29, from: 0) != nil
    }

    private static let words: [StaticString] = [
        "import ", "from ", "#include", "def ", "class ", "function ", "const ", "let ", "var ", "return", "if ",
        "for ",
        "while ", "public ", "private ", "static ", "struct ", "func ", "package ", "use ", "my ", "sub ", "require",
        "module ", "end", "fi", "done", "else", "//", "/*", "*", "--", ".\\\"", ".th ", ".sh ", ".pp", "=head", "=item",
        "export ", "type ", "interface ", "@", "```", "| ", "msgid ", "msgstr ", "+", "%",
    ]

    /// By byte, true for those that a word begins with.
    private static let firstBytes: [Bool] = {
        var bytes = [Bool](repeating: false, count: 256)
        for word in Self.words { bytes[Int(word.utf8Start[0])] = true }
        return bytes
    }()

    private static func isCode(_ line: UnsafeRawBufferPointer) -> Bool {
        switch line[line.count - 1] {
        case ASCII.semicolon, ASCII.openBrace, ASCII.closeBrace, 0x28, 0x29, ASCII.backslash, ASCII.comma: return true
        default: break
        }
        if Self.firstBytes[Int(ASCII.lowercased(line[0]))], Self.words.contains(where: { line.has($0, at: 0) }) {
            return true
        }
        // One long line, as minified sources are.
        guard line.count > 200 else { return false }
        let marks = line.count { $0 == 0x28 || $0 == 0x29 || $0 == ASCII.semicolon || $0 == ASCII.openBrace }
        return marks * 25 >= line.count
    }
}
