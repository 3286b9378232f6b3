import TapedeckCore

/// The text of a `.bru` file, or of a block in one: lines that blocks are read from.
///
/// A block ends at a line that begins with a brace.
struct BruText {
    /// A pair of a dictionary.
    struct Pair {
        var name: String
        var value: String
        var isEnabled: Bool
        /// The type of a variable's value (`@number`, `@boolean`, `@object`); `nil` for a text.
        var type: String?
        let line: Int
    }

    private let lines: [String]
    /// The number of the first line, counted from 1.
    private let firstLine: Int
    private var index = 0

    init(_ lines: [String], firstLine: Int = 1) {
        self.lines = lines
        self.firstLine = firstLine
    }

    /// The number of the next line.
    var line: Int { self.firstLine + self.index }

    /// Reads the next line; `nil` at the end.
    private mutating func takeLine() -> String? {
        guard self.index < self.lines.count else { return nil }
        self.index += 1
        return self.lines[self.index - 1]
    }

    // MARK: Blocks

    /// The start of a block.
    enum Start {
        /// `name {`, with the text behind the brace.
        case block(String, rest: String)
        /// `name: value`
        case value(String, String)
        /// `name [`, with the text behind the bracket.
        case list(String, rest: String)
    }

    /// Reads the start of the next block; `nil` at the end.
    mutating func next() throws(LeftOut) -> Start? {
        while let line = self.takeLine() {
            let text = RequestText.trimmed(line)
            guard !text.isEmpty else { continue }
            let name = text.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) || $0 == ":" }
            let rest = RequestText.trimmed(text[name.endIndex...])
            let isValue = name.hasSuffix(":")
            let inner = String(rest.dropFirst())
            // Two braces begin the value of a variable.
            if rest.hasPrefix("{"), isValue ? inner.isEmpty : !inner.hasPrefix("{") {
                return .block(String(isValue ? name.dropLast() : name), rest: inner)
            }
            if rest.hasPrefix("["), !isValue { return .list(String(name), rest: inner) }
            guard let colon = text.firstIndex(of: ":") else {
                throw LeftOut("'\(text.prefix(80))' begins no block", line: self.line - 1)
            }
            let value = RequestText.trimmed(text[text.index(after: colon)...])
            return .value(RequestText.trimmed(text[..<colon]), try self.value(value))
        }
        return nil
    }

    /// Reads the text of a block whose first line is behind its brace.
    mutating func text(rest: String) throws(LeftOut) -> BruText {
        let start = self.line
        var block = RequestText.isBlank(rest) ? [] : [rest]
        while let line = self.takeLine() {
            if line.hasPrefix("}") { return BruText(block, firstLine: RequestText.isBlank(rest) ? start : start - 1) }
            block.append(line)
        }
        throw LeftOut("a block that begins before this line is not closed", line: max(start - 1, 1))
    }

    /// Reads a list up to its bracket.
    mutating func list(rest: String) throws(LeftOut) -> [String] {
        let start = self.line
        var text = rest
        var isClosed = rest.contains("]")
        while !isClosed {
            guard let line = self.takeLine() else { throw LeftOut("a list is not closed", line: max(start - 1, 1)) }
            text += "\n" + line
            isClosed = line.contains("]")
        }
        return text.prefix { $0 != "]" }.split { $0 == "," || $0.isNewline }.map { RequestText.trimmed($0) }
            .filter { !$0.isEmpty && !$0.hasPrefix("@") }
    }

    /// The lines of the text without two spaces in front, as one text, without blank lines in front.
    var outdented: String {
        self.lines.drop { $0.isEmpty }.map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }.joined(separator: "\n")
    }

    /// The text without that many spaces in front of its lines.
    func outdented(by count: Int) -> BruText {
        let space = String(repeating: " ", count: count)
        return BruText(
            self.lines.map { $0.hasPrefix(space) ? String($0.dropFirst(count)) : $0 },
            firstLine: self.firstLine
        )
    }

    /// The text without the indentation that all its lines have.
    var unindented: BruText {
        let depths = self.lines.filter { !RequestText.isBlank($0) }.map { $0.prefix { $0 == " " || $0 == "\t" }.count }
        let depth = depths.min() ?? 0
        return BruText(
            self.lines.map { RequestText.isBlank($0) ? $0 : String($0.dropFirst(depth)) },
            firstLine: self.firstLine
        )
    }

    // MARK: Dictionaries

    /// Reads the pairs of a dictionary up to its closing brace.
    mutating func pairs(rest: String) throws(LeftOut) -> [Pair] {
        let start = self.line
        var pairs: [Pair] = []
        var type: String?
        var pending = RequestText.isBlank(rest) ? nil : rest
        while let line = pending ?? self.takeLine() {
            let number = self.line - 1
            if pending == nil, line.hasPrefix("}") { return pairs }
            let text = RequestText.trimmed(line)
            if pending != nil, text == "}" { return pairs }
            pending = nil
            guard !text.isEmpty else { continue }
            if let name = try self.annotation(text) {
                if ["number", "boolean", "object"].contains(name) { type = name }
                continue
            }
            guard var pair = Self.pair(text, line: number) else {
                throw LeftOut("'\(text.prefix(80))' is no name with a value", line: number)
            }
            pair.value = try self.value(pair.value)
            pair.type = type
            type = nil
            pairs.append(pair)
        }
        throw LeftOut("a block that begins before this line is not closed", line: max(start - 1, 1))
    }

    /// Returns a pair whose value may continue on further lines; `nil` for a line without a colon.
    private static func pair(_ text: String, line: Int) -> Pair? {
        var rest = text[...]
        let isEnabled = !rest.hasPrefix("~")
        if !isEnabled { rest.removeFirst() }
        var name = ""
        if rest.hasPrefix("\"") {
            rest.removeFirst()
            var isEscaped = false
            while let character = rest.popFirst(), isEscaped || character != "\"" {
                if character == "\\", !isEscaped, rest.first == "\"" {
                    isEscaped = true
                } else {
                    name.append(character)
                    isEscaped = false
                }
            }
            rest = rest.drop { $0.isWhitespace }
            guard rest.first == ":" else { return nil }
        } else {
            guard let colon = rest.firstIndex(of: ":") else { return nil }
            name = RequestText.trimmed(rest[..<colon])
            rest = rest[colon...]
        }
        return Pair(
            name: name,
            value: RequestText.trimmed(rest.dropFirst()),
            isEnabled: isEnabled,
            type: nil,
            line: line
        )
    }

    /// Reads the further lines of a value: of a text between `'''`, or of a list.
    private mutating func value(_ first: String) throws(LeftOut) -> String {
        let start = max(self.line - 1, 1)
        if first == "[" { return try self.list(rest: "").joined(separator: ", ") }
        guard first.hasPrefix("'''") else { return first }
        var lines = [String(first.dropFirst(3))]
        var end = lines[0].firstRange(of: "'''")
        while end == nil {
            guard let line = self.takeLine() else { throw LeftOut("a text in ''' is not closed", line: start) }
            lines.append(line)
            end = line.firstRange(of: "'''")
        }
        guard let end, var last = lines.popLast() else { return "" }
        let rest = RequestText.trimmed(last[end.upperBound...])
        last = String(last[..<end.lowerBound])
        let content = (lines + [last]).map { $0.dropFirst(4) }.joined(separator: "\n")
        return RequestText.trimmed(content) + (rest.isEmpty ? "" : " \(rest)")
    }

    /// Reads an annotation of the next pair, such as `@description('''…''')`; `nil` for another line.
    private mutating func annotation(_ text: String) throws(LeftOut) -> String? {
        guard text.hasPrefix("@") else { return nil }
        let name = text.dropFirst().prefix { !"(): \t".contains($0) }
        var rest = text[name.endIndex...]
        guard !name.isEmpty, rest.isEmpty || rest.hasPrefix("(") else { return nil }
        if rest.hasPrefix("('''") {
            let start = self.line - 1
            rest = rest.dropFirst(4)
            while !rest.contains("'''") {
                guard let line = self.takeLine() else { throw LeftOut("a text in ''' is not closed", line: start) }
                rest = line[...]
            }
        } else if !rest.isEmpty, !rest.hasSuffix(")") {
            return nil
        }
        return String(name)
    }

    /// Reads the text of a response's body: `content: '''…'''`, in a block whose pairs are not indented.
    ///
    /// - Returns: `nil` for a body without a text.
    func content() throws(LeftOut) -> String? {
        guard let start = self.lines.firstIndex(where: { RequestText.trimmed($0).hasPrefix("content") }),
            let quote = self.lines[start].firstRange(of: "'''")
        else { return nil }
        var text = String(self.lines[start][quote.upperBound...])
        if let end = text.firstRange(of: "'''") { return String(text[..<end.lowerBound]) }
        for line in self.lines[(start + 1)...] {
            text += "\n"
            if let end = line.firstRange(of: "'''") {
                text += line[..<end.lowerBound]
                return Self.cleaned(text)
            }
            text += line
        }
        throw LeftOut("a text in ''' is not closed", line: self.firstLine + start)
    }

    /// Takes the line ends beside the quotes away, and four spaces of each line.
    private static func cleaned(_ text: String) -> String {
        var text = text[...]
        if text.hasSuffix("  ") { text = text.dropLast(2) }
        if text.hasPrefix("\n") { text = text.dropFirst() }
        if text.hasSuffix("\n") { text = text.dropLast() }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }.joined(separator: "\n")
    }
}
