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

    /// The spelling in which JSON is compared, with all that it has: see ``JSONComparison/canonical(_:)``.
    var canonicalText: [UInt8] {
        var bytes: [UInt8] = []
        JSONComparison().appendCanonical(self, to: &bytes)
        return bytes
    }
}
