/// Reads a JSON text (RFC 8259) in one pass.
struct JSONParser {
    /// The maximum nesting depth, so that no text can exhaust the stack.
    static let depthLimit = 512

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        parser.skipSpace()
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == bytes.count else { throw parser.failure("something follows behind the end of the JSON") }
        return value
    }

    private init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard self.index < self.bytes.count else { throw self.failure("the text ends where a value should be") }
        switch self.bytes[self.index] {
        case ASCII.quote: return .string(try self.string())
        case ASCII.openBrace: return .object(try self.members(depth: depth))
        case ASCII.openBracket: return .array(try self.items(depth: depth))
        case 0x2D, 0x30...0x39: return .number(try self.number())
        case 0x74 where self.take("true"): return .bool(true)
        case 0x66 where self.take("false"): return .bool(false)
        case 0x6E where self.take("null"): return .null
        default: throw self.failure("this is no JSON value")
        }
    }

    private mutating func items(depth: Int) throws(JSONError) -> [JSONValue] {
        guard try self.openList(depth: depth, close: ASCII.closeBracket) else { return [] }
        var items: [JSONValue] = []
        repeat {
            items.append(try self.value(depth: depth + 1))
        } while try self.hasNext(close: ASCII.closeBracket, missing: "a comma or ] is missing here")
        return items
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
        guard try self.openList(depth: depth, close: ASCII.closeBrace) else { return [] }
        var members: [JSONMember] = []
        repeat {
            guard self.current == ASCII.quote else { throw self.failure("a name in quotation marks should be here") }
            let name = try self.string()
            self.skipSpace()
            guard self.current == ASCII.colon else { throw self.failure("a colon is missing here") }
            self.index += 1
            self.skipSpace()
            members.append(JSONMember(name: name, value: try self.value(depth: depth + 1)))
        } while try self.hasNext(close: ASCII.closeBrace, missing: "a comma or } is missing here")
        return members
    }

    /// Returns true if the list that opens here is not empty.
    private mutating func openList(depth: Int, close: UInt8) throws(JSONError) -> Bool {
        guard depth < Self.depthLimit else { throw self.failure("nested deeper than \(Self.depthLimit) levels") }
        self.index += 1
        self.skipSpace()
        guard self.current == close else { return true }
        self.index += 1
        return false
    }

    /// Moves past the comma, or past the end of the list.
    private mutating func hasNext(close: UInt8, missing: String) throws(JSONError) -> Bool {
        self.skipSpace()
        let byte = self.current
        guard byte == ASCII.comma || byte == close else { throw self.failure(missing) }
        self.index += 1
        guard byte == ASCII.comma else { return false }
        self.skipSpace()
        return true
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        guard let end = JSONNumber.end(in: self.bytes, from: self.index) else {
            throw self.failure("this is no JSON number, or its exponent has more than 18 digits")
        }
        let spelling = String(decoding: self.slice(self.index, end), as: UTF8.self)
        self.index = end
        return JSONNumber(checked: spelling)
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        let start = self.index + 1
        var end = start
        var seen: UInt8 = 0
        while end < self.bytes.count {
            let byte = self.bytes[end]
            if byte == ASCII.quote {
                self.index = end + 1
                return try self.text(start, end, isASCII: seen < 0x80)
            }
            if byte == ASCII.backslash { return try self.escapedString(from: start, firstEscape: end) }
            guard byte >= ASCII.space else { throw self.controlCharacter(at: end) }
            seen |= byte
            end += 1
        }
        throw self.failure("the string that begins here has no end")
    }

    private func text(_ start: Int, _ end: Int, isASCII: Bool) throws(JSONError) -> String {
        let slice = self.slice(start, end)
        if isASCII { return String(decoding: slice, as: UTF8.self) }
        guard let text = String(utf8: slice) else {
            throw self.failure("this string is not UTF-8", at: start)
        }
        return text
    }

    private mutating func escapedString(from start: Int, firstEscape: Int) throws(JSONError) -> String {
        var text = Array(self.slice(start, firstEscape))
        var index = firstEscape
        while index < self.bytes.count {
            let byte = self.bytes[index]
            if byte == ASCII.quote {
                guard let text = String(utf8: text) else {
                    throw self.failure("this string is not UTF-8", at: start)
                }
                self.index = index + 1
                return text
            }
            guard byte >= ASCII.space else { throw self.controlCharacter(at: index) }
            if byte == ASCII.backslash {
                index = try self.escape(at: index, into: &text)
            } else {
                text.append(byte)
                index += 1
            }
        }
        throw self.failure("the string that begins here has no end")
    }

    /// The offset behind the escape.
    private func escape(at index: Int, into text: inout [UInt8]) throws(JSONError) -> Int {
        let letter = index + 1 < self.bytes.count ? self.bytes[index + 1] : 0
        switch letter {
        case ASCII.quote, ASCII.backslash, ASCII.slash: text.append(letter)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(ASCII.lineFeed)
        case 0x72: text.append(ASCII.carriageReturn)
        case 0x74: text.append(ASCII.tab)
        case 0x75:
            guard let unit = self.codeUnit(at: index) else {
                throw self.failure("four hex digits follow \\u", at: index)
            }
            if unit & 0xFC00 == 0xD800, let low = self.codeUnit(at: index + 6), low & 0xFC00 == 0xDC00 {
                Self.append(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF, to: &text)
                return index + 12
            }
            Self.append(unit, to: &text)
            return index + 6
        default: throw self.failure("JSON has no such escape", at: index)
        }
        return index + 2
    }

    /// The value of an escape `\uXXXX`.
    private func codeUnit(at index: Int) -> UInt32? {
        guard index + 6 <= self.bytes.count, self.bytes[index] == ASCII.backslash, self.bytes[index + 1] == 0x75 else {
            return nil
        }
        var value: UInt32 = 0
        for byte in self.bytes[(index + 2)..<(index + 6)] {
            guard let digit = ASCII.hexValue(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// A lone surrogate is written as U+FFFD, so the rest of the text stays readable.
    private static func append(_ value: UInt32, to text: inout [UInt8]) {
        text.append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
    }

    // MARK: Bytes

    private var current: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self.bytes[start..<end])
    }

    @inline(__always)
    private mutating func skipSpace() {
        while self.index < self.bytes.count {
            switch self.bytes[self.index] {
            case ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, ASCII.tab: self.index += 1
            default: return
            }
        }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let end = self.index + word.utf8CodeUnitCount
        guard end <= self.bytes.count,
            self.slice(self.index, end).elementsEqual(
                UnsafeRawBufferPointer(start: word.utf8Start, count: end - self.index)
            )
        else { return false }
        self.index = end
        return true
    }

    private func failure(_ message: String, at offset: Int? = nil) -> JSONError {
        JSONError(message, at: offset ?? self.index, in: self.bytes)
    }

    private func controlCharacter(at offset: Int) -> JSONError {
        self.failure("a control character in a string is written as an escape, such as \\n", at: offset)
    }
}
