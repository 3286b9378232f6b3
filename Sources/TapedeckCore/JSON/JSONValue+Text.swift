extension JSONValue {
    /// The value as a JSON text. Numbers as they were spelt, strings with no escapes but those that RFC 8259
    /// section 7 asks for, members in their order.
    package func text(layout: JSONLayout = .compact) -> [UInt8] {
        let text = self.compactText
        return layout == .compact ? text : text.withUnsafeBytes { layout.apply(to: $0) }
    }

    /// The value as a JSON text with no white space.
    package var compactText: [UInt8] {
        var bytes: [UInt8] = []
        self.appendText(to: &bytes)
        return bytes
    }

    /// As ``compactText``.
    func appendText(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.spelling.utf8)
        case .string(let text): Self.appendQuoted(text, to: &bytes)
        case .array(let items):
            var mark = ASCII.openBracket
            for item in items {
                bytes.append(mark)
                item.appendText(to: &bytes)
                mark = ASCII.comma
            }
            if items.isEmpty { bytes.append(mark) }
            bytes.append(ASCII.closeBracket)
        case .object(let members):
            var mark = ASCII.openBrace
            for member in members {
                bytes.append(mark)
                Self.appendQuoted(member.name, to: &bytes)
                bytes.append(ASCII.colon)
                member.value.appendText(to: &bytes)
                mark = ASCII.comma
            }
            if members.isEmpty { bytes.append(mark) }
            bytes.append(ASCII.closeBrace)
        }
    }

    /// Appends a string in quotation marks, escaped as ``JSONText`` does.
    static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(ASCII.quote)
        text.withUTF8 { utf8 in
            var start = 0
            for index in 0..<utf8.count {
                let byte = utf8[index]
                guard byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash else { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                start = index + 1
                Self.appendEscape(of: byte, to: &bytes)
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(ASCII.quote)
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(ASCII.backslash)
        switch byte {
        case ASCII.quote, ASCII.backslash: bytes.append(byte)
        case ASCII.lineFeed: bytes.append(0x6E)
        case ASCII.carriageReturn: bytes.append(0x72)
        case ASCII.tab: bytes.append(0x74)
        default:
            bytes.append(contentsOf: [0x75, 0x30, 0x30, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)])
        }
    }
}
