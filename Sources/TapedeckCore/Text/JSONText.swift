/// A value that Tapedeck itself says as JSON: the bodies of its own answers and reports.
package enum JSONText: Sendable, Equatable {
    case string(String)
    case int(Int)
    case bool(Bool)
    case null
    case array([JSONText])
    /// Members in the order in which they are to be read.
    case object([(String, JSONText)])

    package static func == (left: JSONText, right: JSONText) -> Bool {
        left.compact == right.compact
    }

    /// Several lines, two spaces a level: meant to be read in a terminal.
    package var pretty: String {
        var text = ""
        self.write(to: &text, indent: 0)
        return text
    }

    /// One line without white space.
    package var compact: String {
        var text = ""
        self.write(to: &text, indent: nil)
        return text
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .string(let value): Self.writeQuoted(value, to: &text)
        case .int(let value): text += String(value)
        case .bool(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .array(let items):
            Self.writeList(items, open: "[", close: "]", to: &text, indent: indent) { item, text, indent in
                item.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.writeList(members, open: "{", close: "}", to: &text, indent: indent) { member, text, indent in
                Self.writeQuoted(member.0, to: &text)
                text += indent == nil ? ":" : ": "
                member.1.write(to: &text, indent: indent)
            }
        }
    }

    private static func writeList<Item>(
        _ items: [Item],
        open: String,
        close: String,
        to text: inout String,
        indent: Int?,
        writeItem: (Item, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 2 }
        for (index, item) in items.enumerated() {
            text += index == 0 ? "" : ","
            Self.breakLine(&text, indent: inner)
            writeItem(item, &text, inner)
        }
        if !items.isEmpty {
            Self.breakLine(&text, indent: indent)
        }
        text += close
    }

    private static func breakLine(_ text: inout String, indent: Int?) {
        guard let indent else { return }
        text += "\n" + String(repeating: " ", count: indent)
    }

    /// RFC 8259 section 7: quotation mark, reverse solidus and the control characters must be escaped.
    private static func writeQuoted(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{00}"..."\u{1F}":
                let digits = [ASCII.hexDigit(UInt8(scalar.value >> 4)), ASCII.hexDigit(UInt8(scalar.value & 0x0F))]
                text += "\\u00" + String(decoding: digits, as: UTF8.self)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
