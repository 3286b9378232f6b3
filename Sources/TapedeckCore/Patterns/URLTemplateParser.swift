/// Parses the source of a ``URLTemplate`` and converts its literal text into canonical form.
struct URLTemplateParser {
    enum Part: Equatable {
        case literal([UInt8])
        case gap(name: String, isWide: Bool)
    }

    struct Parameter {
        var name: [UInt8]
        var parts: [Part]
    }

    /// PCRE2 takes no longer ones.
    private static let maximumNameLength = 32

    private let characters: [Character]
    private var index = 0
    private var names: Set<String> = []
    /// The current part, as written.
    private var literal = ""
    private var parts: [Part] = []

    init(_ source: String) {
        self.characters = Array(source)
    }

    mutating func parse() throws(PatternError) -> (path: [Part], query: [Parameter]) {
        try self.parseParts(until: "?")
        var path = self.takeParts()
        var query: [Parameter] = []
        while self.index < self.characters.count {
            // At the question mark or an ampersand.
            self.index += 1
            let start = self.index
            try self.parseParts(until: "&")
            let parts = self.takeParts()
            guard let first = parts.first else { continue }
            guard case .literal(let bytes) = first, parts.count == 1 || bytes.contains(ASCII.equals) else {
                throw PatternError(
                    "the name of a query parameter cannot hold a placeholder: write name={value},",
                    atCharacter: start + 1
                )
            }
            let spelt = Self.canonical(parameter: parts)
            guard case .literal(let name)? = spelt.first else { continue }
            query.append(Parameter(name: Array(name.prefix { $0 != ASCII.equals }), parts: spelt))
        }
        path = Self.canonical(path).map { part in
            guard case .literal(let bytes) = part else { return part }
            var spelt: [UInt8] = []
            bytes.withUnsafeBytes { URLSpelling.append($0, of: .path, to: &spelt) }
            return .literal(spelt)
        }
        let sorted = query.enumerated().sorted { left, right in
            left.element.name == right.element.name
                ? left.offset < right.offset
                : left.element.name.lexicographicallyPrecedes(right.element.name)
        }
        return (path, sorted.map(\.element))
    }

    private mutating func parseParts(until end: Character) throws(PatternError) {
        while self.index < self.characters.count, self.characters[self.index] != end {
            let character = self.characters[self.index]
            self.index += 1
            switch character {
            case "{":
                try self.parseGap()
            case "}":
                throw PatternError("a closing brace without an opening one", atCharacter: self.index)
            case "#":
                throw PatternError(
                    "a fragment is never sent to a server: leave out # and the rest,",
                    atCharacter: self.index
                )
            default:
                self.literal.append(character)
            }
        }
        self.endLiteral()
    }

    private mutating func parseGap() throws(PatternError) {
        let opening = self.index
        self.endLiteral()
        let isWide = self.index < self.characters.count && self.characters[self.index] == "+"
        if isWide { self.index += 1 }
        let start = self.index
        while self.index < self.characters.count, self.characters[self.index] != "}" {
            guard self.characters[self.index] != "{" else {
                throw PatternError("an opening brace inside a placeholder", atCharacter: self.index + 1)
            }
            self.index += 1
        }
        guard self.index < self.characters.count else {
            throw PatternError("an opening brace without a closing one", atCharacter: opening)
        }
        let name = self.characters[start..<self.index]
        self.index += 1
        try self.check(name, at: start + 1)
        self.parts.append(.gap(name: String(name), isWide: isWide))
    }

    private mutating func check(_ name: ArraySlice<Character>, at number: Int) throws(PatternError) {
        guard let first = name.first else {
            throw PatternError("a placeholder without a name: write {id},", atCharacter: number)
        }
        guard first.isASCII, first.isLetter,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else {
            throw PatternError(
                "the name \"\(String(name))\" must be letters, digits and _ after a letter,",
                atCharacter: number
            )
        }
        guard name.count <= Self.maximumNameLength else {
            throw PatternError(
                "the name \"\(String(name))\" is longer than \(Self.maximumNameLength) characters,",
                atCharacter: number
            )
        }
        guard self.names.insert(String(name)).inserted else {
            throw PatternError("the name \"\(String(name))\" is used twice,", atCharacter: number)
        }
    }

    private mutating func endLiteral() {
        guard !self.literal.isEmpty else { return }
        self.parts.append(.literal(ByteText.bytes(of: self.literal)))
        self.literal = ""
    }

    private mutating func takeParts() -> [Part] {
        defer { self.parts = [] }
        return self.parts
    }

    /// Returns a parameter in the spelling of ``RequestKey``. Its first part has its name.
    private static func canonical(parameter parts: [Part]) -> [Part] {
        parts.enumerated().map { position, part in
            guard case .literal(let bytes) = part else { return part }
            var spelt: [UInt8] = []
            if position > 0 {
                bytes.withUnsafeBytes { URLSpelling.append($0, of: .value, to: &spelt) }
            } else {
                bytes.withUnsafeBytes { URLSpelling.append(parameter: $0, to: &spelt) }
                // The value is a gap.
                if parts.count > 1, bytes.last == ASCII.equals, bytes.count(where: { $0 == ASCII.equals }) == 1 {
                    spelt.append(ASCII.equals)
                }
            }
            return .literal(spelt)
        }
    }

    /// Returns the path with scheme and host in lower case, without the scheme's default port, and with at least `/`.
    private static func canonical(_ path: [Part]) -> [Part] {
        guard case .literal(let first)? = path.first else { return path }
        let scheme = first.prefix { $0 != ASCII.colon }.map(ASCII.lowercased)
        let ownPort = [Array("http".utf8): ":80", Array("https".utf8): ":443"][scheme]
        guard let ownPort, first.dropFirst(scheme.count).starts(with: "://".utf8) else { return path }
        var result: [Part] = []
        var isAuthority = true
        for part in path {
            guard isAuthority, case .literal(let bytes) = part else {
                result.append(part)
                continue
            }
            // The two slashes of the scheme are not the path's.
            let start = result.isEmpty ? scheme.count + 3 : 0
            let end = bytes[start...].firstIndex(of: ASCII.slash) ?? bytes.count
            isAuthority = end == bytes.count
            var authority = bytes[..<end].map(ASCII.lowercased)
            let isEnd = !isAuthority || result.count == path.count - 1
            if isEnd, authority.count >= ownPort.utf8.count,
                authority.suffix(ownPort.utf8.count).elementsEqual(ownPort.utf8)
            {
                authority.removeLast(ownPort.utf8.count)
            }
            result.append(.literal(authority + bytes[end...]))
        }
        if isAuthority { result.append(.literal([ASCII.slash])) }
        return result
    }
}
