extension JSONPathParser {
    /// A string in either kind of quotation marks (RFC 9535 section 2.3.1.1).
    mutating func quoted() throws(JSONPathError) -> String {
        let start = self.index
        let mark = self.current
        self.index += 1
        var text = String.UnicodeScalarView()
        while let scalar = self.current {
            if scalar == mark {
                self.index += 1
                return String(text)
            }
            guard scalar >= " " else { throw self.failure("a control character must be written as an escape") }
            self.index += 1
            text.append(scalar == "\\" ? try self.escaped(in: mark) : scalar)
        }
        throw self.failure("the string that begins here has no end", at: start)
    }

    /// Returns the character of an escape whose backslash has been read.
    private mutating func escaped(in mark: Unicode.Scalar?) throws(JSONPathError) -> Unicode.Scalar {
        let start = self.index - 1
        let letter = self.current
        self.index += 1
        switch letter {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "/", "\\": return letter ?? "\\"
        case "'" where mark == "'", "\"" where mark == "\"": return letter ?? "'"
        case "u":
            var value = try self.codeUnit(at: start)
            if value & 0xFC00 == 0xD800, self.take("\\u") {
                let low = try self.codeUnit(at: start)
                guard low & 0xFC00 == 0xDC00 else { break }
                value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
            }
            guard let scalar = Unicode.Scalar(value) else { break }
            return scalar
        default: break
        }
        throw self.failure("this is no escape of a string in a path", at: start)
    }

    private mutating func codeUnit(at start: Int) throws(JSONPathError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = self.current, scalar.isASCII, let digit = ASCII.hexValue(UInt8(scalar.value)) else {
                throw self.failure("four hex digits follow \\u", at: start)
            }
            value = value << 4 | UInt32(digit)
            self.index += 1
        }
        return value
    }
}
