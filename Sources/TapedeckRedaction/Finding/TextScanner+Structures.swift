import TapedeckCore

/// Secrets that the structure of JSON tells: values below the name of a secret, lists of names and values, and private keys of
/// JSON Web Keys.
extension TextScanner {
    /// The depth below a name, and the number of bytes behind it, within which its values are looked for.
    private static let nestedDepth = 3
    private static let nestedSize = 16 << 10

    /// Members whose value is that of the object around them: `"client_secret": {"value": …}`, `"password": {"new": …}`.
    private static let valueNames = Self.hashes(
        "value val values new old current previous next plain plaintext raw cleartext secret token key string data content code"
    )
    /// Members that name what the member after them has: `{"name": "DB_PASSWORD", "value": …}`.
    private static let namingNames = Self.hashes("name key variable field header parameter_key option_name env_name")
    private static let namedNames = Self.hashes(
        "value val option_value string_value parameter_value default_value content"
    )
    /// Private members of a JSON Web Key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1; RFC 8037 section 2).
    private static let privateMembers = Self.hashes("d p q dp dq qi k")

    private static func hashes(_ names: String) -> Set<UInt64> {
        Set(names.split(separator: " ").map { FieldName.hash($0.utf8) })
    }

    // MARK: Below a name

    /// The rule for a name in the plural: `tokens`, `api_keys`.
    func rule(ofMany name: UnsafeRawBufferPointer) -> (rule: FieldRule, part: Range<Int>)? {
        guard Self.isPlural(name), let found = self.rules.field(name.slice(0..<(name.count - 1)), .json),
            // Accounts of other services have keys that are public.
            found.rule.id != "azure"
        else { return nil }
        return found
    }

    private static func isPlural(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count > 3 && ASCII.lowercased(name[name.count - 1]) == 0x73
    }

    /// The values of a list or an object whose name is that of a secret.
    ///
    /// - Parameter isMany: true for a name in the plural, such as `tokens`: an object below it has them by names.
    mutating func nested(_ name: [UInt8], _ rule: FieldRule, at start: Int, isMany: Bool) {
        var cursor = JSONCursor(self.text)
        cursor.index = start
        cursor.end = min(self.text.count, start + Self.nestedSize)
        // Not words of a language: `"passwords": {"title": …}`.
        var rule = rule
        self.isMany = isMany && start < self.text.count && self.text[start] == ASCII.openBrace
        if self.isMany, rule.condition == .any { rule.condition = .tokenLike }
        self.nested(name, rule, &cursor, isValue: false, depth: 0)
    }

    private mutating func nested(
        _ name: [UInt8],
        _ rule: FieldRule,
        _ cursor: inout JSONCursor,
        isValue: Bool,
        depth: Int
    ) {
        cursor.skipSpace()
        switch cursor.byte {
        case ASCII.quote:
            let range = cursor.string()
            if isValue, range.upperBound < cursor.end { self.secret(name, rule, range) }
        case ASCII.openBracket: self.items(name, rule, &cursor, closedBy: ASCII.closeBracket, depth: depth)
        case ASCII.openBrace: self.items(name, rule, &cursor, closedBy: ASCII.closeBrace, depth: depth)
        default:
            while let byte = cursor.byte, byte != ASCII.comma, byte != ASCII.closeBrace, byte != ASCII.closeBracket {
                cursor.index += 1
            }
        }
    }

    private mutating func items(
        _ name: [UInt8],
        _ rule: FieldRule,
        _ cursor: inout JSONCursor,
        closedBy close: UInt8,
        depth: Int
    ) {
        guard depth < Self.nestedDepth else {
            cursor.index = cursor.end
            return
        }
        cursor.index += 1
        while true {
            cursor.skipSpace()
            guard let byte = cursor.byte, byte != close else { break }
            var isValue = true
            if close == ASCII.closeBrace {
                guard byte == ASCII.quote else {
                    cursor.index = cursor.end
                    return
                }
                let member = cursor.string()
                isValue = Self.valueNames.contains(FieldName.hash(self.text[member])) || self.isMany && depth == 0
                cursor.skipSpace()
                if cursor.byte == ASCII.colon { cursor.index += 1 }
            }
            let start = cursor.index
            self.nested(name, rule, &cursor, isValue: isValue, depth: depth + 1)
            cursor.skipSpace()
            if cursor.byte == ASCII.comma { cursor.index += 1 }
            // Whatever the text, never the same place twice.
            if cursor.index == start { cursor.index += 1 }
        }
        cursor.index = min(cursor.index + 1, cursor.end)
    }

    // MARK: Names and values

    /// The value that a member names by its own value.
    mutating func named(_ member: UnsafeRawBufferPointer, _ range: Range<Int>) {
        // Nearly all members end here.
        guard Self.mayName(member), Self.namingNames.contains(FieldName.hash(member)), !range.isEmpty,
            range.count <= Self.longestName
        else { return }
        let name = self.text.slice(range)
        let isSpecial = HeaderLook.isSpecial(name)
        let found = self.rules.field(name, .json) ?? self.rule(ofMany: name) ?? self.rules.field(name, .header)
        guard isSpecial || found != nil else { return }
        guard let value = self.valueMember(behind: range) ?? self.valueMember(before: range) else { return }
        if isSpecial { return self.headerValue(name, value) }
        guard let (rule, part) = found else { return }
        // A form says so of its fields, too.
        let isSetting = EnvironmentName.isOne(name) || self.context.isRequest
        guard isSetting || ValueLook.isTokenLike(self.text[value]) else { return }
        self.secret(Array(name[part]), rule, value)
    }

    /// True for a member that ends as one of ``namingNames`` does.
    private static func mayName(_ member: UnsafeRawBufferPointer) -> Bool {
        guard (3...16).contains(member.count) else { return false }
        switch ASCII.lowercased(member[member.count - 1]) {
        // name, variable; key; field; header.
        case 0x65, 0x79, 0x64, 0x72: return true
        default: return false
        }
    }

    /// The string of the member for the value, behind the one that names it.
    private func valueMember(behind range: Range<Int>) -> Range<Int>? {
        var cursor = JSONCursor(self.text)
        cursor.index = range.upperBound + 1
        // A few flags may stand between the two.
        for _ in 0..<6 {
            cursor.skipSpace()
            guard cursor.byte == ASCII.comma else { return nil }
            cursor.index += 1
            guard let (next, value) = Self.member(&cursor) else { return nil }
            if Self.namedNames.contains(FieldName.hash(self.text[next])) { return value }
        }
        return nil
    }

    /// The string of the member for the value, in front of the one that names it; in an object without others in it.
    private func valueMember(before range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        while start > 0, range.lowerBound - start < 1024, self.text[start] != ASCII.openBrace {
            if self.text[start] == ASCII.closeBrace { return nil }
            start -= 1
        }
        guard self.text[start] == ASCII.openBrace else { return nil }
        var cursor = JSONCursor(self.text)
        cursor.index = start + 1
        while cursor.index < range.lowerBound, let (next, value) = Self.member(&cursor),
            next.upperBound < range.lowerBound
        {
            if Self.namedNames.contains(FieldName.hash(self.text[next])) { return value }
            cursor.skipSpace()
            guard cursor.byte == ASCII.comma else { return nil }
            cursor.index += 1
        }
        return nil
    }

    /// Reads a member; its value is `nil` if that is no string. `nil` for an object or a list, and for what is no member.
    private static func member(_ cursor: inout JSONCursor) -> (name: Range<Int>, value: Range<Int>?)? {
        cursor.skipSpace()
        guard cursor.byte == ASCII.quote else { return nil }
        let name = cursor.string()
        cursor.skipSpace()
        guard cursor.byte == ASCII.colon else { return nil }
        cursor.index += 1
        cursor.skipSpace()
        if cursor.byte == ASCII.quote { return (name, cursor.string()) }
        guard cursor.byte != ASCII.openBrace, cursor.byte != ASCII.openBracket else { return nil }
        while let byte = cursor.byte, byte != ASCII.comma, byte != ASCII.closeBrace { cursor.index += 1 }
        return (name, nil)
    }

    // MARK: Keys

    /// A private member of a JSON Web Key.
    mutating func privateMember(_ member: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard member.count <= 2, range.count >= 16, member.allSatisfy({ "dpqik".utf8.contains($0 | 0x20) }),
            self.rules.isOn("private-keys"),
            Self.privateMembers.contains(FieldName.hash(member)), self.text[range].allSatisfy(ByteClass.url.contains),
            self.isInKey(range)
        else { return }
        self.add(range, "jwk_\(String(decoding: member, as: UTF8.self))", "private-keys")
    }

    /// Returns true if the object around a member has a type of keys.
    private mutating func isInKey(_ range: Range<Int>) -> Bool {
        if self.keyObject.range.contains(range.lowerBound) { return self.keyObject.isKey }
        let limit = 8192
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, range.lowerBound - start < limit, self.text[start] != ASCII.openBrace { start -= 1 }
        while end < self.text.count, end - range.upperBound < limit, self.text[end] != ASCII.closeBrace { end += 1 }
        let object = self.text.slice(start..<end)
        let isKey =
            object.range(of: Array("\"kty\"".utf8), from: 0) != nil
            && Self.keyTypes.contains { object.range(of: $0, from: 0) != nil }
        self.keyObject = (start..<max(end, start + 1), isKey)
        return isKey
    }

    /// RFC 7518 section 6.1, RFC 8037 section 2.
    private static let keyTypes = ["\"EC\"", "\"RSA\"", "\"oct\"", "\"OKP\""].map { Array($0.utf8) }

    // MARK: -

    /// Adds the string of a range if it has the look that its rule asks for.
    private mutating func secret(_ name: [UInt8], _ rule: FieldRule, _ range: Range<Int>) {
        let text = self.text
        guard self.holds(rule, self.trust, range, { DecodedText(json: text, $0).bytes }) else { return }
        let decoded = DecodedText(json: text, range)
        var edit = SecretEdit(range: range, value: decoded.bytes, name: FieldName.placeholder(name), rule: rule.id)
        if decoded.bytes.count != range.count { edit.form = .json }
        self.edits.append(edit)
    }
}
