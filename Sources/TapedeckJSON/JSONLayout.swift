/// The white space of a JSON body on the wire. The cassette has the body on several lines.
///
/// Only white space between tokens differs (RFC 8259 section 2), so the wire form can be restored from the readable
/// one. The recorder names a layout only after checking that it restores the exact bytes.
package enum JSONLayout: String, Sendable, CaseIterable {
    /// No white space at all.
    case compact
    /// No white space but one line feed at the end.
    case compactLine = "compact-line"
    /// One space after each `,` and `:`, as Python's `json.dumps` writes.
    case spaced
    /// As `spaced`, with one line feed at the end.
    case spacedLine = "spaced-line"

    private var separatorSpace: Bool { self == .spaced || self == .spacedLine }
    private var finalNewline: Bool { self == .compactLine || self == .spacedLine }

    /// Returns `json` in this layout. Changes only white space between tokens. A text that is not JSON gives an
    /// undefined result, so check with ``readable(_:)`` first.
    package func apply(to json: UnsafeRawBufferPointer) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.count + 1)
        var index = 0
        while index < json.count {
            let byte = json[index]
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn:
                index += 1
            case ASCII.quote:
                let end = Self.endOfString(json, from: index)
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: json[index..<end]))
                index = end
            case ASCII.comma, ASCII.colon:
                output.append(byte)
                if self.separatorSpace { output.append(ASCII.space) }
                index += 1
            default:
                output.append(byte)
                index += 1
            }
        }
        if self.finalNewline { output.append(ASCII.lineFeed) }
        return output
    }

    /// Returns the readable form of a JSON text (indented by two spaces per level, with a line feed at the end) and the
    /// layout that restores the exact bytes of `json`. Returns `nil` if it is not JSON (RFC 8259) or no layout fits.
    package static func readable(_ json: UnsafeRawBufferPointer) -> (text: [UInt8], layout: JSONLayout)? {
        guard var text = JSONIndenter.indent(json) else { return nil }
        text.append(ASCII.lineFeed)
        let layout = Self.presumed(json)
        // The check that guarantees it: the text on tape reproduces the original.
        guard text.withUnsafeBytes({ layout.apply(to: $0) }).elementsEqual(json) else { return nil }
        return (text, layout)
    }

    /// The only layout that can reproduce `json`, according to its end and its first separator.
    private static func presumed(_ json: UnsafeRawBufferPointer) -> JSONLayout {
        var index = 0
        while index < json.count, json[index] != ASCII.comma, json[index] != ASCII.colon {
            index = json[index] == ASCII.quote ? Self.endOfString(json, from: index) : index + 1
        }
        let isSpaced = index + 1 < json.count && json[index + 1] == ASCII.space
        return switch (isSpaced, json.last == ASCII.lineFeed) {
        case (false, false): .compact
        case (false, true): .compactLine
        case (true, false): .spaced
        case (true, true): .spacedLine
        }
    }

    /// The offset behind the string that begins at `start`; the end of the text when it is not closed.
    fileprivate static func endOfString(_ json: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start + 1
        while index < json.count {
            switch json[index] {
            case ASCII.quote: return index + 1
            case ASCII.backslash: index += 2
            default: index += 1
            }
        }
        return json.count
    }
}

/// Checks a JSON text against RFC 8259 and writes it over several lines. Tokens are copied, so no number or string
/// changes its spelling.
private struct JSONIndenter {
    private static let depthLimit = 512
    private let json: UnsafeRawBufferPointer
    private var index = 0
    private var output: [UInt8] = []

    static func indent(_ json: UnsafeRawBufferPointer) -> [UInt8]? {
        var indenter = JSONIndenter(json: json)
        indenter.output.reserveCapacity(json.count * 3 / 2)
        indenter.skipSpace()
        guard indenter.value(depth: 0) else { return nil }
        indenter.skipSpace()
        guard indenter.index == json.count, String(utf8: json) != nil else { return nil }
        return indenter.output
    }

    private init(json: UnsafeRawBufferPointer) {
        self.json = json
    }

    private var current: UInt8? { self.index < self.json.count ? self.json[self.index] : nil }

    private mutating func skipSpace() {
        while let byte = self.current,
            byte == ASCII.space || byte == ASCII.lineFeed || byte == ASCII.tab || byte == ASCII.carriageReturn
        {
            self.index += 1
        }
    }

    private mutating func newline(depth: Int) {
        self.output.append(ASCII.lineFeed)
        self.output.append(contentsOf: repeatElement(ASCII.space, count: depth * 2))
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.depthLimit, let byte = self.current else { return false }
        switch byte {
        case ASCII.openBrace: return self.list(depth: depth, close: ASCII.closeBrace, isObject: true)
        case ASCII.openBracket: return self.list(depth: depth, close: ASCII.closeBracket, isObject: false)
        case ASCII.quote: return self.string()
        default: return self.numberOrWord()
        }
    }

    private mutating func list(depth: Int, close: UInt8, isObject: Bool) -> Bool {
        self.output.append(self.json[self.index])
        self.index += 1
        self.skipSpace()
        if self.current == close {
            self.output.append(close)
            self.index += 1
            return true
        }
        while true {
            self.newline(depth: depth + 1)
            if isObject {
                guard self.current == ASCII.quote, self.string() else { return false }
                self.skipSpace()
                guard self.current == ASCII.colon else { return false }
                self.output.append(ASCII.colon)
                self.output.append(ASCII.space)
                self.index += 1
                self.skipSpace()
            }
            guard self.value(depth: depth + 1) else { return false }
            self.skipSpace()
            guard let byte = self.current else { return false }
            self.index += 1
            if byte == close { break }
            guard byte == ASCII.comma else { return false }
            self.output.append(ASCII.comma)
            self.skipSpace()
        }
        self.newline(depth: depth)
        self.output.append(close)
        return true
    }

    private mutating func string() -> Bool {
        let end = JSONLayout.endOfString(self.json, from: self.index)
        let token = UnsafeRawBufferPointer(rebasing: self.json[self.index..<end])
        guard token.count >= 2, token.last == ASCII.quote, Self.isString(token) else { return false }
        self.output.append(contentsOf: token)
        self.index = end
        return true
    }

    /// RFC 8259 section 7: no control characters, and no escapes but the known ones.
    private static func isString(_ token: UnsafeRawBufferPointer) -> Bool {
        var index = token.startIndex
        while index < token.endIndex {
            guard token[index] >= ASCII.space else { return false }
            guard token[index] == ASCII.backslash else {
                index += 1
                continue
            }
            guard index + 1 < token.endIndex else { return false }
            switch token[index + 1] {
            case ASCII.quote, ASCII.backslash, ASCII.slash, 0x62, 0x66, 0x6E, 0x72, 0x74:
                index += 2
            case 0x75:
                let digits = token[(index + 2)...].prefix(4)
                guard digits.count == 4, digits.allSatisfy({ ASCII.hexValue($0) != nil }) else { return false }
                index += 6
            default:
                return false
            }
        }
        return true
    }

    private mutating func numberOrWord() -> Bool {
        let start = self.index
        while let byte = self.current, Self.isTokenByte(byte) {
            self.index += 1
        }
        let token = UnsafeRawBufferPointer(rebasing: self.json[start..<self.index])
        guard Self.isWord(token) || Self.isNumber(token) else { return false }
        self.output.append(contentsOf: token)
        return true
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }

    private static func isWord(_ token: UnsafeRawBufferPointer) -> Bool {
        token.elementsEqual("true".utf8) || token.elementsEqual("false".utf8) || token.elementsEqual("null".utf8)
    }

    /// RFC 8259 section 6.
    private static func isNumber(_ token: UnsafeRawBufferPointer) -> Bool {
        var rest = token[...]
        if rest.first == 0x2D { rest = rest.dropFirst() }
        let whole = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !whole.isEmpty, whole.count == 1 || whole.first != 0x30 else { return false }
        rest = rest.dropFirst(whole.count)
        if rest.first == 0x2E {
            let fraction = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard !fraction.isEmpty else { return false }
            rest = rest.dropFirst(1 + fraction.count)
        }
        if let exponent = rest.first, exponent | 0x20 == 0x65 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard !digits.isEmpty else { return false }
            rest = rest.dropFirst(digits.count)
        }
        return rest.isEmpty
    }
}
