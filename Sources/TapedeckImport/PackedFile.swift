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
        side: @escaping ImportFile.Sides = { _ in nil },
        siblings: @escaping ImportFile.Siblings = { [] }
    ) throws(ForeignError) -> [ImportFile] {
        if bytes.starts(with: ZipArchive.signature) {
            guard let archive = ZipArchive(bytes), archive.isWhole else {
                throw ForeignError(message: "it is a zip archive whose directory cannot be read", line: 1, column: 1)
            }
            guard !archive.hasPassword else {
                throw ForeignError(
                    message: "it is a zip archive with a password: save it without one",
                    line: 1,
                    column: 1
                )
            }
            let members = Dictionary(archive.members.map { ($0.name, $0) }) { first, _ in first }
            @Sendable func content(_ name: String) -> [UInt8]? {
                members[name].flatMap { archive.content(of: $0, limit: self.limit) }
            }
            let all = archive.members.map(\.name).filter { !$0.hasSuffix("/") }.sorted()
            let names = all.filter { $0.hasSuffix(".har") || $0.hasSuffix(".HAR") }
            guard !names.isEmpty else {
                let file = ImportFile(path: path, bytes: [], side: content, siblings: { all }, isArchive: true)
                guard ImportFormats.plain.recognising(file) == nil else { return [file] }
                let message =
                    "it is a zip archive without a .har file, and no session of Charles, Proxyman or Fiddler: unpack it first"
                throw ForeignError(message: message, line: 1, column: 1)
            }
            var files: [ImportFile] = []
            for name in names {
                let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
                guard let har = content(name) else {
                    throw ForeignError(message: "'\(name.prefix(200))' in it cannot be unpacked", line: 1, column: 1)
                }
                files.append(ImportFile(path: path, bytes: har) { content(folder + $0) })
            }
            return files
        }
        // Neither of them begins like a text: 1F is a control character, and the header of zlib is checked.
        let isGzip = bytes.starts(with: [0x1F, 0x8B])
        let isZlib = bytes.first == 0x78 && bytes.count > 1 && (0x7800 | Int(bytes[1])).isMultiple(of: 31)
        guard isGzip || isZlib else { return [ImportFile(path: path, bytes: bytes, side: side, siblings: siblings)] }
        do {
            let content = try ContentCoder.decode(bytes, isGzip ? .gzip : .deflate, limit: self.limit)
            return [ImportFile(path: path, bytes: content, side: side, siblings: siblings)]
        } catch let problem as ContentCoder.Problem {
            guard isGzip || self.isTooLarge(problem) else {
                return [ImportFile(path: path, bytes: bytes, side: side, siblings: siblings)]
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
