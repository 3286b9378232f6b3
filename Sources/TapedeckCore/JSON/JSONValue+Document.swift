extension JSONValue {
    /// The object or list whose JSON is the whole of a string, as clients put documents into strings; `nil` for other texts.
    static func document(in text: String) -> JSONValue? {
        let bytes = text.utf8
        guard let first = bytes.first(where: { $0 > ASCII.space }),
            first == ASCII.openBrace || first == ASCII.openBracket,
            let last = bytes.last(where: { $0 > ASCII.space }),
            last == ASCII.closeBrace || last == ASCII.closeBracket
        else { return nil }
        return try? JSONValue(parsing: Array(bytes))
    }

    /// JSON in one spelling: without white space, members sorted by name, of members of one name the last.
    var canonicalText: [UInt8] {
        var bytes: [UInt8] = []
        self.appendCanonicalText(to: &bytes)
        return bytes
    }

    private func appendCanonicalText(to bytes: inout [UInt8]) {
        switch self {
        case .null, .bool: self.appendText(to: &bytes)
        case .string(let text):
            guard let document = JSONValue.document(in: text) else { return self.appendText(to: &bytes) }
            JSONValue.appendQuoted(ByteText.string(from: document.canonicalText), to: &bytes)
        case .number(let number): number.appendCanonical(to: &bytes)
        case .array(let items):
            bytes.append(ASCII.openBracket)
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(ASCII.comma) }
                item.appendCanonicalText(to: &bytes)
            }
            bytes.append(ASCII.closeBracket)
        case .object(let members):
            bytes.append(ASCII.openBrace)
            let sorted = JSONMembers(members).counting.sorted { $0.name.precedesText($1.name) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(ASCII.comma) }
                JSONValue.appendQuoted(member.name, to: &bytes)
                bytes.append(ASCII.colon)
                member.value.appendCanonicalText(to: &bytes)
            }
            bytes.append(ASCII.closeBrace)
        }
    }
}
