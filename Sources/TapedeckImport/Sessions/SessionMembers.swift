/// The members of an archive, read one after the other.
struct SessionMembers {
    /// The most that all members of an archive may unpack to. 1 GiB.
    private static let limit = 1 << 30

    let names: [String]
    private let file: ImportFile
    private var size = 0

    init(_ file: ImportFile) {
        self.file = file
        self.names = file.siblings()
    }

    /// Reads a member.
    ///
    /// - Throws: the reason for which it cannot be read.
    mutating func content(of name: String, line: Int) throws(LeftOut) -> [UInt8] {
        guard self.size < Self.limit else {
            throw LeftOut("it is not read: the archive unpacks to more than \(Self.limit >> 30) GiB", line: line)
        }
        guard let content = self.file.side(name) else {
            throw LeftOut("'\(name.prefix(200))' in the archive cannot be unpacked", line: line)
        }
        self.size += content.count
        return content
    }

    /// Reads a member; `nil` without a name.
    ///
    /// - Throws: the reason for which it cannot be read.
    mutating func content(ifAny name: String?, line: Int) throws(LeftOut) -> [UInt8]? {
        guard let name else { return nil }
        return try self.content(of: name, line: line)
    }
}
