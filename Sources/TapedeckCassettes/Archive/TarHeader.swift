/// One header block of a tar archive.
struct TarHeader {
    private let block: [UInt8]
    /// The kind of the entry; `0` is a file.
    let type: Character
    /// The size of the content that follows, in bytes.
    let size: Int

    static let damaged = ArchiveError("the archive is damaged; make it, or send it, again")

    /// - Parameter isFirst: true for the first block, in which a file that is not an archive shows.
    init(_ block: [UInt8], isFirst: Bool) throws(ArchiveError) {
        self.block = block
        let isTrue = Self.number(block[148..<156]) == Self.sum(block)
        guard isTrue else { throw isFirst ? Self.noArchive(block) : Self.damaged }
        self.type = block[156] == 0 ? "0" : Character(Unicode.Scalar(block[156]))
        guard let size = Self.number(block[124..<136]), size <= 1 << 50 else { throw Self.damaged }
        self.size = size
    }

    /// - Parameter longName: the path from the headers before this one.
    func entry(longName: String?) throws(ArchiveError) -> TarEntry {
        guard let path = longName ?? self.path else { throw ArchiveError("a name in the archive is no UTF-8") }
        let kind: String
        switch self.type {
        // Before there were types, a folder was a file whose name ends in a slash.
        case "0", "7":
            let isFolder = path.hasSuffix("/")
            return TarEntry(path: path, isFolder: isFolder, size: self.size, modified: self.modified)
        case "5": return TarEntry(path: path, isFolder: true, modified: self.modified)
        case "1": kind = "a hard link"
        case "2": kind = "a symbolic link"
        case "3", "4": kind = "a device"
        case "6": kind = "a named pipe"
        case "S": kind = "a sparse file"
        default: kind = "of an unknown kind"
        }
        throw ArchiveError("\(path.debugDescription) is \(kind); an archive of cassettes has files and folders only")
    }

    private var modified: Int64 { Int64(Self.number(self.block[136..<148]) ?? 0) }

    private var path: String? {
        let name = self.text(0..<100)
        // Only ustar has the second field; GNU has other things there.
        let isPOSIX = self.block[257..<263].elementsEqual("ustar\0".utf8)
        guard isPOSIX, self.block[345] != 0 else { return name }
        guard let name, let prefix = self.text(345..<500) else { return nil }
        return "\(prefix)/\(name)"
    }

    private func text(_ range: Range<Int>) -> String? {
        String(validating: self.block[range].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Octal digits between spaces and NULs, or, as GNU has it for large ones, 255 bits behind a set one.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 {
            guard first == 0x80 else { return nil }
            return field.dropFirst().reduce(0 as Int?) { number, byte in
                number.flatMap { $0 > Int.max >> 8 ? nil : $0 << 8 | Int(byte) }
            }
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        return digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }

    /// Returns the sum of all bytes, with spaces in place of the sum itself.
    private static func sum(_ block: [UInt8]) -> Int {
        block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    }

    static func noArchive(_ block: [UInt8]) -> ArchiveError {
        let isPacked = [[0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A], [0x42, 0x5A, 0x68]]
            .contains { block.starts(with: $0 as [UInt8]) }
        return ArchiveError(
            isPacked
                ? "the archive is compressed; unpack it first, such as with gunzip"
                : "this is no tar archive; make one with `tapedeck pull --archive FILE` or with tar"
        )
    }
}
