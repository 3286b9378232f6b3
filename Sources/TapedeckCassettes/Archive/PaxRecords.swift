/// The records of a pax header about the entry that follows.
struct PaxRecords {
    private var values: [String: String] = [:]

    init() {}

    /// - Parameter content: records of the form `LENGTH KEY=VALUE`, each with a line feed at its end.
    init(_ content: [UInt8]) throws(ArchiveError) {
        var rest = content[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            guard digits.count < 10, let length = Int(String(decoding: digits, as: UTF8.self)), length <= rest.count,
                length > digits.count + 2, rest[rest.startIndex + length - 1] == UInt8(ascii: "\n")
            else { throw TarHeader.damaged }
            let record = rest.prefix(length - 1).dropFirst(digits.count + 1)
            rest = rest.dropFirst(length)
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { throw TarHeader.damaged }
            let key = String(decoding: record[..<equals], as: UTF8.self)
            let value = String(validating: record[(equals + 1)...], as: UTF8.self)
            // Attributes of a file may be any bytes, and are ignored here.
            guard value != nil || key != "path" else { throw ArchiveError("a name in the archive is no UTF-8") }
            self.values[key] = value
        }
    }

    subscript(key: String) -> String? { self.values[key] }

    var isEmpty: Bool { self.values.isEmpty }

    /// True if the content is stored without its holes.
    var isSparse: Bool { self.values.keys.contains { $0.hasPrefix("GNU.sparse.") } }
}
