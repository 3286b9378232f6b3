extension JSONValue {
    /// Returns the value as a JSON text. Numbers keep their spelling, strings have only the escapes that RFC 8259
    /// section 7 requires, members keep their order.
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

    /// The value as a JSON text with a line for each member and item, two spaces a level.
    package var prettyText: [UInt8] {
        var bytes: [UInt8] = []
        self.appendText(to: &bytes, depth: 0)
        return bytes
    }

    /// Appends the value as ``compactText`` or, with a depth, as ``prettyText``.
    ///
    /// - Parameter depth: the number of enclosing lists and objects.
    package func appendText(to bytes: inout [UInt8], depth: Int? = nil) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.spelling.utf8)
        case .string(let text): Self.appendQuoted(text, to: &bytes)
        case .array(let items):
            let inner = depth.map { $0 + 1 }
            var mark = ASCII.openBracket
            for item in items {
                bytes.append(mark)
                Self.breakLine(&bytes, depth: inner)
                item.appendText(to: &bytes, depth: inner)
                mark = ASCII.comma
            }
            if items.isEmpty { bytes.append(mark) } else { Self.breakLine(&bytes, depth: depth) }
            bytes.append(ASCII.closeBracket)
        case .object(let members):
            let inner = depth.map { $0 + 1 }
            var mark = ASCII.openBrace
            for member in members {
                bytes.append(mark)
                Self.breakLine(&bytes, depth: inner)
                Self.appendQuoted(member.name, to: &bytes)
                bytes.append(ASCII.colon)
                if inner != nil { bytes.append(ASCII.space) }
                member.value.appendText(to: &bytes, depth: inner)
                mark = ASCII.comma
            }
            if members.isEmpty { bytes.append(mark) } else { Self.breakLine(&bytes, depth: depth) }
            bytes.append(ASCII.closeBrace)
        }
    }

    private static func breakLine(_ bytes: inout [UInt8], depth: Int?) {
        guard let depth else { return }
        bytes.append(ASCII.lineFeed)
        bytes.append(contentsOf: repeatElement(ASCII.space, count: depth * 2))
    }

    /// Appends a string in quotation marks. Only what must be escaped is (RFC 8259 section 7): quotation mark, reverse
    /// solidus and the control characters.
    package static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
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
