import TapedeckCore

/// The lines of one request of a `.http` file: those between two separators (`###`).
struct HTTPFileBlock {
    /// A line with its number, counted from 1.
    struct Line {
        let number: Int
        let text: String
    }

    /// The name behind the separator or `@name`.
    private(set) var name: String?
    /// True if a comment (`@disabled`) switches the request off.
    private(set) var isDisabled = false
    /// The line of a script before the request that is not closed; `nil` without one.
    private(set) var openScript: Int?
    /// True if a script runs before the request.
    private(set) var hasScript = false
    /// Variables that are defined before the request.
    private(set) var variables: [(name: String, value: String)] = []
    /// The line of the request; `nil` for a block without one.
    private(set) var requestLine: Line?
    /// The lines behind the line of the request, without comments.
    private(set) var rest: [Line] = []

    var hasRequest: Bool { self.requestLine.map { Self.looksLikeRequest($0.text) } ?? false }

    /// Returns the blocks of a file.
    static func blocks(of lines: [String]) -> [HTTPFileBlock] {
        var blocks: [HTTPFileBlock] = []
        var name: String?
        var current: [Line] = []
        for (index, text) in lines.enumerated() {
            guard text.hasPrefix("###") else {
                current.append(Line(number: index + 1, text: text))
                continue
            }
            blocks.append(HTTPFileBlock(name, current))
            name = Self.title(text)
            current = []
        }
        blocks.append(HTTPFileBlock(name, current))
        return blocks
    }

    /// Returns the text of a separator, which may be within a frame of `#`; `nil` for one without.
    private static func title(_ line: String) -> String? {
        let text = RequestText.trimmed(line.drop { $0 == "#" })
        guard let last = text.lastIndex(where: { $0 != "#" }) else { return nil }
        return text[last].isWhitespace ? RequestText.trimmed(text[..<last]) : text
    }

    private init(_ name: String?, _ lines: [Line]) {
        self.name = name
        var index = 0
        while index < lines.count, self.requestLine == nil {
            index = self.take(lines, at: index)
        }
        self.rest = lines[index...].filter { !Self.isComment($0.text) }
    }

    /// Reads a line in front of the request; returns the index of the line behind it.
    private mutating func take(_ lines: [Line], at index: Int) -> Int {
        let text = RequestText.trimmed(lines[index].text)
        if text.isEmpty || text.hasPrefix("import ") || text.hasPrefix("run ") { return index + 1 }
        if Self.isComment(text) {
            self.takeComment(text)
            return index + 1
        }
        if let variable = Self.variable(text) {
            self.variables.append(variable)
            return index + 1
        }
        if text.hasPrefix("< ") || text.hasPrefix("<{%") {
            self.hasScript = true
            guard text.contains("{%"), !text.contains("%}") else { return index + 1 }
            return self.end(in: lines, from: index) { $0.contains("%}") }
        }
        if text.hasPrefix("{{"), !text.contains("}}") {
            self.hasScript = true
            return self.end(in: lines, from: index) { RequestText.trimmed($0).hasPrefix("}}") }
        }
        self.requestLine = lines[index]
        return index + 1
    }

    /// Returns the index behind the last line of a script.
    private mutating func end(in lines: [Line], from start: Int, where isLast: (String) -> Bool) -> Int {
        guard let last = lines[(start + 1)...].firstIndex(where: { isLast($0.text) }) else {
            self.openScript = lines[start].number
            return lines.count
        }
        return last + 1
    }

    /// Comments hold the name of a request and switches.
    private mutating func takeComment(_ text: String) {
        let words = text.drop { $0 == "#" || $0 == "/" }.split { $0.isWhitespace || $0 == "=" }
        switch words.first {
        case "@name" where words.count > 1: self.name = self.name ?? String(words[1])
        case "@disabled": self.isDisabled = true
        default: break
        }
    }

    static func isComment(_ line: String) -> Bool {
        let text = line.drop { $0.isWhitespace }
        return text.hasPrefix("#") || text.hasPrefix("//")
    }

    /// Returns the name and value of `@name = value`; `nil` for any other line.
    private static func variable(_ text: String) -> (name: String, value: String)? {
        guard text.hasPrefix("@"), let equals = text.firstIndex(of: "=") else { return nil }
        let name = RequestText.trimmed(text[..<equals].dropFirst())
        guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
        var value = ""
        var isEscaped = false
        for character in RequestText.trimmed(text[text.index(after: equals)...]) {
            guard isEscaped || character != "\\" else {
                isEscaped = true
                continue
            }
            let escapes: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t"]
            value.append(isEscaped ? escapes[character] ?? character : character)
            isEscaped = false
        }
        return (name, value)
    }

    /// True if a line is that of a request: a URL, with or without a method.
    private static func looksLikeRequest(_ line: String) -> Bool {
        let (method, target) = HTTPFileRequest.split(RequestText.trimmed(line))
        return method != nil && !target.isEmpty || target.hasPrefix("http://") || target.hasPrefix("https://")
            || target.hasPrefix("{{")
    }
}
