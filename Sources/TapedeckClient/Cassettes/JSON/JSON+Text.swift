extension JSON: CustomStringConvertible {
    /// The JSON text without white space between its parts. Strings have no escapes but those that RFC 8259 section 7
    /// asks for.
    public var text: String {
        var writer = Writer(isPretty: false)
        writer.write(self, depth: 0)
        return writer.text
    }

    /// The JSON text with a line for each member and item, two spaces a level.
    public var prettyText: String {
        var writer = Writer(isPretty: true)
        writer.write(self, depth: 0)
        return writer.text
    }

    /// As ``text``.
    public var description: String { self.text }

    private struct Writer {
        let isPretty: Bool
        var text = ""

        mutating func write(_ value: JSON, depth: Int) {
            switch value.storage {
            case .null: self.text += "null"
            case .bool(let value): self.text += value ? "true" : "false"
            case .number(let spelling): self.text += spelling
            case .string(let text): self.write(text)
            case .array(let items): self.list(items, "[", "]", depth) { $0.write($1, depth: depth + 1) }
            case .object(let members):
                self.list(members, "{", "}", depth) { writer, member in
                    writer.write(member.name)
                    writer.text += writer.isPretty ? ": " : ":"
                    writer.write(member.value, depth: depth + 1)
                }
            }
        }

        private mutating func list<Element>(
            _ elements: [Element],
            _ open: String,
            _ close: String,
            _ depth: Int,
            _ write: (inout Self, Element) -> Void
        ) {
            self.text += open
            for (index, element) in elements.enumerated() {
                if index > 0 { self.text += "," }
                self.newline(depth + 1)
                write(&self, element)
            }
            if !elements.isEmpty { self.newline(depth) }
            self.text += close
        }

        private mutating func newline(_ depth: Int) {
            guard self.isPretty else { return }
            self.text += "\n"
            self.text += String(repeating: "  ", count: depth)
        }

        private mutating func write(_ string: String) {
            self.text += "\""
            for scalar in string.unicodeScalars {
                switch scalar {
                case "\"": self.text += "\\\""
                case "\\": self.text += "\\\\"
                case "\n": self.text += "\\n"
                case "\r": self.text += "\\r"
                case "\t": self.text += "\\t"
                case "\u{0}"..."\u{F}": self.text += "\\u000" + String(scalar.value, radix: 16, uppercase: true)
                case "\u{10}"..."\u{1F}": self.text += "\\u00" + String(scalar.value, radix: 16, uppercase: true)
                default: self.text.unicodeScalars.append(scalar)
                }
            }
            self.text += "\""
        }
    }
}
