import TapedeckCore

/// The head of a response that breaks the grammar of HTTP/1.1, made well-formed as far as a recipient may, and as curl and
/// browsers read it.
///
/// Taken are: lines that continue a field (RFC 9112 section 5.2), and such lines behind the status line, which are left out
/// (section 2.2); white space in front of a colon (section 5.1); control characters in a value, which become spaces (RFC 9110
/// section 5.5); names with characters that no name may have, whose fields are left out; several equal lengths
/// (RFC 9110 section 8.6); a length beside `chunked`, which then decides (RFC 9112 section 6.3); the coding `identity`.
///
/// Different lengths, other transfer codings, NUL, a carriage return alone and lines without a colon stay refused: the next
/// reader might find another message in them.
package struct RepairedHead: Sendable, Equatable {
    /// The well-formed head.
    package private(set) var bytes: [UInt8]
    /// Each repair once, such as `X-A was folded`.
    package private(set) var repairs: [String]
    /// True if the end of the body is in doubt, so that the connection must not carry another response.
    package private(set) var endsConnection = false

    private struct Field {
        var name: [UInt8]
        var value: [UInt8]
    }

    /// Returns false for bytes that are no answer in HTTP/1, for whose end nobody needs to wait.
    package static func mayBegin(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "HTTP/1.".utf8) }

    /// Returns the length of the head at the front of `bytes`; `nil` if its end has not come.
    package static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var lineStart = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == ASCII.lineFeed {
                let isEmpty =
                    index == lineStart || index == lineStart + 1 && bytes[lineStart] == ASCII.carriageReturn
                if isEmpty, lineStart > 0 { return index + 1 }
                lineStart = index + 1
            }
            index += 1
        }
        return nil
    }

    /// Returns `nil` for a head that stays refused.
    ///
    /// - Parameter head: with the empty line at its end.
    package init?(_ head: UnsafeRawBufferPointer) {
        self.bytes = []
        self.repairs = []
        var lines = head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).map { line in
            Array(line.last == ASCII.carriageReturn ? line.dropLast() : line)
        }
        guard lines.count > 2, !lines.contains(where: { $0.contains { $0 == 0 || $0 == ASCII.carriageReturn } }) else {
            return nil
        }
        lines.removeLast(2)
        guard var fields = self.fields(lines.dropFirst()), self.frame(&fields) else { return nil }
        self.bytes = self.spaced(lines[0], "the status line")
        for field in fields {
            self.bytes +=
                [ASCII.carriageReturn, ASCII.lineFeed] + field.name + [ASCII.colon, ASCII.space] + field.value
        }
        self.bytes += Array("\r\n\r\n".utf8)
    }

    private mutating func note(_ repair: String) {
        if !self.repairs.contains(repair) { self.repairs.append(repair) }
    }

    private mutating func fields(_ lines: ArraySlice<[UInt8]>) -> [Field]? {
        var fields: [Field] = []
        // False behind a line that was left out.
        var mayContinue = false
        for (number, line) in lines.enumerated() {
            if line[0] == ASCII.space || line[0] == ASCII.tab {
                if number == 0 {
                    self.note("a line behind the status line was left out")
                } else if mayContinue {
                    self.note("\(Self.text(fields[fields.count - 1].name)) was folded")
                    fields[fields.count - 1].value += [ASCII.space] + self.value(line, fields[fields.count - 1].name)
                }
                continue
            }
            guard let colon = line.firstIndex(of: ASCII.colon) else { return nil }
            var name = Array(line[..<colon])
            if let last = name.last, last == ASCII.space || last == ASCII.tab {
                name = Self.trimmed(name)
                self.note("white space followed the name \(Self.text(name))")
            }
            guard !name.isEmpty, name.allSatisfy({ $0 > ASCII.space && $0 != 0x7F }) else { return nil }
            mayContinue = name.allSatisfy(ASCII.isToken)
            let plain = ASCII.lowercased(Self.text(name)).filter { $0.isASCII && $0.isLetter }
            let frames = ["contentlength", "transferencoding", "connection"].contains(plain)
            let content = Array(line[(colon + 1)...])
            // An odd spelling of a framing field may be one to the next reader, or none.
            guard !frames || mayContinue && !content.contains(where: Self.isControl) else { return nil }
            guard mayContinue else {
                self.note("\(Self.text(name)) was left out: no name may have these characters")
                continue
            }
            fields.append(Field(name: name, value: self.value(content, name)))
        }
        return fields
    }

    private mutating func value(_ bytes: [UInt8], _ name: [UInt8]) -> [UInt8] {
        Self.trimmed(self.spaced(Self.trimmed(bytes), Self.text(name)))
    }

    /// The text with spaces for control characters.
    private mutating func spaced(_ text: [UInt8], _ place: String) -> [UInt8] {
        guard text.contains(where: Self.isControl) else { return text }
        self.note("\(place) held a control character")
        return text.map { Self.isControl($0) ? ASCII.space : $0 }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < ASCII.space && byte != ASCII.tab || byte == 0x7F }

    /// Leaves one statement of where the body ends; returns false if there are several.
    private mutating func frame(_ fields: inout [Field]) -> Bool {
        func isNamed(_ name: String) -> (Field) -> Bool {
            { ASCII.equalsIgnoringCase(Self.text($0.name), name) }
        }
        let isCoding = isNamed("transfer-encoding")
        let isLength = isNamed("content-length")
        let codings = fields.filter(isCoding)
        guard codings.count <= 1 else { return false }
        if let coding = codings.first, ASCII.lowercased(Self.text(coding.value)) == "identity" {
            fields.removeAll(where: isCoding)
            self.note("Transfer-Encoding was identity")
            self.endsConnection = true
        } else if codings.count == 1, fields.contains(where: isLength) {
            fields.removeAll(where: isLength)
            self.note("Content-Length and Transfer-Encoding came together")
            self.endsConnection = true
        }
        let lengths = fields.filter(isLength).flatMap { field in
            field.value.split(separator: ASCII.comma, omittingEmptySubsequences: false).map { Self.trimmed(Array($0)) }
        }
        guard let first = lengths.first else { return true }
        // `05` is 5.
        let numbers = Set(lengths.map { Int(Self.text($0)) })
        guard numbers.count == 1, numbers.first != .some(nil) || lengths.count == 1 else { return false }
        if lengths.count > 1, let place = fields.firstIndex(where: isLength) {
            self.note("Content-Length came \(lengths.count) times")
            fields[place].value = first
            let name = fields[place]
            fields.removeAll(where: isLength)
            fields.insert(name, at: min(place, fields.count))
        }
        return true
    }

    private static func trimmed(_ text: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
        let start = text.drop(while: isSpace)
        return Array(start.dropLast(start.reversed().prefix(while: isSpace).count))
    }

    private static func text(_ bytes: [UInt8]) -> String { ByteText.string(from: bytes) }
}
