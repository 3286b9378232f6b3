/// ZIP archives for tests (APPNOTE.TXT of PKWARE, section 4.3.6).
package enum ZipFile {
    package struct Member {
        let name: String
        let content: [UInt8]
        /// Before it was deflated; `nil` for a stored member.
        let size: Int?

        package init(_ name: String, _ content: [UInt8], size: Int? = nil) {
            self.name = name
            self.content = content
            self.size = size
        }
    }

    package static func bytes(_ members: [Member]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for member in members {
            // Version, flags, method, time, checksum, sizes.
            let common =
                self.number(20, 2) + self.number(0, 2) + self.number(member.size == nil ? 0 : 8, 2) + self.number(0, 8)
                + self.number(member.content.count, 4) + self.number(member.size ?? member.content.count, 4)
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

    /// A number of some bytes, the lowest first.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
    }
}
