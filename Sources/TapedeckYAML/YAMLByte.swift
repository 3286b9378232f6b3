/// The bytes that mean something in YAML, by name.
enum YAMLByte {
    /// Stands for "no more text": the reader refuses NUL, so no document holds one.
    static var end: UInt8 { 0x00 }
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var doubleQuote: UInt8 { 0x22 }
    static var hash: UInt8 { 0x23 }
    static var singleQuote: UInt8 { 0x27 }
    static var comma: UInt8 { 0x2C }
    static var dash: UInt8 { 0x2D }
    static var dot: UInt8 { 0x2E }
    static var colon: UInt8 { 0x3A }
    static var openBracket: UInt8 { 0x5B }
    static var backslash: UInt8 { 0x5C }
    static var closeBracket: UInt8 { 0x5D }
    static var pipe: UInt8 { 0x7C }
    static var greater: UInt8 { 0x3E }
    static var question: UInt8 { 0x3F }
    static var openBrace: UInt8 { 0x7B }
    static var closeBrace: UInt8 { 0x7D }

    /// A space or a tab.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == self.space || byte == self.tab
    }

    /// The end of a line, or of the text.
    @inline(__always)
    static func isBreak(_ byte: UInt8) -> Bool {
        byte == self.lineFeed || byte == self.carriageReturn || byte == self.end
    }

    /// White space of any kind, or the end of the text.
    @inline(__always)
    static func isBlankOrBreak(_ byte: UInt8) -> Bool {
        self.isBlank(byte) || self.isBreak(byte)
    }

    /// One of `,[]{}`.
    @inline(__always)
    static func isFlowIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case self.comma, self.openBracket, self.closeBracket, self.openBrace, self.closeBrace: true
        default: false
        }
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46: UInt32(byte) - 0x41 + 10
        case 0x61...0x66: UInt32(byte) - 0x61 + 10
        default: nil
        }
    }
}
