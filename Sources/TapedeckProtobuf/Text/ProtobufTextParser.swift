import TapedeckJSON

/// Parses ``ProtobufText``.
struct ProtobufTextParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    mutating func parse() throws(ProtobufTextError) -> [UInt8] {
        let message = try self.fields(depth: 0)
        guard self.index == self.bytes.count else {
            throw self.failure("unmatched closing brace; remove it", at: self.index)
        }
        return message
    }

    /// Parses fields up to a closing brace or the end.
    private mutating func fields(depth: Int) throws(ProtobufTextError) -> [UInt8] {
        var writer = WireWriter()
        self.skipSpace()
        while let byte = self.current, byte != ASCII.closeBrace {
            let number = try self.fieldNumber()
            self.skipSpace()
            guard self.current == ASCII.colon else {
                throw self.failure("expected a colon after the field number, as in 1: \"text\"", at: self.index)
            }
            self.index += 1
            self.skipSpace()
            try self.value(of: number, depth: depth, into: &writer)
            let end = self.index
            self.skipSpace()
            if self.current == ASCII.comma {
                self.index += 1
                self.skipSpace()
            } else if self.index == end, self.current != nil, self.current != ASCII.closeBrace {
                throw self.failure("expected white space or a comma between fields", at: end)
            }
        }
        return writer.bytes
    }

    private mutating func fieldNumber() throws(ProtobufTextError) -> Int {
        let start = self.index
        let word = self.word()
        guard word.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let number = Int(word),
            1...WireReader.maximumNumber ~= number
        else {
            throw self.failure("expected a field number from 1 to \(WireReader.maximumNumber)", at: start)
        }
        return number
    }

    private mutating func value(
        of number: Int,
        depth: Int,
        into writer: inout WireWriter
    ) throws(ProtobufTextError) {
        switch self.current {
        case ASCII.quote: writer.field(number, bytes: Array(try self.string().utf8))
        case ASCII.openBrace: writer.field(number, bytes: try self.braces(depth: depth))
        default:
            let start = self.index
            let word = self.word()
            guard let kind = ProtobufTextWord(rawValue: word) else {
                return writer.field(number, varint: try self.varint(word, at: start))
            }
            self.skipSpace()
            try self.value(of: number, kind, depth: depth, into: &writer)
        }
    }

    private mutating func value(
        of number: Int,
        _ kind: ProtobufTextWord,
        depth: Int,
        into writer: inout WireWriter
    ) throws(ProtobufTextError) {
        let start = self.index
        switch kind {
        case .fixed32:
            let word = self.word()
            guard let value = UInt32(word) ?? Int32(word).map({ UInt32(bitPattern: $0) }) else {
                throw self.failure("expected a 32-bit integer after fixed32", at: start)
            }
            writer.field(number, fixed32: value)
        case .fixed64:
            let word = self.word()
            guard let value = UInt64(word) ?? Int64(word).map({ UInt64(bitPattern: $0) }) else {
                throw self.failure("expected a 64-bit integer after fixed64", at: start)
            }
            writer.field(number, fixed64: value)
        case .float:
            guard let value = Float(self.word()) else {
                throw self.failure("expected a number after float, such as 1.5", at: start)
            }
            writer.field(number, fixed32: value.bitPattern)
        case .double:
            guard let value = Double(self.word()) else {
                throw self.failure("expected a number after double, such as 1.5", at: start)
            }
            writer.field(number, fixed64: value.bitPattern)
        case .hex: writer.field(number, bytes: try self.hex())
        case .group:
            guard self.current == ASCII.openBrace else {
                throw self.failure("expected fields in braces after group", at: start)
            }
            writer.field(number, group: try self.braces(depth: depth))
        }
    }

    private func varint(_ word: String, at start: Int) throws(ProtobufTextError) -> UInt64 {
        if let value = UInt64(word) ?? Int64(word).map({ UInt64(bitPattern: $0) }) { return value }
        guard !word.isEmpty else {
            throw self.failure("expected a value, such as \"text\", 42 or { 1: 7 }", at: start)
        }
        if word.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2D }) {
            throw self.failure("\(word) does not fit into 64 bits", at: start)
        }
        if Double(word) != nil {
            throw self.failure("a fractional number needs a type: float \(word) or double \(word)", at: start)
        }
        let words = ProtobufTextWord.allCases.map(\.rawValue)
        let remedy = Spelling.nearest(to: word, among: words).map { "did you mean \($0)?" }
        throw self.failure(
            "unknown value \(word); \(remedy ?? "put text in quotation marks, and messages in braces")",
            at: start
        )
    }

    private mutating func braces(depth: Int) throws(ProtobufTextError) -> [UInt8] {
        let start = self.index
        guard depth + 1 < WireReader.depthLimit else {
            throw self.failure("messages are nested deeper than \(WireReader.depthLimit) levels", at: start)
        }
        self.index += 1
        let fields = try self.fields(depth: depth + 1)
        guard self.current == ASCII.closeBrace else {
            throw self.failure("unclosed brace", at: start)
        }
        self.index += 1
        return fields
    }

    private mutating func string() throws(ProtobufTextError) -> String {
        let start = self.index
        var end = start + 1
        while end < self.bytes.count, self.bytes[end] != ASCII.quote, self.bytes[end] != ASCII.lineFeed {
            end += self.bytes[end] == ASCII.backslash ? 2 : 1
        }
        guard end < self.bytes.count, self.bytes[end] == ASCII.quote else {
            throw self.failure(
                "unterminated string; write a line feed as \\n",
                at: start
            )
        }
        self.index = end + 1
        do throws(JSONError) {
            let value = try JSONValue(parsing: Array(self.bytes[start...end]))
            return value.stringValue ?? ""
        } catch {
            let message = "\(error.message); use the escapes of JSON, or hex \"…\" for bytes"
            throw self.failure(message, at: start + error.offset)
        }
    }

    private mutating func hex() throws(ProtobufTextError) -> [UInt8] {
        let start = self.index
        let text = self.current == ASCII.quote ? Array(try self.string().utf8) : []
        let digits = text.compactMap(ASCII.hexValue)
        guard self.index > start, digits.count == text.count, digits.count % 2 == 0 else {
            throw self.failure("expected pairs of hex digits in quotation marks after hex", at: start)
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    // MARK: Bytes

    private var current: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    /// Reads up to the next white space or punctuation mark.
    private mutating func word() -> String {
        let start = self.index
        while let byte = self.current, !Self.endsWord(byte) { self.index += 1 }
        return String(decoding: self.bytes[start..<self.index], as: UTF8.self)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn, ASCII.comma, ASCII.colon, ASCII.quote,
            ASCII.openBrace, ASCII.closeBrace, ASCII.hash:
            true
        default: false
        }
    }

    /// Skips white space and comments.
    private mutating func skipSpace() {
        while let byte = self.current {
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: self.index += 1
            case ASCII.hash:
                while let byte = self.current, byte != ASCII.lineFeed { self.index += 1 }
            default: return
            }
        }
    }

    private func failure(_ message: String, at offset: Int) -> ProtobufTextError {
        var line = 1
        var column = 1
        for byte in self.bytes[..<min(offset, self.bytes.count)] {
            if byte == ASCII.lineFeed {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes of a character do not count.
                column += 1
            }
        }
        return ProtobufTextError(message: message, line: line, column: column)
    }
}
