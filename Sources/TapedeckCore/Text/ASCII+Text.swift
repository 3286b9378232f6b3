extension ASCII {
    /// Returns true if the byte is unreserved (RFC 3986 section 2.3): it means the same with and without
    /// percent-encoding.
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Returns true if the byte may be part of a method or the name of a header field (RFC 9110 section 5.6.2): letters, digits
    /// and ``!#$%&'*+-.^_`|~``, as one bit for each ASCII character.
    @inlinable @inline(__always)
    package static func isToken(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Returns true if two texts are equal except for the case of ASCII letters, as header names and hosts are
    /// compared.
    package static func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        guard left.count == right.count else { return false }
        let isEqual = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in self.equalsIgnoringCase(left, right) }
        }
        return (isEqual ?? nil) ?? zip(left, right).allSatisfy { self.lowercased($0) == self.lowercased($1) }
    }

    /// - Parameter right: of the same length.
    private static func equalsIgnoringCase(
        _ left: UnsafeBufferPointer<UInt8>,
        _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for index in left.indices where left[index] != right[index] {
            guard self.lowercased(left[index]) == self.lowercased(right[index]) else { return false }
        }
        return true
    }
}
