extension ASCII {
    /// The lower-case form of an ASCII letter; any other byte as it is.
    @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// Returns true if the byte is unreserved (RFC 3986 section 2.3): it means the same with and without
    /// percent-encoding.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Returns true if two texts are equal except for the case of ASCII letters, as header names and hosts are
    /// compared.
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
