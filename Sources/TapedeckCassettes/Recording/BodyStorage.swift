import TapedeckCore

/// Decides how a recorded body is kept: in the cassette where a person can read it, else in a file beside it.
///
/// Whatever it decides gives back the very bytes: JSON is laid out anew only where ``JSONLayout`` can undo that, text
/// stays text only where it is UTF-8, and a content coding is undone only where the stream is whole.
struct BodyStorage {
    /// Bodies up to this size are written into the cassette, if they can be read there. 64 KiB.
    static let inlineLimit = 64 << 10
    /// Bytes that nobody can read stand in the cassette as base64 up to this size. 1 KiB.
    static let base64Limit = 1 << 10
    /// Up to this size a body file of the journal is looked into; a larger one is only moved. 8 MiB.
    static let inspectionLimit = 8 << 20
    /// A coded body that unpacks to more than this is kept as it came. 64 MiB.
    static let decodedLimit = 64 << 20

    /// A body file that is neither in the journal nor beside the cassette.
    struct Lost: Error {}

    /// The folder for body files, as the cassette names it.
    let folderName: String
    /// The folder the cassette is in.
    let cassetteFolder: String
    /// Where the journal's body files are.
    let journalFolder: String
    let digest: Digest
    /// The files that the stored bodies need.
    private(set) var files: [PlannedFile] = []

    /// A body file that is to be put in place before the cassette names it.
    struct PlannedFile: Sendable {
        enum Source: Sendable {
            case bytes([UInt8])
            case journal(path: String)
        }

        /// As the cassette names it.
        var name: String
        var source: Source
    }

    init(_ location: CassetteLocation, digest: @escaping Digest) {
        self.folderName = location.bodyFolderName
        self.cassetteFolder = location.folder
        self.journalFolder = location.journalFolder
        self.digest = digest
    }

    /// - Parameters:
    ///   - label: a few words from the URL, for the name of a file.
    mutating func store(_ body: RecordedBody, headers: [HeaderField], label: String) throws -> StoredBody {
        switch body {
        case .bytes(let bytes):
            return self.store(bytes, headers: headers, label: label)
        case .file(let name, let size, let sha256):
            let path = FilePath.join(self.journalFolder, name)
            let file = self.fileName(label: label, digest: sha256, headers: headers)
            guard FileContents.exists(path) else {
                // After a crash in the middle of saving, the file is in its place already.
                guard FileContents.size(FilePath.join(self.cassetteFolder, file)) == size else { throw Lost() }
                return .file(BodyFile(name: file, path: file, size: size))
            }
            if size <= Self.inspectionLimit {
                return self.store(try FileContents.read(path), headers: headers, label: label)
            }
            self.files.append(PlannedFile(name: file, source: .journal(path: path)))
            return .file(BodyFile(name: file, path: file, size: size))
        }
    }

    private mutating func store(_ bytes: [UInt8], headers: [HeaderField], label: String) -> StoredBody {
        guard !bytes.isEmpty else { return .none }
        var content = bytes
        var coding: ContentCoding?
        let named = headers.filter { $0.isNamed("content-encoding") }
        if named.count == 1, let found = ContentCoding(fieldValue: named[0].value),
            let decoded = try? ContentCoder.decode(bytes, found, limit: Self.decodedLimit)
        {
            content = decoded
            coding = found
        }
        if let inline = Self.inline(content, headers: headers, coding: coding) { return .inline(inline) }
        let name = self.fileName(label: label, digest: self.digest(content), headers: headers)
        self.files.append(PlannedFile(name: name, source: .bytes(content)))
        return .file(BodyFile(name: name, path: name, size: content.count, coding: coding))
    }

    private static func inline(_ content: [UInt8], headers: [HeaderField], coding: ContentCoding?) -> InlineBody? {
        guard content.count <= self.inlineLimit else { return nil }
        let (isText, isReadable, readableJSON) = content.withUnsafeBytes { bytes in
            (
                String(validating: bytes, as: UTF8.self) != nil,
                YAMLWriter.canBeLiteral(bytes),
                JSONLayout.readable(bytes)
            )
        }
        let type = ASCII.lowercased(headers.first(named: "content-type") ?? "")
        let claimsJSON = type.contains("json")
        if let readableJSON, claimsJSON || type.isEmpty,
            readableJSON.text.withUnsafeBytes({ YAMLWriter.canBeLiteral($0) })
        {
            return InlineBody(form: .json, content: readableJSON.text, layout: readableJSON.layout, coding: coding)
        }
        // Text that cannot stand in lines of its own is still text, but a long one is not pleasant to read.
        if isText, isReadable || content.count <= self.base64Limit {
            return InlineBody(form: claimsJSON ? .json : .text, content: content, coding: coding)
        }
        guard content.count <= self.base64Limit else { return nil }
        return InlineBody(form: .base64, content: content, coding: coding)
    }

    private func fileName(label: String, digest: String, headers: [HeaderField]) -> String {
        let ending = Self.ending(contentType: headers.first(named: "content-type") ?? "")
        return "\(self.folderName)/\(label)-\(digest.prefix(12)).\(ending)"
    }

    private static let endings: [String: String] = [
        "application/json": "json", "text/html": "html", "text/plain": "txt", "text/css": "css", "text/csv": "csv",
        "application/javascript": "js", "text/javascript": "js", "application/xml": "xml", "text/xml": "xml",
        "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/svg+xml": "svg", "image/webp": "webp",
        "application/pdf": "pdf", "application/zip": "zip", "application/gzip": "gz",
    ]

    private static func ending(contentType: String) -> String {
        let type = ASCII.lowercased(String(contentType.prefix { $0 != ";" && $0 != " " }))
        return self.endings[type] ?? (type.hasSuffix("+json") ? "json" : "bin")
    }
}
