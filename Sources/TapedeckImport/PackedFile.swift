import TapedeckCodings
import TapedeckCore

/// Files of other tools that are compressed: gzip, VCR's `.zz`, and zip archives such as those of Playwright.
package enum PackedFile {
    /// The most that a file, or a member of an archive, may unpack to. 256 MiB.
    private static let limit = 256 << 20

    /// Returns the files to import: the unpacked ones, or the file itself.
    ///
    /// - Throws: ``ForeignError`` if it cannot be unpacked, or is too large unpacked.
    package static func files(
        path: String,
        bytes: [UInt8],
        side: @escaping ImportFile.Sides = { _ in nil }
    ) throws(ForeignError) -> [ImportFile] {
        if bytes.starts(with: ZipArchive.signature) {
            let archive = try ZipArchive(bytes)
            let names = archive.names.filter { $0.hasSuffix(".har") || $0.hasSuffix(".HAR") }
            guard !names.isEmpty else {
                let message = "it is a zip archive without a .har file: unpack it first"
                throw ForeignError(message: message, line: 1, column: 1)
            }
            var files: [ImportFile] = []
            for name in names {
                let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
                guard let content = archive.content(of: name, limit: self.limit) else {
                    throw ForeignError(message: "'\(name.prefix(200))' in it cannot be unpacked", line: 1, column: 1)
                }
                files.append(
                    ImportFile(path: path, bytes: content) { archive.content(of: folder + $0, limit: self.limit) }
                )
            }
            return files
        }
        // Neither of them begins like a text: 1F is a control character, and the header of zlib is checked.
        let isGzip = bytes.starts(with: [0x1F, 0x8B])
        let isZlib = bytes.first == 0x78 && bytes.count > 1 && (0x7800 | Int(bytes[1])).isMultiple(of: 31)
        guard isGzip || isZlib else { return [ImportFile(path: path, bytes: bytes, side: side)] }
        do {
            let content = try ContentCoder.decode(bytes, isGzip ? .gzip : .deflate, limit: self.limit)
            return [ImportFile(path: path, bytes: content, side: side)]
        } catch let problem as ContentCoder.Problem {
            guard isGzip || self.isTooLarge(problem) else {
                return [ImportFile(path: path, bytes: bytes, side: side)]
            }
            throw ForeignError(message: "it cannot be unpacked: \(problem)", line: 1, column: 1)
        } catch {
            throw ForeignError(message: "it cannot be unpacked: \(error)", line: 1, column: 1)
        }
    }

    private static func isTooLarge(_ problem: ContentCoder.Problem) -> Bool {
        if case .tooLarge = problem { true } else { false }
    }
}

/// A zip archive in memory (APPNOTE.TXT of PKWARE): members that are stored or deflated, without encryption, of less than
/// 4 GiB.
struct ZipArchive: Sendable {
    static let signature: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

    private struct Member {
        let offset: Int
        let size: Int
        let isStored: Bool
    }

    private let bytes: [UInt8]
    private var members: [String: Member] = [:]
    /// In the order of the archive.
    private(set) var names: [String] = []

    /// - Throws: ``ForeignError`` for an archive without a directory at its end, or with one that leads out of the file.
    init(_ bytes: [UInt8]) throws(ForeignError) {
        self.bytes = bytes
        let broken = ForeignError(message: "it is a zip archive whose directory cannot be read", line: 1, column: 1)
        // The end record is 22 bytes, and a comment of at most 65,535.
        var end = bytes.count - 22
        let first = max(0, end - 65_535)
        while end >= first, !bytes[end...].starts(with: [0x50, 0x4B, 0x05, 0x06]) { end -= 1 }
        guard end >= first else { throw broken }
        var at = self.number(at: end + 16, 4)
        for _ in 0..<self.number(at: end + 10, 2) {
            guard at + 46 <= bytes.count, bytes[at...].starts(with: [0x50, 0x4B, 0x01, 0x02]) else { throw broken }
            let length = self.number(at: at + 28, 2)
            guard at + 46 + length <= bytes.count else { throw broken }
            let name = String(decoding: bytes[(at + 46)..<(at + 46 + length)], as: UTF8.self)
            let isPlain = self.number(at: at + 8, 2) & 1 == 0
            let method = self.number(at: at + 10, 2)
            if isPlain, method == 0 || method == 8, !name.hasSuffix("/"), self.members[name] == nil {
                self.members[name] = Member(
                    offset: self.number(at: at + 42, 4),
                    size: self.number(at: at + 20, 4),
                    isStored: method == 0
                )
                self.names.append(name)
            }
            at += 46 + length + self.number(at: at + 30, 2) + self.number(at: at + 32, 2)
        }
    }

    /// Returns the content of a member; `nil` if it is missing, damaged, or larger than `limit`.
    func content(of name: String, limit: Int) -> [UInt8]? {
        guard let member = self.members[name], member.offset + 30 <= self.bytes.count,
            self.bytes[member.offset...].starts(with: Self.signature)
        else { return nil }
        let start =
            member.offset + 30 + self.number(at: member.offset + 26, 2) + self.number(at: member.offset + 28, 2)
        guard start + member.size <= self.bytes.count else { return nil }
        let packed = Array(self.bytes[start..<(start + member.size)])
        if member.isStored { return packed.count <= limit ? packed : nil }
        return try? ContentCoder.decode(packed, .deflate, limit: limit)
    }

    /// A number of some bytes, the lowest first; 0 where the file ends before.
    private func number(at offset: Int, _ count: Int) -> Int {
        guard offset >= 0, offset + count <= self.bytes.count else { return 0 }
        return self.bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
