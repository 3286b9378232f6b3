import TapedeckCore

/// Secrets that the structure of JSON tells: values below the name of a secret, lists of names and values, and private keys of
/// JSON Web Keys.
extension TextScanner {
    /// The depth below a name, and the number of bytes behind it, within which its values are looked for.
    private static let nestedDepth = 3
    private static let nestedSize = 16 << 10

    /// Members whose value is that of the object around them: `"client_secret": {"value": …}`, `"password": {"new": …}`.
    private static let valueNames = Self.hashes(
        "value val values new old current previous next plain plaintext raw cleartext secret token key string data data content"
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

    /// The rule for a name, also in the plural: `tokens`, `api_keys`.
    func rule(ofList name: UnsafeRawBufferPointer) -> (rule: FieldRule, part: Range<Int>)? {
        if let found = self.rules.field(name, .json) { return found }
        guard name.count > 3, ASCII.lowercased(name[name.count - 1]) == 0x73 else { return nil }
        return self.rules.field(name.slice(0..<(name.count - 1)), .json)
    }

    /// The values of a list or an object whose name is that of a secret.
    mutating func nested(_ name: [UInt8], _ rule: FieldRule, at start: Int) {
        var cursor = JSONCursor(self.text)
        cursor.index = start
        cursor.end = min(self.text.count, start + Self.nestedSize)
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
                isValue = Self.valueNames.contains(FieldName.hash(self.text[member]))
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
        guard Self.namingNames.contains(FieldName.hash(member)), !range.isEmpty, range.count <= Self.longestName else {
            return
        }
        let name = self.text.slice(range)
        let isSpecial = HeaderLook.isSpecial(name)
        let found = self.rule(ofList: name) ?? self.rules.field(name, .header)
        guard isSpecial || found != nil else { return }
        var cursor = JSONCursor(self.text)
        cursor.index = range.upperBound + 1
        // A few flags may stand between the two.
        for _ in 0..<6 {
            cursor.skipSpace()
            guard cursor.byte == ASCII.comma else { return }
            cursor.index += 1
            cursor.skipSpace()
            guard cursor.byte == ASCII.quote else { return }
            let next = cursor.string()
            cursor.skipSpace()
            guard cursor.byte == ASCII.colon else { return }
            cursor.index += 1
            cursor.skipSpace()
            let isValue = Self.namedNames.contains(FieldName.hash(self.text[next]))
            guard cursor.byte == ASCII.quote else {
                guard !isValue, cursor.byte != ASCII.openBrace, cursor.byte != ASCII.openBracket else { return }
                while let byte = cursor.byte, byte != ASCII.comma, byte != ASCII.closeBrace { cursor.index += 1 }
                continue
            }
            let value = cursor.string()
            guard isValue else { continue }
            if isSpecial { return self.headerValue(name, value) }
            if let (rule, part) = found { self.secret(Array(name[part]), rule, value) }
            return
        }
    }

    // MARK: Keys

    /// A private member of a JSON Web Key.
    mutating func privateMember(_ member: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard member.count <= 2, range.count >= 16, self.rules.isOn("private-keys"),
            Self.privateMembers.contains(FieldName.hash(member)), self.text[range].allSatisfy(ByteClass.url.contains),
            self.isInKey(range)
        else { return }
        self.add(range, "jwk_\(String(decoding: member, as: UTF8.self))", "private-keys")
    }

    /// Returns true if the object around a member has a type of keys.
    private func isInKey(_ range: Range<Int>) -> Bool {
        let limit = 8192
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, range.lowerBound - start < limit, self.text[start] != ASCII.openBrace { start -= 1 }
        while end < self.text.count, end - range.upperBound < limit, self.text[end] != ASCII.closeBrace { end += 1 }
        return self.text.slice(start..<end).range(of: Array("\"kty\"".utf8), from: 0) != nil
    }

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
