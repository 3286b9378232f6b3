extension YAMLWriter {
    /// Appends a text as a scalar on one line, safe in block and in flow context, as a key and as a value.
    ///
    /// Plain if that reads back as the same string in YAML 1.2 and 1.1 readers (`yes`, `12:30:45`, `1e3` and so on are
    /// quoted); else in single quotes; else, for characters that need escapes, in double quotes. Bytes that are not
    /// UTF-8 become U+FFFD.
    package mutating func scalar(_ text: UnsafeRawBufferPointer) {
        text.withMemoryRebound(to: UInt8.self) { text in
            switch YAMLScalarStyle.choose(for: text) {
            case .plain: self.bytes.append(contentsOf: text)
            case .singleQuoted: self.appendSingleQuoted(text)
            case .doubleQuoted: self.appendDoubleQuoted(text)
            }
        }
    }

    /// Appends a text in UTF-8 as a scalar on one line.
    package mutating func scalar(_ text: some Collection<UInt8>) {
        let done: Void? = text.withContiguousStorageIfAvailable { self.scalar(UnsafeRawBufferPointer($0)) }
        if done == nil {
            Array(text).withUnsafeBytes { self.scalar($0) }
        }
    }

    /// Appends a text as a scalar on one line.
    package mutating func scalar(_ text: String) {
        var text = text
        text.withUTF8 { self.scalar(UnsafeRawBufferPointer($0)) }
    }

    /// True if a document may contain the character unescaped: printable, not a line end to any reader, and not in the
    /// private planes 15 and 16, whose characters have no appearance.
    package static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        YAMLScalarStyle.isSafe(scalar.value)
    }

    private mutating func appendSingleQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        self.bytes.append(YAMLByte.singleQuote)
        for byte in text {
            self.bytes.append(byte)
            if byte == YAMLByte.singleQuote {
                self.bytes.append(byte)
            }
        }
        self.bytes.append(YAMLByte.singleQuote)
    }

    private mutating func appendDoubleQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        guard let base = text.baseAddress else { return }
        self.bytes.append(YAMLByte.doubleQuote)
        var index = 0
        while index < text.count {
            let byte = base[index]
            switch byte {
            case YAMLByte.doubleQuote, YAMLByte.backslash:
                self.bytes.append(YAMLByte.backslash)
                self.bytes.append(byte)
                index += 1
            case 0x20...0x7E:
                self.bytes.append(byte)
                index += 1
            default:
                let (scalar, length) = YAMLText.decode(base, at: index, end: text.count) ?? (0xFFFD, 1)
                if scalar >= 0x80 && YAMLScalarStyle.isSafe(scalar) && scalar != 0xFFFD {
                    self.bytes.append(contentsOf: text[index..<index + length])
                } else {
                    self.appendEscape(of: scalar)
                }
                index += length
            }
        }
        self.bytes.append(YAMLByte.doubleQuote)
    }

    private mutating func appendEscape(of scalar: UInt32) {
        switch scalar {
        case 0x00: self.raw(#"\0"#)
        case 0x07: self.raw(#"\a"#)
        case 0x08: self.raw(#"\b"#)
        case 0x09: self.raw(#"\t"#)
        case 0x0A: self.raw(#"\n"#)
        case 0x0B: self.raw(#"\v"#)
        case 0x0C: self.raw(#"\f"#)
        case 0x0D: self.raw(#"\r"#)
        case 0x1B: self.raw(#"\e"#)
        case 0x85: self.raw(#"\N"#)
        case 0x2028: self.raw(#"\L"#)
        case 0x2029: self.raw(#"\P"#)
        case 0..<0x100: self.appendHex(scalar, digits: 2, prefix: #"\x"#)
        case 0..<0x1_0000: self.appendHex(scalar, digits: 4, prefix: #"\u"#)
        default: self.appendHex(scalar, digits: 8, prefix: #"\U"#)
        }
    }

    private mutating func appendHex(_ value: UInt32, digits: Int, prefix: StaticString) {
        self.raw(prefix)
        for digit in (0..<digits).reversed() {
            let nibble = UInt8(truncatingIfNeeded: value >> UInt32(digit * 4)) & 0x0F
            self.bytes.append(nibble < 10 ? 0x30 + nibble : 0x41 + nibble - 10)
        }
    }
}
