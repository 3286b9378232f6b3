/// Reads a JSON text (RFC 8259) in one pass.
///
/// The deck has a parser of its own: it links PCRE2 and more, which a test need not.
struct JSONParser {
    /// How deep lists may stand in lists, so that no text can use up the stack.
    private static let depthLimit = 512

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func parse() throws(JSON.ParsingError) -> JSON {
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
        self.skipSpace()
        let value = try self.value(depth: 0)
        self.skipSpace()
        guard self.index == self.bytes.count else { throw self.failure("something follows behind the end of the JSON") }
        return value
    }

    // MARK: Values

    private var current: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func skipSpace() {
        while let byte = self.current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.index += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard self.current == byte.asciiValue else { return false }
        self.index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSON.ParsingError) -> JSON {
        guard let byte = self.current else { throw self.failure("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "\""): return JSON(try self.string())
        case UInt8(ascii: "["):
            var items: [JSON] = []
            try self.list("]", depth) { (parser) throws(JSON.ParsingError) in
                items.append(try parser.value(depth: depth + 1))
            }
            return JSON(items)
        case UInt8(ascii: "{"):
            var members: [JSON.Member] = []
            try self.list("}", depth) { (parser) throws(JSON.ParsingError) in
                members.append(try parser.member(depth: depth + 1))
            }
            return JSON(members)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSON(.number(try self.number()))
        default: return try self.word()
        }
    }

    private mutating func list(
        _ close: Character,
        _ depth: Int,
        _ element: (inout Self) throws(JSON.ParsingError) -> Void
    ) throws(JSON.ParsingError) {
        guard depth < Self.depthLimit else { throw self.failure("nested deeper than \(Self.depthLimit) levels") }
        self.index += 1
        self.skipSpace()
        guard !self.take(close) else { return }
        repeat {
            self.skipSpace()
            try element(&self)
            self.skipSpace()
        } while self.take(",")
        guard self.take(close) else { throw self.failure("a comma or \(close) is missing here") }
    }

    private mutating func member(depth: Int) throws(JSON.ParsingError) -> JSON.Member {
        guard self.current == UInt8(ascii: "\"") else {
            throw self.failure("a name in quotation marks should be here")
        }
        let name = try self.string()
        self.skipSpace()
        guard self.take(":") else { throw self.failure("a colon is missing here") }
        self.skipSpace()
        return JSON.Member(name, try self.value(depth: depth))
    }

    private mutating func word() throws(JSON.ParsingError) -> JSON {
        let words: [(String, JSON)] = [("true", true), ("false", false), ("null", .null)]
        guard let (word, value) = words.first(where: { self.bytes[self.index...].starts(with: $0.0.utf8) }) else {
            throw self.failure("this is no JSON value")
        }
        self.index += word.utf8.count
        return value
    }

    // MARK: Numbers

    private mutating func digits() -> Int {
        let start = self.index
        while let byte = self.current, byte &- UInt8(ascii: "0") < 10 { self.index += 1 }
        return self.index - start
    }

    private mutating func number() throws(JSON.ParsingError) -> String {
        let start = self.index
        var isNumber = true
        _ = self.take("-")
        let startsWithZero = self.current == UInt8(ascii: "0")
        let whole = self.digits()
        isNumber = whole == 1 || whole > 1 && !startsWithZero
        if self.take(".") { isNumber = self.digits() > 0 && isNumber }
        if self.take("e") || self.take("E") {
            if !self.take("+") { _ = self.take("-") }
            isNumber = (1...18).contains(self.digits()) && isNumber
        }
        guard isNumber else {
            throw self.failure("this is no JSON number, or its exponent has more than 18 digits", at: start)
        }
        return String(decoding: self.bytes[start..<self.index], as: UTF8.self)
    }

    // MARK: Strings

    private mutating func string() throws(JSON.ParsingError) -> String {
        let start = self.index
        var text: [UInt8] = []
        self.index += 1
        while let byte = self.current {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw self.failure("this string is not UTF-8", at: start)
                }
                self.index += 1
                return string
            case UInt8(ascii: "\\"): try self.escape(into: &text)
            case 0..<0x20: throw self.failure("a control character in a string is written as an escape, such as \\n")
            default:
                text.append(byte)
                self.index += 1
            }
        }
        throw self.failure("the string that begins here has no end", at: start)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSON.ParsingError) {
        let letter = self.index + 1 < self.bytes.count ? self.bytes[self.index + 1] : 0
        switch Character(Unicode.Scalar(letter)) {
        case "\"", "\\", "/": text.append(letter)
        case "b": text.append(0x08)
        case "f": text.append(0x0C)
        case "n": text.append(0x0A)
        case "r": text.append(0x0D)
        case "t": text.append(0x09)
        case "u":
            guard var value = self.codeUnit(at: self.index) else { throw self.failure("four hex digits follow \\u") }
            if value & 0xFC00 == 0xD800, let low = self.codeUnit(at: self.index + 6), low & 0xFC00 == 0xDC00 {
                value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
                self.index += 6
            }
            text.append(contentsOf: String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
            self.index += 4
        default: throw self.failure("JSON has no such escape")
        }
        self.index += 2
    }

    /// The value of an escape `\uXXXX`.
    private func codeUnit(at index: Int) -> UInt32? {
        guard index + 6 <= self.bytes.count, self.bytes[index] == UInt8(ascii: "\\"),
            self.bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        let digits = self.bytes[(index + 2)..<(index + 6)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: Errors

    private func failure(_ message: String, at place: Int? = nil) -> JSON.ParsingError {
        let before = self.bytes[..<(place ?? self.index)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSON.ParsingError(
            message: message,
            line: before.count { $0 == 0x0A } + 1,
            column: before.endIndex - lineStart + 1
        )
    }
}
