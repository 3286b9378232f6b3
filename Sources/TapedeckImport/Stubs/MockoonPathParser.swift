import TapedeckCore

/// A piece of the path of a Mockoon route.
indirect enum MockoonPathToken {
    case text(String)
    case parameter(String)
    case wildcard(String)
    /// A part that may be missing.
    case group([MockoonPathToken])

    var isWildcard: Bool { if case .wildcard = self { true } else { false } }
}

/// A reason for which a path cannot be stated.
struct MockoonPathProblem: Error { let reason: String }

/// Parses the path of a Mockoon route in the syntax of Express 4 or of path-to-regexp 8.
struct MockoonPathParser {
    private let characters: [Character]
    private var index = 0
    private var depth = 0
    private var wildcards = 0
    private var groups = 0

    init(_ path: String) {
        self.characters = Array(path)
    }

    private func isName(_ index: Int) -> Bool {
        guard self.characters.indices.contains(index), self.characters[index].isASCII else { return false }
        return self.characters[index].isLetter || self.characters[index].isNumber
            || "_$".contains(self.characters[index])
    }

    private mutating func name() throws(MockoonPathProblem) -> String {
        let start = self.index
        while self.isName(self.index) { self.index += 1 }
        guard start < self.index, !self.characters[start].isNumber else {
            throw MockoonPathProblem(reason: "a parameter has no name of letters")
        }
        return String(self.characters[start..<self.index])
    }

    private mutating func take(_ character: Character) -> Bool {
        guard self.index < self.characters.count, self.characters[self.index] == character else { return false }
        self.index += 1
        return true
    }

    /// The tokens up to a closing brace, or to the end.
    mutating func tokens(until end: Character?) throws(MockoonPathProblem) -> [MockoonPathToken] {
        var tokens: [MockoonPathToken] = []
        func add(_ text: String) {
            if case .text(let last)? = tokens.last {
                tokens[tokens.count - 1] = .text(last + text)
            } else {
                tokens.append(.text(text))
            }
        }
        /// Takes the last character of the literal text before.
        func removeLast() -> String? {
            guard case .text(let text)? = tokens.last, let last = text.last else { return nil }
            tokens.removeLast()
            if text.count > 1 { tokens.append(.text(String(text.dropLast()))) }
            return String(last)
        }
        self.depth += 1
        defer { self.depth -= 1 }
        guard self.depth < 16 else { throw MockoonPathProblem(reason: "its groups are nested too deeply") }
        while self.index < self.characters.count {
            let character = self.characters[self.index]
            self.index += 1
            if character == end { return tokens }
            switch character {
            case "\\":
                guard self.index < self.characters.count else {
                    throw MockoonPathProblem(reason: "it ends with a backslash")
                }
                add(String(self.characters[self.index]))
                self.index += 1
            case ":":
                let name = try self.name()
                let before = tokens.last.flatMap { if case .text(let text) = $0 { text.last } else { nil } }
                if self.take("?") {
                    guard let before, "/.~-".contains(before), let separator = removeLast() else {
                        throw MockoonPathProblem(reason: "':\(name.prefix(40))?' has no separator before it")
                    }
                    tokens.append(.group([.text(separator), .parameter(name)]))
                } else if self.take("+") {
                    tokens.append(.wildcard(name))
                } else if before == "/", self.take("*") {
                    tokens.append(.group([.text(removeLast() ?? "/"), .wildcard(name)]))
                } else {
                    tokens.append(.parameter(name))
                }
            case "*":
                if self.isName(self.index) {
                    tokens.append(.wildcard(try self.name()))
                } else {
                    // Only behind a slash does Mockoon give it a name.
                    guard self.index >= 2, self.characters[self.index - 2] == "/" else {
                        throw MockoonPathProblem(reason: "a `*` has no slash before it and no name")
                    }
                    self.wildcards += 1
                    tokens.append(.wildcard("wildcard\(self.wildcards)"))
                }
            case "{":
                self.groups += 1
                guard self.groups <= MockoonPath.limit else {
                    throw MockoonPathProblem(reason: "it has too many optional parts")
                }
                tokens.append(.group(try self.tokens(until: "}")))
            case "?":
                guard let last = removeLast(), self.index >= 2, self.isName(self.index - 2) else {
                    throw MockoonPathProblem(reason: "a `?` has no letter before it")
                }
                tokens.append(.group([.text(last)]))
            case "(", ")", "[", "]", "+", "!", "}", "\"":
                throw MockoonPathProblem(reason: "it has a part of a regular expression, `\(character)`")
            default: add(String(character))
            }
        }
        guard end == nil else { throw MockoonPathProblem(reason: "a brace is not closed") }
        return tokens
    }
}
