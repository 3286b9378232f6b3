/// Names for the bytes that HTTP and URLs give a meaning.
package enum ASCII {
    package static let tab: UInt8 = 0x09
    package static let lineFeed: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let space: UInt8 = 0x20
    package static let quote: UInt8 = 0x22
    package static let hash: UInt8 = 0x23
    package static let percent: UInt8 = 0x25
    package static let ampersand: UInt8 = 0x26
    package static let asterisk: UInt8 = 0x2A
    package static let comma: UInt8 = 0x2C
    package static let slash: UInt8 = 0x2F
    package static let colon: UInt8 = 0x3A
    package static let semicolon: UInt8 = 0x3B
    package static let equals: UInt8 = 0x3D
    package static let question: UInt8 = 0x3F
    package static let at: UInt8 = 0x40
    package static let openBracket: UInt8 = 0x5B
    package static let backslash: UInt8 = 0x5C
    package static let closeBracket: UInt8 = 0x5D
    package static let openBrace: UInt8 = 0x7B
    package static let closeBrace: UInt8 = 0x7D

    private static let upperHex = Array("0123456789ABCDEF".utf8)

    /// The lower-case form of an ASCII letter; any other byte as it is.
    @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit, or `nil`.
    @inline(__always)
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// The upper-case hexadecimal digit of a value below 16.
    package static func hexDigit(_ value: UInt8) -> UInt8 {
        self.upperHex[Int(value & 0x0F)]
    }

    /// Whether RFC 3986 section 2.3 calls the byte unreserved: it means the same with and without percent-encoding.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Whether two texts are equal but for the case of ASCII letters, as header names and hosts are compared.
    package static func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
        let left = left.utf8
        let right = right.utf8
        return left.count == right.count
            && zip(left, right).allSatisfy { self.lowercased($0) == self.lowercased($1) }
    }

    /// The text with its ASCII letters in lower case.
    package static func lowercased(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return text }
        return String(decoding: text.utf8.map(self.lowercased), as: UTF8.self)
    }
}
