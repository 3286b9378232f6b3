import TapedeckCore

/// The secrets of a table in comma-separated values (RFC 4180), or with tabs or semicolons: columns whose name is that of a secret.
enum TableLook {
    static func isTable(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = ASCII.lowercased(String(contentType.prefix { $0 != ";" }))
        return type.contains("csv") || type.contains("tab-separated")
    }

    static func edits(in text: UnsafeRawBufferPointer, _ rules: RedactionRules, isRequest: Bool) -> [SecretEdit] {
        var index = 0
        let head = text.slice(0..<(text.index(of: ASCII.lineFeed, from: 0) ?? text.count))
        let separator = [ASCII.comma, ASCII.semicolon, ASCII.tab].max { one, other in
            head.count { $0 == one } < head.count { $0 == other }
        }
        guard let separator else { return [] }
        let titles = Self.row(of: text, from: &index, separator)
        let columns = titles.map { rules.field(text.slice($0), .json) }
        let names = columns.indices.filter { columns[$0] != nil }
        guard !names.isEmpty else { return [] }
        var edits: [SecretEdit] = []
        while index < text.count {
            let row = Self.row(of: text, from: &index, separator)
            for column in names where column < row.count {
                guard let (rule, part) = columns[column], rule.condition != .exchange,
                    rule.holds(text[row[column]], isRequest ? .certain : .data)
                else { continue }
                let name = FieldName.placeholder(text.slice(titles[column])[part])
                edits.append(SecretEdit(range: row[column], value: Array(text[row[column]]), name: name, rule: rule.id))
            }
        }
        return edits
    }

    /// The cells of a row without their quotation marks, and moves to the next one.
    private static func row(
        of text: UnsafeRawBufferPointer,
        from index: inout Int,
        _ separator: UInt8
    ) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        while true {
            var start = index
            var end = start
            if start < text.count, text[start] == ASCII.quote {
                start += 1
                end = start
                while end < text.count, text[end] != ASCII.quote || text.has("\"\"", at: end) {
                    end += text[end] == ASCII.quote ? 2 : 1
                }
                end = min(end, text.count)
                index = min(end + 1, text.count)
            }
            while index < text.count, text[index] != separator, text[index] != ASCII.lineFeed { index += 1 }
            if end == start, start == 0 || text[start - 1] != ASCII.quote { end = index }
            if end > start, text[end - 1] == ASCII.carriageReturn { end -= 1 }
            cells.append(HeaderLook.trimmed(text, start..<end))
            guard index < text.count else { return cells }
            index += 1
            if text[index - 1] == ASCII.lineFeed { return cells }
        }
    }
}
