/// As much of a GraphQL document as is needed to find the names of its operations.
struct GraphQLDocument {
    private let bytes: [UInt8]
    private var index = 0

    private enum Token {
        case name(String)
        case open
        case close(isBrace: Bool)
        /// Anything else that has no part in this.
        case other
    }

    /// The names of the operations that have one, in their order.
    static func operationNames(in query: String) -> [String] {
        var document = GraphQLDocument(bytes: Array(query.utf8))
        var names: [String] = []
        var depth = 0
        // A definition begins where no other is open; selections in braces end one.
        var isAtStart = true
        while let token = document.next() {
            switch token {
            case .open:
                depth += 1
                isAtStart = false
            case .close(let isBrace):
                depth -= 1
                isAtStart = depth == 0 && isBrace
            case .name(let word) where isAtStart:
                isAtStart = false
                guard word == "query" || word == "mutation" || word == "subscription" else { continue }
                if let name = document.nextName() { names.append(name) }
            case .name, .other: break
            }
        }
        return names
    }

    /// The tokens of a document, one space between two; `nil` for a text that is no document.
    static func normalised(_ query: String) -> String? {
        var document = GraphQLDocument(bytes: Array(query.utf8))
        var tokens: [UInt8] = []
        var depth = 0
        var hasSelection = false
        while true {
            document.skipIgnored()
            let start = document.index
            guard let token = document.next() else { break }
            switch token {
            case .open: depth += 1
            case .close(let isBrace):
                depth -= 1
                hasSelection = hasSelection || isBrace
            case .name(let word):
                if tokens.isEmpty, !["query", "mutation", "subscription", "fragment"].contains(word) { return nil }
            case .other: if tokens.isEmpty { return nil }
            }
            guard depth >= 0 else { return nil }
            if !tokens.isEmpty { tokens.append(ASCII.space) }
            tokens += document.bytes[start..<document.index]
        }
        return depth == 0 && hasSelection ? String(decoding: tokens, as: UTF8.self) : nil
    }

    /// The name that comes next, if one does; anything else stays.
    private mutating func nextName() -> String? {
        let start = self.index
        if case .name(let name) = self.next() { return name }
        self.index = start
        return nil
    }

    /// `nil` at the end.
    private mutating func next() -> Token? {
        self.skipIgnored()
        guard self.index < self.bytes.count else { return nil }
        let byte = self.bytes[self.index]
        if Self.isInName(byte) { return .name(self.name()) }
        if byte == ASCII.quote {
            self.skipString()
            return .other
        }
        self.index += 1
        switch byte {
        case ASCII.openBrace, ASCII.openBracket, 0x28: return .open
        case ASCII.closeBrace: return .close(isBrace: true)
        case ASCII.closeBracket, 0x29: return .close(isBrace: false)
        default: return .other
        }
    }

    /// White space, commas and comments mean nothing (section 2.1.7).
    private mutating func skipIgnored() {
        while self.index < self.bytes.count {
            switch self.bytes[self.index] {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn, ASCII.comma: self.index += 1
            case ASCII.hash:
                while self.index < self.bytes.count, self.bytes[self.index] != ASCII.lineFeed,
                    self.bytes[self.index] != ASCII.carriageReturn
                {
                    self.index += 1
                }
            default: return
            }
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }

    private mutating func name() -> String {
        let name = self.bytes[self.index...].prefix(while: Self.isInName)
        self.index = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    /// A string, or a block string between three quotation marks each, in which `\"""` is not an end (section 2.9.4).
    private mutating func skipString() {
        let block: [UInt8] = [ASCII.quote, ASCII.quote, ASCII.quote]
        let isBlock = self.bytes[self.index...].starts(with: block)
        self.index += isBlock ? 3 : 1
        while self.index < self.bytes.count {
            let rest = self.bytes[self.index...]
            if isBlock {
                if rest.starts(with: block) {
                    self.index += 3
                    return
                }
                self.index += rest.first == ASCII.backslash && rest.dropFirst().starts(with: block) ? 4 : 1
            } else {
                self.index += rest.first == ASCII.backslash ? 2 : 1
                if rest.first == ASCII.quote || rest.first == ASCII.lineFeed { return }
            }
        }
    }
}
