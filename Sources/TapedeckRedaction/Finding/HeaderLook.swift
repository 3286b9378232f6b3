import TapedeckCore

/// Header fields whose values have a structure of their own: credentials and cookies.
enum HeaderLook {
    /// Returns true if the field is one of those; names know no case.
    static func isSpecial(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 6: name.has("cookie", at: 0)
        case 10: name.has("set-cookie", at: 0)
        case 13: name.has("authorization", at: 0)
        // Also `X-Authorization`, `Grpc-Metadata-Authorization` and other copies that proxies make.
        default: name.count > 14 && name.has("-authorization", at: name.count - 14)
        }
    }

    /// Returns the secrets in the value of such a field.
    ///
    /// - Parameter trust: a text that shows the field may as well describe it; then the values must look like tokens.
    static func edits(
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        _ rules: RedactionRules,
        _ trust: FieldRule.Trust
    ) -> [SecretEdit] {
        let edits: [SecretEdit]
        switch name.count {
        case 6, 10: edits = rules.isOn("cookies") ? Self.cookies(value, isSet: name.count == 10) : []
        default:
            edits = rules.isOn("authorization") ? Self.authorization(value, FieldName.placeholder(name)) : []
        }
        if trust == .certain { return edits }
        return edits.filter { ValueLook.isTokenLike($0.value) || !$0.parts.isEmpty }
    }

    /// RFC 9110 section 11.6.2. The scheme stays, and what follows it is the secret, so that the same token elsewhere
    /// has the same placeholder.
    private static func authorization(_ value: UnsafeRawBufferPointer, _ name: String) -> [SecretEdit] {
        let range = Self.trimmed(value, 0..<value.count)
        guard !range.isEmpty else { return [] }
        let space = value.index(of: ASCII.space, from: range.lowerBound) ?? range.upperBound
        var rest = Self.trimmed(value, min(space, range.upperBound)..<range.upperBound)
        let scheme = value.slice(range.lowerBound..<min(space, range.upperBound))
        let isScheme = scheme.count <= 24 && scheme.allSatisfy { TextScanner.isNameByte($0) && $0 < 0x80 }
        if rest.isEmpty || !isScheme { rest = range }
        // AWS Signature Version 4: the signed values are not secret, and they distinguish requests.
        if scheme.has("aws4-", at: 0) {
            let parts = Self.parameters(value, rest, ["Credential", "Signature"])
            if !parts.isEmpty { return parts }
        }
        var edit = SecretEdit(range: rest, value: Array(value[rest]), name: name, rule: "authorization")
        if scheme.has("basic", at: 0), let pair = BasicCredentials(value.slice(rest)) { edit.parts = pair.parts }
        return [edit]
    }

    private static func parameters(
        _ value: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        _ names: [String]
    ) -> [SecretEdit] {
        names.compactMap { name in
            guard let found = value.range(of: Array("\(name)=".utf8), from: range.lowerBound) else { return nil }
            var end = found.upperBound
            while end < range.upperBound, value[end] != ASCII.comma, value[end] != ASCII.space { end += 1 }
            return SecretEdit(
                range: found.upperBound..<end,
                value: Array(value[found.upperBound..<end]),
                name: "amz_\(ASCII.lowercased(name))",
                rule: "aws"
            )
        }
    }

    /// RFC 6265 sections 4.1.1 and 4.2.1: the values of cookies with the name or the look of a credential; names and
    /// attributes stay, and so do all other cookies.
    private static func cookies(_ value: UnsafeRawBufferPointer, isSet: Bool) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var start = 0
        while start < value.count {
            let end = value.index(of: ASCII.semicolon, from: start) ?? value.count
            if let equals = value.slice(0..<end).index(of: ASCII.equals, from: start) {
                let name = Self.trimmed(value, start..<equals)
                var range = Self.trimmed(value, (equals + 1)..<end)
                if range.count >= 2, value[range.lowerBound] == ASCII.quote, value[range.upperBound - 1] == ASCII.quote
                {
                    range = (range.lowerBound + 1)..<(range.upperBound - 1)
                }
                let decoded = DecodedText(percent: value, range, plusIsSpace: false)
                let isSecret =
                    !ValueLook.isNothing(decoded.bytes)
                    && (CookieLook.namesCredential(value.slice(name)) || CookieLook.isCredential(decoded.bytes))
                if isSecret {
                    var edit = SecretEdit(range: range, value: decoded.bytes, name: "", rule: "cookies")
                    edit.name = name.isEmpty ? "cookie" : FieldName.placeholder(value[name])
                    if decoded.bytes.count != range.count { edit.form = .percent }
                    edits.append(edit)
                }
            }
            if isSet { break }
            start = end + 1
        }
        return edits
    }

    /// The secrets among the quoted parameters of any other field, `token="…", page="2"` (RFC 9110 section 5.6.6): their
    /// names say so, and their values look random.
    static func parameters(_ value: UnsafeRawBufferPointer, _ rules: RedactionRules) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var index = 0
        while index < value.count, let equals = value.index(of: ASCII.equals, from: index) {
            index = equals + 1
            guard index < value.count, value[index] == ASCII.quote,
                let end = value.index(of: ASCII.quote, from: index + 1)
            else { continue }
            let range = (index + 1)..<end
            index = end + 1
            var start = equals
            while start > 0, TextScanner.isNameByte(value[start - 1]) { start -= 1 }
            let name = value.slice(start..<equals)
            // A code counts only in an OAuth exchange, which a single field does not show.
            guard let (rule, part) = rules.field(name, .assignment), rule.condition != .exchange,
                rule.holds(value[range], .text)
            else { continue }
            let called = FieldName.placeholder(name[part])
            edits.append(SecretEdit(range: range, value: Array(value[range]), name: called, rule: rule.id))
        }
        return edits
    }

    static func trimmed(_ value: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, value[start] == ASCII.space || value[start] == ASCII.tab { start += 1 }
        while end > start, value[end - 1] == ASCII.space || value[end - 1] == ASCII.tab { end -= 1 }
        return start..<end
    }
}

/// Tells cookies that are credentials from those that hold a language, a theme or an id.
enum CookieLook {
    private static let parts = SecretWord.words(in: .cookie).map { Array($0.description.utf8) }

    /// Returns true if a cookie of this name contains a credential: `sid`, `PHPSESSID`, `auth_token`, `remember_me`.
    static func namesCredential(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count <= 96 else { return false }
        let lower = name.map { ASCII.lowercased($0) }
        return lower.withUnsafeBytes { lower in
            if Self.parts.contains(where: { lower.range(of: $0, from: 0) != nil }) { return true }
            if lower.has("sid", at: lower.count - 3) || lower.has("sid", at: 0) && lower.count <= 4 { return true }
            // `auth` and `oauth_state`, but not `author`.
            var index = 0
            let auth = Array("auth".utf8)
            while let found = lower.range(of: auth, from: index) {
                if !lower.has("or", at: found.upperBound) { return true }
                index = found.upperBound
            }
            return false
        }
    }

    /// Returns true if a value looks like a session or a token, whatever the cookie's name: a JWT, a random key, or 24
    /// characters that are as random. UUIDs are ids and do not count.
    static func isCredential(_ value: [UInt8]) -> Bool {
        guard value.count >= 16, !value.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return false }
        if value.withUnsafeBytes({ JWTLook.end(in: $0, at: 0) != nil }) { return true }
        if ValueLook.isUUID(value) { return false }
        let bits = Randomness.bits(value)
        // A value in JSON begins as a placeholder does, so that a run in it is enough.
        let isKey = ValueLook.hasMixedRun(value, of: 16) || ValueLook.isKeyLike(value)
        return isKey && bits >= ValueLook.unmistakableBits || value.count >= 24 && bits >= 96
    }
}

/// The parts of Basic credentials (RFC 7617 section 2).
struct BasicCredentials {
    /// The password; the user too where it looks like a key, as some services have it.
    let parts: [SecretEdit.Part]
    /// False for credentials that a word of prose may be by chance, such as `Operations`: without a user, or a password of
    /// some length, or with bytes that are no text.
    let isPlausible: Bool

    /// Returns `nil` if the text is not base64 of `user:password`.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count >= 4, let pair = Base64.decodeEither(text), let colon = pair.firstIndex(of: ASCII.colon),
            !pair.contains(where: { $0 < 0x20 })
        else { return nil }
        var parts: [SecretEdit.Part] = []
        let password = pair[(colon + 1)...]
        let user = pair[..<colon]
        if !ValueLook.isNothing(password) { parts.append(.init(value: Array(password), name: "password")) }
        if ValueLook.isTokenLike(user, atLeast: 16) { parts.append(.init(value: Array(user), name: "user")) }
        self.parts = parts
        let isText = String(validating: pair, as: UTF8.self) != nil && !pair.contains(0x7F)
        self.isPlausible =
            isText && password.count >= 3 && (!user.isEmpty || ValueLook.isTokenLike(password, atLeast: 16))
    }
}
