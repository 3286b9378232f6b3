import TapedeckCore

/// Scans a text once, byte by byte, and finds the secrets of the built-in rules: tokens of a known form, in every text,
/// and values of fields, if this kind of text has fields; see ``TextKind``.
struct TextScanner {
    let text: UnsafeRawBufferPointer
    let rules: RedactionRules
    let context: TextContext
    var edits: [SecretEdit] = []
    /// The ranges that may be base64, from 16 characters on.
    private(set) var runs: [Range<Int>] = []

    /// The end of the last key, token and header line that was searched: they are not searched again, so that the work
    /// grows with the text and not with its square.
    private var keyEnd = 0
    private var tokenEnd = 0
    private var serviceEnd = 0
    private var runEnds = ServiceTokenPattern.RunEnds()
    var lineEnd = 0
    /// The end of the last command that was read.
    var commandEnd = 0
    /// True while values below a name in the plural are looked for.
    var isMany = false
    /// The last object that was examined for a type of keys, and the result.
    var keyObject: (range: Range<Int>, isKey: Bool) = (0..<0, false)
    /// Up to where the last parameter or assignment reaches that was a secret.
    var valueEnd = 0
    /// Up to where the last tag was read that has a name and a value.
    var tagEnd = 0
    /// The last parameter and word that were examined: everything that begins within them ends there.
    var parameterPlace = 0..<0
    var wordPlace = 0..<0
    /// Up to where a script with JSON reaches in HTML.
    var scriptEnd = 0
    /// The result of ``isExchange``, once it is known.
    var exchange: Bool?
    /// The result of ``isTokenAnswer``, once it is known.
    var tokenAnswer: Bool?
    /// The number of examined value bytes that proved not to be secrets.
    private var vainLooks = 0
    /// The maximum number of bytes of a value that are examined; the end of the value is found at any distance.
    private static let longestLook = 8192
    /// The minimum in a text full of overlapping values, such as `code=code=code=`.
    private static let shortestLook = 64

    private static let shortestRun = 16

    private static let word: UInt8 = 1
    private static let encoded: UInt8 = 2
    private static let mark: UInt8 = 4

    private static let classes: [UInt8] = (0...255).map { (byte: UInt8) -> UInt8 in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: Self.word | Self.encoded
        case 0x2B, 0x2D, 0x2F, 0x5F: Self.encoded
        case ASCII.equals: Self.encoded | Self.mark
        case ASCII.colon, 0x3C, 0x3E, 0x7E: Self.mark
        default: 0
        }
    }

    init(_ text: UnsafeRawBufferPointer, _ rules: RedactionRules, _ context: TextContext) {
        self.text = text
        self.rules = rules
        self.context = context
    }

    mutating func run() {
        // First, as the name of a field says more of a token than its look.
        if self.context.kind == .json { self.members(in: 0..<self.text.count) }
        // A field such as Location.
        if self.has(ASCII.slash, at: 0) { self.link(from: 0) }
        Self.classes.withUnsafeBufferPointer { classes in
            var previous: UInt8 = 0
            var start = -1
            for index in 0..<self.text.count {
                let kind = classes[Int(self.text[index])]
                if kind & Self.encoded != 0 {
                    if start < 0 { start = index }
                } else if start >= 0 {
                    if index - start >= Self.shortestRun { self.runs.append(start..<index) }
                    start = -1
                }
                if kind & Self.word != 0 {
                    if previous & Self.word == 0 { self.token(at: index) }
                } else if kind & Self.mark != 0 {
                    self.mark(at: index)
                }
                previous = kind
            }
            if start >= 0, self.text.count - start >= Self.shortestRun { self.runs.append(start..<self.text.count) }
        }
    }

    private mutating func mark(at index: Int) {
        switch self.text[index] {
        case ASCII.equals: self.equals(at: index)
        case ASCII.colon: self.colon(at: index)
        case 0x3C: self.tag(at: index)
        case 0x7E: self.token(at: index)
        default: self.element(endingAt: index)
        }
    }

    // MARK: Tokens

    private mutating func token(at index: Int) {
        if index >= self.serviceEnd,
            let (token, range) = self.rules.tokens.token(in: self.text, at: index, &self.runEnds)
        {
            self.serviceEnd = range.upperBound
            if self.trust == .certain || !ServiceToken.isExample(self.text[range]) {
                self.add(range, token.name, token.rule)
            }
        }
        switch self.text[index] {
        case 0x65:
            guard index >= self.tokenEnd, self.rules.isOn("jwt"), self.text.has("eyj", at: index) else {
                return
            }
            let look = JWTLook.look(in: self.text, at: index)
            self.tokenEnd = look.end
            if look.isToken { self.add(index..<look.end, "jwt", "jwt") }
        case 0x42, 0x62:
            if self.text.has("begin ", at: index) {
                self.privateKey(at: index)
            } else if self.text.has("bearer", at: index) {
                self.credentials(at: index + 6, isBasic: false)
            } else if self.text.has("basic", at: index) {
                self.credentials(at: index + 5, isBasic: true)
            }
        case 0x63 where self.has(0x75, at: index + 1): self.curl(at: index)
        case 0x6D where self.has(0x61, at: index + 1): self.netrc(at: index)
        default: break
        }
    }

    private func has(_ byte: UInt8, at index: Int) -> Bool { index < self.text.count && self.text[index] == byte }

    /// `Bearer TOKEN` in a text, and `Basic` likewise.
    private mutating func credentials(at index: Int, isBasic: Bool) {
        var start = index
        while start < self.text.count, self.text[start] == ASCII.space { start += 1 }
        guard start > index, start - index < 4, self.rules.isOn(isBasic ? "authorization" : "bearer") else { return }
        var end = start
        while end < self.text.count, TextScanner.isTokenByte(self.text[end]) { end += 1 }
        while end > start, self.text[end - 1] == 0x2E { end -= 1 }
        let value = self.text.slice(start..<end)
        if isBasic {
            guard let pair = BasicCredentials(value), pair.isPlausible, self.showsPassword(pair) else { return }
            var edit = SecretEdit(range: start..<end, value: Array(value), name: "basic", rule: "authorization")
            edit.parts = pair.parts
            self.edits.append(edit)
        } else if ValueLook.isTokenLike(value) {
            self.add(start..<end, "bearer", "bearer")
        }
    }

    /// Source code and markup show the credentials of examples.
    private func showsPassword(_ pair: BasicCredentials) -> Bool {
        guard [.code, .html, .binary].contains(self.context.kind) else { return true }
        return pair.parts.contains { ValueLook.isSecretLike($0.value, isPassword: true) }
    }

    /// RFC 6750 section 2.1, `b64token`.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || byte == 0x2B || byte == ASCII.slash || byte == ASCII.equals
    }

    /// RFC 7468, and the variants of OpenSSH and PGP. `index` is the position of `BEGIN`. A header alone, as in
    /// programs that read keys, does not count.
    private mutating func privateKey(at index: Int) {
        guard index >= self.keyEnd, self.rules.isOn("private-keys"), index >= 5, self.text.has("-----", at: index - 5)
        else { return }
        var label = index + 6
        while label < self.text.count, label - index < 64, self.text[label] != 0x2D { label += 1 }
        guard self.text.slice(index..<label).range(of: Array("PRIVATE KEY".utf8), from: 0) != nil,
            let end = PrivateKeyLook.end(in: self.text, from: label)
        else { return }
        let range = (index - 5)..<end
        self.keyEnd = end
        // In escapes it is found again without them, and that is the value.
        if self.context.depth < TextContext.depthLimit, self.text[range].contains(ASCII.backslash) { return }
        self.add(range, "private_key", "private-keys")
    }

    /// Returns true if a rule matches the value in a range, in any form.
    mutating func holds(
        _ rule: FieldRule,
        _ trust: FieldRule.Trust,
        _ range: Range<Int>,
        _ decoded: (Range<Int>) -> [UInt8]
    ) -> Bool {
        let limit = self.vainLooks > self.text.count * 16 ? Self.shortestLook : Self.longestLook
        let look = range.count > limit ? range.lowerBound..<(range.lowerBound + limit) : range
        let value = decoded(look)
        if rule.holds(value, trust) || self.isAnswered(rule, value), self.hasEvidence(rule, range, value) {
            return true
        }
        self.vainLooks += look.count
        return false
    }

    mutating func add(_ range: Range<Int>, _ name: String, _ rule: String) {
        self.edits.append(SecretEdit(range: range, value: Array(self.text[range]), name: name, rule: rule))
    }
}

/// The content of private keys in PEM (RFC 7468 section 2).
enum PrivateKeyLook {
    private static let footer = Array("-----END ".utf8)
    /// The fewest characters of base64.
    private static let shortest = 16
    /// The longest header field (RFC 1421 section 4.6), such as `DEK-Info`.
    private static let longestField = 200

    /// Returns where a key ends whose header line ends at or behind `start`, with its footer if it has one; `nil` if no
    /// base64 follows.
    static func end(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < text.count, text[index] == 0x2D { index += 1 }
        var end = index
        var count = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, ASCII.slash, ASCII.equals:
                var wordEnd = index
                while wordEnd < text.count,
                    ByteClass.url.contains(text[wordEnd]) || text[wordEnd] == 0x2B
                        || text[wordEnd] == ASCII.slash || text[wordEnd] == ASCII.equals
                {
                    if text[wordEnd] == 0x2D, text.has("-----end ", at: wordEnd) { break }
                    wordEnd += 1
                }
                if count == 0, wordEnd < text.count, text[wordEnd] == ASCII.colon {
                    index = Self.endOfField(text, wordEnd)
                    continue
                }
                // Prose behind the header, or behind a key that breaks off.
                if count > 0, wordEnd < text.count, wordEnd - index < 16, text[wordEnd] == ASCII.space {
                    return count >= Self.shortest ? end : nil
                }
                count += wordEnd - index
                index = wordEnd
                end = wordEnd
            case 0...ASCII.space: index += 1
            case ASCII.backslash: index += 2
            case 0x2D:
                guard text[index...].prefix(Self.footer.count).elementsEqual(Self.footer) else {
                    return count >= Self.shortest ? end : nil
                }
                end = index + Self.footer.count
                while end < text.count, text[end] != 0x2D { end += 1 }
                while end < text.count, text[end] == 0x2D { end += 1 }
                return count >= Self.shortest ? end : nil
            default: return count >= Self.shortest ? end : nil
            }
        }
        return count >= Self.shortest ? end : nil
    }

    private static func endOfField(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start
        while end < text.count, end - start < Self.longestField, text[end] != ASCII.lineFeed {
            // A line end in escapes.
            if text[end] == ASCII.backslash, end + 1 < text.count, text[end + 1] == 0x6E { break }
            end += 1
        }
        return end
    }
}
