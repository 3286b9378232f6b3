import TapedeckCore

/// `Set-Cookie` fields that a recorder wrote as one value with commas between them, which no client can read.
enum JoinedCookies {
    /// The reason for a note on fields that ``split(_:)`` has changed.
    static let note = "Set-Cookie fields that the recorder joined are split again at their commas"

    /// Splits such fields. A comma in quotes, and one that no name and `=` follow, such as that of a date, ends no cookie.
    ///
    /// - Returns: true if a field was split.
    static func split(_ fields: inout [HeaderField]) -> Bool {
        let count = fields.count
        fields = fields.flatMap { field -> [HeaderField] in
            guard field.isNamed("set-cookie") else { return [field] }
            return self.values(of: field.value).map { HeaderField(field.name, $0) }
        }
        return fields.count != count
    }

    private static func values(of text: String) -> [String] {
        var values: [String] = []
        let bytes = Array(text.utf8)
        var start = 0
        var isQuoted = false
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard bytes[index] == UInt8(ascii: ","), !isQuoted, self.isName(bytes[(index + 1)...]) else { continue }
            values.append(String(decoding: bytes[start..<index], as: UTF8.self))
            start = index + 1
        }
        values.append(String(decoding: bytes[start...], as: UTF8.self))
        return values
    }

    /// True if a text begins with a name and `=`, after spaces or at once.
    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.drop { $0 == 0x20 }.prefix(256)
        let length = name.prefix(while: ASCII.isToken).count
        return length > 0 && name.dropFirst(length).first == UInt8(ascii: "=")
    }
}
