/// ZIP archives for tests (APPNOTE.TXT of PKWARE, section 4.3.6).
package enum ZipFile {
    package struct Member {
        let name: String
        let content: [UInt8]
        /// The content before it was deflated; `nil` for a stored member.
        let plain: [UInt8]?

        package init(_ name: String, _ content: [UInt8], deflated plain: [UInt8]? = nil) {
            self.name = name
            self.content = content
            self.plain = plain
        }
    }

    package static func bytes(_ members: [Member]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for member in members {
            // Version, flags, method, time, checksum, sizes.
            let common =
                self.number(20, 2) + self.number(0, 2) + self.number(member.plain == nil ? 0 : 8, 2) + self.number(0, 4)
                + self.number(Int(self.checksum(member.plain ?? member.content)), 4)
                + self.number(member.content.count, 4) + self.number((member.plain ?? member.content).count, 4)
                + self.number(member.name.utf8.count, 2)
            directory += [0x50, 0x4B, 1, 2] + self.number(20, 2) + common + self.number(0, 12)
            directory += self.number(bytes.count, 4) + Array(member.name.utf8)
            bytes += [0x50, 0x4B, 3, 4] + common + self.number(0, 2) + Array(member.name.utf8) + member.content
        }
        let start = bytes.count
        bytes += directory + [0x50, 0x4B, 5, 6] + self.number(0, 4) + self.number(members.count, 2)
        return bytes + self.number(members.count, 2) + self.number(directory.count, 4) + self.number(start, 4)
            + self.number(0, 2)
    }

    /// CRC-32, as zlib computes it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }

    /// A number of some bytes, the lowest first.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
    }
}
