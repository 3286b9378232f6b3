import TapedeckCore

/// The evidence that a place gives for its values.
extension TextScanner {
    /// The trust in this text's field names.
    var trust: FieldRule.Trust {
        switch self.context.kind {
        case .message: .certain
        case .json, .looseJSON, .graphQL, .form, .xml, .assignments: self.context.isRequest ? .certain : .data
        case .html: .data
        case .plain, .code, .binary: .text
        }
    }

    /// The trust in names of parameters of a form or of a URL in the text.
    var parameterTrust: FieldRule.Trust {
        if self.context.isURL || self.context.isForm { return self.context.isURL ? .certain : self.trust }
        switch self.context.kind {
        case .message: return .certain
        case .json, .looseJSON, .graphQL, .xml, .assignments: return .data
        default: return .text
        }
    }

    /// Returns true if the neighbour that a rule requires is present.
    mutating func hasEvidence(_ rule: FieldRule, _ range: Range<Int>, _ value: [UInt8]) -> Bool {
        switch rule.condition {
        case .exchange: self.context.isURL || self.context.kind == .message || self.isExchange
        case .sharedAccess:
            self.isSharedAccess(range) || (self.context.isURL && ValueLook.isKeyLike(value))
        default: true
        }
    }

    private static let exchangeNames = [
        "grant_type", "redirect_uri", "response_type", "code_verifier", "code_challenge", "client_secret",
        "session_state", "access_token", "id_token", "device_code",
    ].map { Array($0.utf8) }

    /// True if the text is part of an OAuth exchange: it has parameter names that occur nowhere else (RFC 6749 appendix
    /// A).
    private var isExchange: Bool {
        mutating get {
            if let known = self.exchange { return known }
            let found = Self.exchangeNames.contains { self.text.range(of: $0, from: 0) != nil }
            self.exchange = found
            return found
        }
    }

    /// Returns true for the token of a token response, whatever it looks like.
    mutating func isAnswered(_ rule: FieldRule, _ value: [UInt8]) -> Bool {
        guard rule.id == "oauth", rule.condition == .any, value.count >= 3, !ValueLook.isNothing(value),
            !ValueLook.isStandIn(value), value.allSatisfy({ Self.isTokenByte($0) }), self.trust == .data
        else { return false }
        return self.isTokenAnswer
    }

    /// True if the text is a token response (RFC 6749 section 5.1): it has a lifetime in digits or a known type of
    /// token in addition to the token.
    private var isTokenAnswer: Bool {
        mutating get {
            if let known = self.tokenAnswer { return known }
            let found = self.hasDigits(behind: "expires_in") || self.hasTokenType
            self.tokenAnswer = found
            return found
        }
    }

    private func hasDigits(behind name: String) -> Bool {
        guard let place = self.text.range(of: Array(name.utf8), from: 0) else { return false }
        var index = place.upperBound
        while index < self.text.count, [ASCII.quote, ASCII.space, ASCII.colon, ASCII.equals].contains(self.text[index])
        {
            index += 1
        }
        return index < self.text.count && (0x30...0x39).contains(self.text[index])
    }

    private var hasTokenType: Bool {
        guard let place = self.text.range(of: Array("token_type".utf8), from: 0) else { return false }
        var index = place.upperBound
        while index < self.text.count, [ASCII.quote, ASCII.space, ASCII.colon, ASCII.equals].contains(self.text[index])
        {
            index += 1
        }
        return ["bearer", "mac", "dpop"].contains { (word: StaticString) in self.text.has(word, at: index) }
    }

    /// Shared access signatures have their version, their expiry or their permissions in the same query.
    private func isSharedAccess(_ range: Range<Int>) -> Bool {
        var (start, end) = (range.lowerBound, range.upperBound)
        func isPart(_ byte: UInt8) -> Bool {
            byte > ASCII.space && byte != ASCII.quote && byte != 0x27 && byte != 0x3C && byte != 0x3E
        }
        while start > 0, range.lowerBound - start < 2048, isPart(self.text[start - 1]) { start -= 1 }
        while end < self.text.count, end - range.upperBound < 2048, isPart(self.text[end]) { end += 1 }
        var index = start
        while let equals = self.text.index(of: ASCII.equals, from: index), equals < end {
            index = equals + 1
            guard equals - start >= 2, self.text[equals - 2] == 0x73 else { continue }
            let before = equals - start > 2 ? self.text[equals - 3] : ASCII.ampersand
            guard !Self.isNameByte(before) else { continue }
            switch self.text[equals - 1] {
            case 0x65, 0x70, 0x76: return true
            default: continue
            }
        }
        return false
    }

    // MARK: Credentials in URLs

    private static let words: Set<String> = [
        "password", "passwd", "passw", "pass", "pwd", "secret", "user", "username", "token", "test", "foo", "bar", "pw",
    ]

    /// Credentials in the authority of a URL (RFC 3986 section 3.2.1): the password; a user alone if it looks like a token.
    mutating func authority(at start: Int) {
        let text = self.text
        var end = start
        while end < text.count, text[end] > 0x20, !Self.endsOfAuthorities.contains(text[end]) { end += 1 }
        self.link(from: end)
        guard self.rules.isOn("url-credentials") else { return }
        // The last one: a password may hold others.
        guard let at = text[start..<end].lastIndex(of: ASCII.at) else { return }
        let user = text[start..<end].firstIndex(of: ASCII.at) ?? at
        let colon = text[start..<user].firstIndex(of: ASCII.colon)
        if let colon {
            self.credential((colon + 1)..<at, "password")
            if ValueLook.isTokenLike(self.text[start..<colon], atLeast: 16) { self.credential(start..<colon, "user") }
        } else if ValueLook.isTokenLike(self.text[start..<at], atLeast: 16) {
            self.credential(start..<at, "token")
        }
    }

    /// Bytes that the user information of a URL never holds unescaped.
    private static let endsOfAuthorities = ByteClass("/?#\"<>\\'`")

    private mutating func credential(_ range: Range<Int>, _ name: String) {
        let decoded = DecodedText(percent: self.text, range, plusIsSpace: false)
        guard self.isCredential(decoded.bytes) else { return }
        var edit = SecretEdit(range: range, value: decoded.bytes, name: name, rule: "url-credentials")
        if decoded.bytes.count != range.count { edit.form = .percent }
        self.edits.append(edit)
    }

    /// The password of a URL that a text shows may be that of an example.
    private func isCredential(_ value: [UInt8]) -> Bool {
        guard !ValueLook.isNothing(value) else { return false }
        if self.context.isURL || self.trust == .certain { return true }
        guard !ValueLook.isStandIn(value) else { return false }
        if self.trust == .data, self.context.kind != .html {
            return value.count >= 4 && !Self.words.contains(ASCII.lowercased(String(decoding: value, as: UTF8.self)))
        }
        return ValueLook.isSecretLike(value, isPassword: true)
    }
}
