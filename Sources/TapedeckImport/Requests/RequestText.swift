import TapedeckCore

/// Text of files of requests.
enum RequestText {
    /// Returns the lines of a text without a byte order mark; `nil` if it is not UTF-8. Their ends are LF or CRLF, in a
    /// text without either CR.
    static func lines(_ bytes: [UInt8]) -> [String]? {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        let end: UInt8 = text.contains(0x0A) ? 0x0A : 0x0D
        return text.split(separator: end, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }

    /// Returns the text without white space at either end.
    static func trimmed(_ text: some StringProtocol) -> String {
        let front = text.drop { $0.isWhitespace }
        guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(front[...last])
    }

    /// True if a line has nothing but white space.
    static func isBlank(_ line: some StringProtocol) -> Bool {
        line.allSatisfy { $0.isWhitespace }
    }

    /// Returns a text as a string of JSON, with its quotes.
    static func json(string text: String) -> String {
        String(
            decoding: ForeignJSON.text(ForeignNode(.scalar(text, isPlain: false), line: 1), .javaScript),
            as: UTF8.self
        )
    }

    /// Returns a JSON text without white space between its tokens, or `nil` if it is no JSON.
    static func compact(json text: String) -> String? {
        let bytes = Array(text.utf8)
        guard ForeignJSON.isJSON(bytes), let node = try? ForeignNode.documents(of: bytes).first else { return nil }
        return String(decoding: ForeignJSON.text(node, .javaScript), as: UTF8.self)
    }

    /// Returns a JSON text without the comments of JavaScript in it.
    static func withoutComments(json text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        var isString = false
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if isString {
                output.append(byte)
                if byte == ASCII.backslash, index + 1 < bytes.count {
                    output.append(next)
                    index += 1
                } else if byte == ASCII.quote {
                    isString = false
                }
            } else if byte == ASCII.slash, next == ASCII.slash {
                while index < bytes.count, bytes[index] != ASCII.lineFeed { index += 1 }
                continue
            } else if byte == ASCII.slash, next == ASCII.asterisk {
                index += 2
                while index + 1 < bytes.count, bytes[index] != ASCII.asterisk || bytes[index + 1] != ASCII.slash {
                    index += 1
                }
                index += 2
                continue
            } else {
                isString = byte == ASCII.quote
                output.append(byte)
            }
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }
}
