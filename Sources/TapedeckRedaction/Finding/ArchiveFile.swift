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
    /// gzip (RFC 1952), zstd (RFC 8878), ZIP, xz, 7z, RAR, LZ4, CAB, ar (which Debian's packages are), RPM and bzip2.
    private static let beginnings: [[UInt8]] =
        [
            Self.gzip, Self.zstd, ZipArchive.signature, ZipArchive.endSignature, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00],
            [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Array("Rar!\u{1A}\u{07}".utf8), [0x04, 0x22, 0x4D, 0x18],
            Array("MSCF\0\0\0\0".utf8), Array("!<arch>\n".utf8), [0xED, 0xAB, 0xEE, 0xDB],
        ] + (1...9).map { Array("BZh\($0)1AY&SY".utf8) }
    /// Their first bytes, by value: nearly all texts end the search there.
    private static let firsts: [Bool] = (0...255).map { byte in Self.beginnings.contains { $0.first == UInt8(byte) } }
    /// The first two characters of each in base64.
    private static let encodedFirsts: [[UInt8]] = Array(
        Set(Self.beginnings.flatMap { [Base64.encode($0), Base64.encodeURL($0)] }.map { [$0[0], $0[1]] })
    )

    /// Returns true for a file. Its first 12 bytes are enough, except for a tar archive, of which it takes 512, and for a ZIP
    /// archive behind a program.
    static func isOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first else { return false }
        if Self.firsts[Int(first)], Self.beginnings.contains(where: { bytes.starts(with: $0) }) { return true }
        return Self.isTar(bytes) || Self.endsAsZIP(bytes)
    }

    /// Returns true for a ZIP archive behind a program that unpacks it, and without a comment.
    private static func endsAsZIP(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 22 && bytes[(bytes.count - 22)...].starts(with: ZipArchive.endSignature)
    }

    /// Returns true if a body may be a file or hold one: as a part, or in base64.
    static func mayBe(in body: UnsafeRawBufferPointer, contentType: String?) -> Bool {
        Self.isOne(body) || BodyInspection.isMultipart(contentType) || Self.hasLongRun(body)
    }

    /// The fewest characters of a file in base64: less than a token in gzip takes, and than a line of PEM has.
    private static let shortestRun = 64
    /// Also percent-encoded, as in forms.
    private static let runCharacters = ByteClass("A-Za-z0-9+/%_-")

    private static func hasLongRun(_ body: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start + Self.shortestRun <= body.count {
            // From its end, so that most bytes are never read.
            var index = start + Self.shortestRun - 1
            while index >= start, Self.runCharacters.contains(body[index]) { index -= 1 }
            if index < start { return true }
            start = index + 1
        }
        return false
    }

    /// Returns true if a run of base64 may be a file: its first characters decide, unless it is long enough for a tar archive.
    static func mayBegin(inBase64 run: UnsafeRawBufferPointer) -> Bool {
        run.count >= Self.encodedTarSize || Self.encodedFirsts.contains { run[0] == $0[0] && run[1] == $0[1] }
    }

    /// The size of the first header of a tar archive in base64.
    static let encodedTarSize = 684

    /// POSIX.1-1988, ustar: the magic of the first header.
    private static func isTar(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 512 && bytes[257..<262].elementsEqual("ustar".utf8)
    }

    /// Returns the files in a file: the content of a compressed file, the members of a ZIP archive. xz, bzip2, 7z and RAR are not
    /// unpacked, and the members of a tar archive stand in it as they are.
    private static func contents(of bytes: [UInt8]) -> [[UInt8]] {
        if bytes.starts(with: Self.gzip) { return Self.unpacked(bytes, .gzip) }
        if bytes.starts(with: Self.zstd) { return Self.unpacked(bytes, .zstd) }
        return Self.members(of: bytes)
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
            guard let content = archive.content(of: member, limit: left, evenIfChanged: true) else { continue }
            left -= content.count
            contents.append(content)
        }
        return contents
    }
}

extension Redactor {
    /// The names of the secrets in files that stay as they are: known ones, and tokens of a known form. The files are bodies, parts
    /// of them, or in base64.
    package func secretsInFiles(of exchange: RecordedExchange) -> [String] {
        let request = self.files(in: exchange.requestBody, exchange.requestHeaders, isRequest: true)
        let response = self.files(in: exchange.response.body, exchange.response.headers, isRequest: false)
        var names: Set<String> = []
        for content in (request + response).flatMap({ ArchiveFile.everything(in: $0) }) {
            let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
            let edits = content.withUnsafeBytes { finder.editsInFile($0, TextContext(kind: .binary)) }
            names.formUnion(edits.map { $0.known?.name ?? $0.name })
        }
        return names.sorted()
    }

    private func files(in body: RecordedBody, _ headers: [HeaderField], isRequest: Bool) -> [[UInt8]] {
        guard case .bytes(let bytes) = body else { return [] }
        let type = headers.first(named: "content-type")
        return ContentCoder.decoded(bytes, headers, limit: ArchiveFile.limit).withUnsafeBytes { body in
            guard ArchiveFile.mayBe(in: body, contentType: type) else { return [] }
            let finder = SecretFinder(self.rules, self.vault, onlyKnown: false)
            finder.files = []
            _ = finder.edits(inBody: body, contentType: type, isRequest: isRequest)
            return finder.files ?? []
        }
    }
}
