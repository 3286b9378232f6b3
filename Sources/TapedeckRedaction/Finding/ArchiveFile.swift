import TapedeckCodings
package import TapedeckCore

/// Compressed files and archives, by their first bytes. A recording keeps them as they are, whatever they hold: a file with
/// another text in it would have other checksums.
enum ArchiveFile {
    /// The number of bytes that are unpacked of one file.
    static let limit = 32 << 20
    /// Files within files within files.
    private static let depth = 3
    private static let mostEntries = 10_000

    private static let gzip: [UInt8] = [0x1F, 0x8B, 0x08]
    private static let zstd: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// gzip (RFC 1952), zstd (RFC 8878), ZIP, xz, bzip2, 7z and RAR.
    private static let beginnings: [[UInt8]] = [
        Self.gzip, Self.zstd, ZipArchive.signature, ZipArchive.endSignature, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00],
        Array("BZh".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Array("Rar!\u{1A}\u{07}".utf8),
    ]

    static func isOne(_ bytes: [UInt8]) -> Bool {
        Self.beginnings.contains { bytes.starts(with: $0) } || Self.isTar(bytes)
    }

    /// POSIX.1-1988, ustar: the magic of the first header.
    private static func isTar(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 512 && bytes[257..<262].elementsEqual("ustar".utf8)
    }

    /// Returns the files in a file: the content of a compressed file, the members of a ZIP archive. xz, bzip2, 7z and RAR are not
    /// unpacked, and the members of a tar archive stand in it as they are.
    private static func contents(of bytes: [UInt8]) -> [[UInt8]] {
        if bytes.starts(with: ZipArchive.signature) { return Self.members(of: bytes) }
        if bytes.starts(with: Self.gzip) { return Self.unpacked(bytes, .gzip) }
        return bytes.starts(with: Self.zstd) ? Self.unpacked(bytes, .zstd) : []
    }

    /// Returns the file itself, which has names and comments, the files in it, and the files in those.
    static func everything(in bytes: [UInt8], depth: Int = 0) -> [[UInt8]] {
        guard depth < Self.depth else { return [bytes] }
        return [bytes] + Self.contents(of: bytes).flatMap { Self.everything(in: $0, depth: depth + 1) }
    }

    private static func unpacked(_ bytes: [UInt8], _ coding: ContentCoding) -> [[UInt8]] {
        (try? ContentCoder.decodeStart(bytes, coding, limit: Self.limit)).map { [$0.content] } ?? []
    }

    private static func members(of bytes: [UInt8]) -> [[UInt8]] {
        guard let archive = ZipArchive(bytes) else { return [] }
        var contents: [[UInt8]] = []
        var left = Self.limit
        for member in archive.members.prefix(Self.mostEntries) {
            guard let content = archive.content(of: member, limit: left) else { continue }
            left -= content.count
            contents.append(content)
        }
        return contents
    }
}

extension Redactor {
    /// The names of the secrets in bodies that are files which stay as they are: known ones, and tokens of a known form.
    package func secretsInFiles(of exchange: RecordedExchange) -> [String] {
        let bodies = [
            (exchange.requestBody, exchange.requestHeaders), (exchange.response.body, exchange.response.headers),
        ]
        var names: Set<String> = []
        for case (.bytes(let bytes), let headers) in bodies {
            let file = ContentCoder.decoded(bytes, headers, limit: ArchiveFile.limit)
            guard ArchiveFile.isOne(file) else { continue }
            for content in ArchiveFile.everything(in: file) {
                let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
                let edits = content.withUnsafeBytes { finder.edits(in: $0, TextContext(kind: .binary)) }
                names.formUnion(edits.map { $0.known?.name ?? $0.name })
            }
        }
        return names.sorted()
    }
}
