/// The plainest way to write a text on one line, so that it reads back as that string in any YAML reader.
enum YAMLScalarStyle {
    case plain
    case singleQuoted
    case doubleQuoted

    /// Chooses the style for a text, in block and in flow context alike.
    static func choose(for text: UnsafeBufferPointer<UInt8>) -> Self {
        guard let base = text.baseAddress, let first = text.first, let last = text.last else {
            return .singleQuoted
        }
        var canBePlain = self.canBeginPlain(first) && last != YAMLByte.space && last != YAMLByte.colon
        var previous: UInt8 = 0
        var index = 0
        while index < text.count {
            let byte = base[index]
            switch byte {
            case YAMLByte.tab, YAMLByte.comma, YAMLByte.openBracket, YAMLByte.closeBracket, YAMLByte.openBrace,
                YAMLByte.closeBrace:
                canBePlain = false
            case YAMLByte.hash where YAMLByte.isBlank(previous):
                canBePlain = false
            case YAMLByte.space where previous == YAMLByte.colon:
                canBePlain = false
            case YAMLByte.question where previous == YAMLByte.colon:
                // Fine in YAML 1.2, but libyaml refuses `:?` in a flow collection.
                canBePlain = false
            case 0x20...0x7E:
                break
            case 0x80...0xFF:
                guard
                    let (scalar, length) = YAMLText.decode(base, at: index, end: text.count),
                    self.isSafe(scalar)
                else { return .doubleQuoted }
                index += length - 1
            default:
                return .doubleQuoted
            }
            previous = byte
            index += 1
        }
        return canBePlain && !self.meansSomethingElse(text) ? .plain : .singleQuoted
    }

    /// True if a character needs no escape: printable, and not a line end to YAML 1.1 readers.
    ///
    /// Characters of the private planes 15 and 16 are invisible, so they are escaped.
    static func isSafe(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0D, 0x85, 0x2028, 0x2029, 0xF_0000...0x10_FFFF: false
        default: YAMLText.isPrintable(scalar)
        }
    }

    private static func canBeginPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
            true
        case UInt8(ascii: "/"), YAMLByte.dot, UInt8(ascii: "_"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: "^"), UInt8(ascii: ";"), YAMLByte.backslash,
            UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// True if some reader would take a plain text for a null, boolean, number, date or document marker.
    private static func meansSomethingElse(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let first = text[0]
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), YAMLByte.dot:
            return self.looksNumeric(text) || self.isSpecialWord(text) || self.isDocumentEnd(text)
        default:
            return self.isSpecialWord(text)
        }
    }

    /// True if all bytes occur in numbers, times or dates. Also true for some text that is not a number.
    private static func looksNumeric(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"),
                UInt8(ascii: "O"), UInt8(ascii: "_"), YAMLByte.dot, YAMLByte.colon, UInt8(ascii: "+"),
                YAMLByte.dash, UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "z"), UInt8(ascii: "Z"),
                YAMLByte.space:
                true
            default:
                false
            }
        }
    }

    private static func isDocumentEnd(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count >= 3 && text.prefix(3).allSatisfy { $0 == YAMLByte.dot }
    }

    /// True if the text, in any case, is a word with a meaning in YAML 1.1 or 1.2.
    private static func isSpecialWord(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= 5 else { return false }
        var packed: UInt64 = 0
        for byte in text {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            packed = packed << 8 | UInt64(isUpper ? byte | 0x20 : byte)
        }
        return self.specialWords.contains(packed)
    }

    /// The words in lower case, their bytes packed into one number each.
    private static let specialWords: Set<UInt64> = {
        let words = [
            "~", "=", "<<", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", "+.inf", ".nan",
        ]
        return Set(words.map { $0.utf8.reduce(0) { $0 << 8 | UInt64($1) } })
    }()
}
