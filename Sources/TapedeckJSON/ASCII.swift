/// Names for the bytes that JSON, HTTP and URLs give a meaning.
///
/// All of them are inlinable, so that a loop over bytes in another module compares with a constant. That takes the attribute
/// of the type, too.
@usableFromInline
package enum ASCII {
    @inlinable @inline(__always) package static var tab: UInt8 { 0x09 }
    @inlinable @inline(__always) package static var lineFeed: UInt8 { 0x0A }
    @inlinable @inline(__always) package static var carriageReturn: UInt8 { 0x0D }
    @inlinable @inline(__always) package static var space: UInt8 { 0x20 }
    @inlinable @inline(__always) package static var quote: UInt8 { 0x22 }
    @inlinable @inline(__always) package static var hash: UInt8 { 0x23 }
    @inlinable @inline(__always) package static var percent: UInt8 { 0x25 }
    @inlinable @inline(__always) package static var ampersand: UInt8 { 0x26 }
    @inlinable @inline(__always) package static var asterisk: UInt8 { 0x2A }
    @inlinable @inline(__always) package static var comma: UInt8 { 0x2C }
    @inlinable @inline(__always) package static var slash: UInt8 { 0x2F }
    @inlinable @inline(__always) package static var colon: UInt8 { 0x3A }
    @inlinable @inline(__always) package static var semicolon: UInt8 { 0x3B }
    @inlinable @inline(__always) package static var equals: UInt8 { 0x3D }
    @inlinable @inline(__always) package static var question: UInt8 { 0x3F }
    @inlinable @inline(__always) package static var at: UInt8 { 0x40 }
    @inlinable @inline(__always) package static var openBracket: UInt8 { 0x5B }
    @inlinable @inline(__always) package static var backslash: UInt8 { 0x5C }
    @inlinable @inline(__always) package static var closeBracket: UInt8 { 0x5D }
    @inlinable @inline(__always) package static var openBrace: UInt8 { 0x7B }
    @inlinable @inline(__always) package static var closeBrace: UInt8 { 0x7D }

    /// The value of a hexadecimal digit, or `nil`.
    @inlinable
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The upper-case hexadecimal digit of a value below 16.
    @inlinable
    package static func hexDigit(_ value: UInt8) -> UInt8 {
        let digit = value & 0x0F
        return digit < 10 ? 0x30 + digit : 0x37 + digit
    }

    /// The lower-case form of an ASCII letter; any other byte as it is.
    @inlinable @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// The text with its ASCII letters in lower case.
    package static func lowercased(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return text }
        return String(decoding: text.utf8.map(self.lowercased), as: UTF8.self)
    }
}
