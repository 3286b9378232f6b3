import TapedeckCore

/// A ZIP archive in memory (APPNOTE.TXT of PKWARE): members that are stored or deflated, without encryption, of less than
/// 4 GiB.
package struct ZipArchive: Sendable {
    /// The first bytes of an archive with members.
    package static let signature: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    private static let directorySignature: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
    /// The first bytes of the record at the end, and of an archive without members.
    package static let endSignature: [UInt8] = [0x50, 0x4B, 0x05, 0x06]

    package struct Member: Sendable {
        package let name: String
        fileprivate let offset: Int
        fileprivate let size: Int
        fileprivate let isStored: Bool
        fileprivate let checksum: UInt32
    }

    private let bytes: [UInt8]
    /// The members that can be unpacked, in the order of the directory. Folders are left out.
    package private(set) var members: [Member] = []
    /// False if the directory leads out of the file, or is damaged; then the members are those that can be found.
    package private(set) var isWhole = true
    /// True if a member is encrypted, so that a password is needed.
    package private(set) var hasPassword = false

    /// Returns `nil` for an archive without a directory at its end.
    package init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        // The end record is 22 bytes, and a comment of at most 65,535.
        var end = bytes.count - 22
        let first = max(0, end - 65_535)
        while end >= first, !bytes[end...].starts(with: Self.endSignature) { end -= 1 }
        guard end >= first else { return nil }
        var at = self.number(at: end + 16, 4)
        for _ in 0..<self.number(at: end + 10, 2) {
            let length = self.number(at: at + 28, 2)
            guard at + 46 + length <= bytes.count, bytes[at...].starts(with: Self.directorySignature) else {
                self.isWhole = false
                return
            }
            let name = String(decoding: bytes[(at + 46)..<(at + 46 + length)], as: UTF8.self)
            let isPlain = self.number(at: at + 8, 2) & 1 == 0
            let method = self.number(at: at + 10, 2)
            if !isPlain { self.hasPassword = true }
            if isPlain, method == 0 || method == 8, !name.hasSuffix("/") {
                if let place = self.place(ofEntry: at, length) {
                    self.members.append(
                        Member(
                            name: name,
                            offset: place.offset,
                            size: place.size,
                            isStored: method == 0,
                            checksum: UInt32(truncatingIfNeeded: self.number(at: at + 16, 4))
                        )
                    )
                } else {
                    self.isWhole = false
                }
            }
            at += 46 + length + self.number(at: at + 30, 2) + self.number(at: at + 32, 2)
        }
    }

    /// Returns the content of a member; `nil` if it is damaged, or larger than `limit` bytes.
    ///
    /// - Parameter evenIfChanged: true for what can be unpacked, also if the checksum is that of another content.
    package func content(of member: Member, limit: Int, evenIfChanged: Bool = false) -> [UInt8]? {
        guard member.offset + 30 <= self.bytes.count, self.bytes[member.offset...].starts(with: Self.signature) else {
            return nil
        }
        let names = self.number(at: member.offset + 26, 2) + self.number(at: member.offset + 28, 2)
        let start = member.offset + 30 + names
        guard start + member.size <= self.bytes.count else { return nil }
        let packed = Array(self.bytes[start..<(start + member.size)])
        let content = member.isStored ? packed : try? ContentCoder.decode(packed, .deflate, limit: limit)
        guard let content, content.count <= limit,
            evenIfChanged || content.withUnsafeBytes(ContentCoder.checksum) == member.checksum
        else { return nil }
        return content
    }

    /// The offset and the packed size of the member of a directory entry.
    ///
    /// Writers that do not know the size beforehand, such as Fiddler, write the largest number in its place, and the size
    /// into an extra field (APPNOTE.TXT section 4.5.3).
    private func place(ofEntry at: Int, _ nameLength: Int) -> (offset: Int, size: Int)? {
        let isWide = { (number: Int) in number == 0xFFFF_FFFF }
        let unpacked = self.number(at: at + 24, 4)
        var (offset, size) = (self.number(at: at + 42, 4), self.number(at: at + 20, 4))
        guard isWide(unpacked) || isWide(size) || isWide(offset) else { return (offset, size) }
        var field = at + 46 + nameLength
        let end = min(field + self.number(at: at + 30, 2), self.bytes.count)
        while field + 4 <= end {
            let fieldEnd = field + 4 + self.number(at: field + 2, 2)
            guard self.number(at: field, 2) != 1 else {
                var value = field + 4 + (isWide(unpacked) ? 8 : 0)
                if isWide(size) {
                    size = self.number(at: value, 8)
                    value += 8
                }
                if isWide(offset) {
                    offset = self.number(at: value, 8)
                    value += 8
                }
                let range = 0...self.bytes.count
                return value <= fieldEnd && range.contains(size) && range.contains(offset) ? (offset, size) : nil
            }
            field = fieldEnd
        }
        return nil
    }

    /// A number of some bytes, the lowest first; 0 where the file ends before.
    private func number(at offset: Int, _ count: Int) -> Int {
        guard offset >= 0, offset + count <= self.bytes.count else { return 0 }
        return self.bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
