import TapedeckCodings
package import TapedeckCore

/// Compressed files and archives, by their first bytes. A recording keeps them as they are, whatever they hold: a file with
/// another text in it would have other checksums.
package enum PackedFile {
    /// The number of bytes that are unpacked of one file.
    static let limit = 32 << 20
    /// Files within files within files.
    private static let depth = 3
    private static let mostEntries = 10_000

    /// gzip (RFC 1952), zstd (RFC 8878), xz, bzip2, 7z, RAR and ZIP, also when empty.
    private static let beginnings: [[UInt8]] = [
        [0x1F, 0x8B, 0x08], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], Array("BZh".utf8),
        [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Array("Rar!\u{1A}\u{07}".utf8), Self.zipEntry, [0x50, 0x4B, 0x05, 0x06],
    ]
    private static let zipEntry: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    private static let zipDirectoryEntry: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
    private static let zipEnd: [UInt8] = [0x50, 0x4B, 0x05, 0x06]

    static func isOne(_ bytes: [UInt8]) -> Bool {
        Self.beginnings.contains { bytes.starts(with: $0) } || Self.isTar(bytes)
    }

    /// POSIX.1-1988, ustar: the magic of the first header.
    private static func isTar(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 512 && bytes[257..<262].elementsEqual("ustar".utf8)
    }

    /// What a file holds, as far as it can be unpacked here: the content of a compressed file, the files of a ZIP archive, a tar
    /// archive as a whole. Nothing for xz, bzip2, 7z and RAR.
    static func contents(of bytes: [UInt8]) -> [[UInt8]] {
        if bytes.starts(with: Self.zipEntry) { return Self.zipContents(bytes) }
        if bytes.starts(with: Self.beginnings[0]) { return Self.unpacked(bytes, .gzip) }
        if bytes.starts(with: Self.beginnings[1]) { return Self.unpacked(bytes, .zstd) }
        return Self.isTar(bytes) ? [bytes] : []
    }

    /// The file itself, which has names and comments, what it holds, and what files in it hold.
    static func everything(in bytes: [UInt8], depth: Int = 0) -> [[UInt8]] {
        guard depth < Self.depth, Self.isOne(bytes) else { return [bytes] }
        // A tar archive is its own content.
        if Self.isTar(bytes) { return [bytes] }
        return [bytes] + Self.contents(of: bytes).flatMap { Self.everything(in: $0, depth: depth + 1) }
    }

    private static func unpacked(_ bytes: [UInt8], _ coding: ContentCoding) -> [[UInt8]] {
        (try? ContentCoder.decodeStart(bytes, coding, limit: Self.limit)).map { [$0.content] } ?? []
    }

    /// The files that the central directory lists (PKWARE APPNOTE 4.3), stored or deflated.
    private static func zipContents(_ bytes: [UInt8]) -> [[UInt8]] {
        func number(_ index: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | (index + $1 < bytes.count ? Int(bytes[index + $1]) << (8 * $1) : 0) }
        }
        // Behind it there is a comment of up to 65,535 bytes.
        let first = max(0, bytes.count - 65_557)
        guard bytes.count >= 22,
            let end = (first...(bytes.count - 22)).last(where: { bytes[$0...].starts(with: Self.zipEnd) })
        else { return [] }
        var contents: [[UInt8]] = []
        var left = Self.limit
        var entry = number(end + 16, 4)
        for _ in 0..<min(number(end + 10, 2), Self.mostEntries) {
            guard entry + 46 <= bytes.count, bytes[entry...].starts(with: Self.zipDirectoryEntry) else { break }
            let (method, size, header) = (number(entry + 10, 2), number(entry + 20, 4), number(entry + 42, 4))
            let start = header + 30 + number(header + 26, 2) + number(header + 28, 2)
            entry += 46 + number(entry + 28, 2) + number(entry + 30, 2) + number(entry + 32, 2)
            guard header + 30 <= bytes.count, start <= bytes.count, size <= bytes.count - start else { continue }
            let packed = Array(bytes[start..<(start + size)])
            guard let content = method == 0 ? packed : try? ContentCoder.decode(packed, .deflate, limit: left) else {
                continue
            }
            left -= content.count
            if left <= 0 { break }
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
            let file = ContentCoder.decoded(bytes, headers, limit: PackedFile.limit)
            guard PackedFile.isOne(file) else { continue }
            for content in PackedFile.everything(in: file) {
                let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
                let edits = content.withUnsafeBytes { finder.edits(in: $0, TextContext(kind: .binary)) }
                names.formUnion(edits.map { $0.known?.name ?? $0.name })
            }
        }
        return names.sorted()
    }
}
