import TapedeckCodings
import TapedeckCore
import TapedeckLocking
import TapedeckProtobuf
import TapedeckYAML

/// Chooses the form of a recorded body: in the cassette if a person can read it, else in a separate file.
///
/// Every form reproduces the exact bytes: JSON is formatted only if ``JSONLayout`` can undo that, text stays text only
/// if it is UTF-8, and content codings are decoded only if the streams are complete. Their parameters are found by
/// encoding again and comparing; if that fails, the coded bytes are kept in a separate file.
package struct BodyStorage {
    /// Bodies up to this size are written into the cassette, if they can be read there. 64 KiB.
    static let inlineLimit = 64 << 10
    /// Once the bodies in a cassette have this size together, only those up to ``base64Limit`` are written into it. 64 MiB:
    /// a cassette is in memory as a whole.
    static let inlineBudget = 64 << 20
    /// The maximum size of unreadable bytes in the cassette, as base64. 1 KiB.
    static let base64Limit = 1 << 10
    /// Up to this size a body file of the journal is looked into; a larger one is only moved. 8 MiB.
    package static let inspectionLimit = 8 << 20
    /// The maximum decoded size of a body; a larger one is kept coded. 64 MiB.
    static let decodedLimit = 64 << 20

    /// A body file that is neither in the journal nor in the cassette's folder.
    struct Lost: Error {}

    /// The folder for body files, as the cassette names it.
    private let folderName: String
    /// The folder the cassette is in.
    private let cassetteFolder: String
    /// The folder of the journal's body files.
    private let journalFolder: String
    let digest: Digest
    /// Say what would be stored, and put nothing in place.
    private var isTrial = false
    /// Gets the name of each file before it is put in place.
    private let ledger: BodyLedger?
    private let escapes = Locked(false)
    /// The size of the bodies that are in the cassette so far.
    private let inlined = Locked(0)

    /// True once a body was stored in which live text that looks like a placeholder is escaped.
    var hasEscapes: Bool { self.escapes.withLock { $0 } }
    /// Finds how coded bodies were packed; one for all of a recording, as it learns.
    let recipes = RecipeSearch()
    /// The types of the messages of calls, where they are known.
    private let descriptors: DescriptorSet?

    /// - Parameters:
    ///   - journal: where the journal is, if not where the location's own is.
    ///   - ledger: the list of files that may be left unnamed; `nil` where nothing is put in place.
    init(
        _ location: CassetteLocation,
        journal: String? = nil,
        ledger: BodyLedger? = nil,
        descriptors: DescriptorSet? = nil,
        digest: @escaping Digest
    ) {
        self.descriptors = descriptors
        self.folderName = location.bodyFolderName
        self.cassetteFolder = location.folder
        self.journalFolder = journal ?? location.journalFolder
        self.ledger = ledger
        self.digest = digest
    }

    /// A copy that installs no files.
    var trial: BodyStorage {
        var trial = self
        trial.isTrial = true
        return trial
    }

    /// Moves files to their places at once, one after the other, so that memory holds only one. That is safe before the
    /// cassette names them: the name depends on the content, so no file is ever replaced by another.
    ///
    /// - Parameters:
    ///   - headers: the header fields of the body's message.
    ///   - accepted: the codings that the client had offered; the body is kept for all clients in any other coding.
    ///   - label: a short text from the URL, for the name of a file; most bodies need none.
    /// - Throws: ``Lost`` for a body whose file is gone, `FileError` for one that cannot be moved.
    func store(
        _ body: RecordedBody,
        headers: [HeaderField],
        accepted: AcceptedCodings = .all,
        type: MessageType? = nil,
        label: @autoclosure () -> String
    ) throws -> StoredBody {
        switch body {
        case .bytes(let bytes):
            return try self.store(bytes, headers: headers, accepted, type, label: label())
        case .file(let name, let size, let sha256):
            let source = FilePath.join(self.journalFolder, name)
            let file = self.fileName(label: label(), digest: sha256, headers: headers)
            let place = FilePath.join(self.cassetteFolder, file)
            guard FileContents.exists(source) else {
                // It is in its place already: put there for another take, or before a crash in the middle of saving.
                guard FileContents.size(place) == size else { throw Lost() }
                return .file(BodyFile(name: file, path: place, size: size))
            }
            if size <= Self.inspectionLimit {
                // It was not searched, so it has no escapes yet.
                let bytes = try FileContents.read(source)
                let escaped = PlaceholderEscape.escaped(bytes)
                let isEscaped = escaped.count != bytes.count
                return try self.store(
                    escaped,
                    from: isEscaped ? nil : source,
                    headers: headers,
                    accepted,
                    type,
                    label: label()
                )
            }
            if !self.isTrial { try self.move(source, to: place, named: file) }
            return .file(BodyFile(name: file, path: place, size: size))
        }
    }

    /// The method of a call; `nil` where no descriptor says it.
    func method(of exchange: RecordedExchange) -> MethodDescriptor? {
        self.descriptors?.method(atURL: exchange.url)
    }

    /// A body file of the journal.
    func journalBody(_ name: String) throws -> [UInt8] {
        try FileContents.read(FilePath.join(self.journalFolder, name))
    }

    private func move(_ source: String, to place: String, named name: String) throws {
        if !FileContents.exists(place) { try self.ledger?.note(name) }
        try FileContents.makeFolder(FilePath.folder(of: place))
        try FileContents.synchronise(source)
        try FileContents.move(source, to: place)
        try FileContents.share(place)
    }

    private func write(_ content: [UInt8], to place: String, named name: String) throws {
        if !FileContents.exists(place) { try self.ledger?.note(name) }
        try FileContents.makeFolder(FilePath.folder(of: place))
        try FileContents.replace(place, with: content)
    }

    /// - Parameter source: the file that has the bytes already. Where they are kept as they are it is moved, so that a
    ///   disk that is nearly full need not hold them twice.
    private func store(
        _ bytes: [UInt8],
        from source: String? = nil,
        headers: [HeaderField],
        _ accepted: AcceptedCodings,
        _ type: MessageType?,
        label: @autoclosure () -> String
    ) throws -> StoredBody {
        guard !bytes.isEmpty else { return .none }
        var content = bytes
        var coding: BodyCoding?
        if let codings = ContentCoding.all(of: headers), !codings.isEmpty,
            let decoded = try? ContentCoder.decode(bytes, codings, limit: Self.decodedLimit)
        {
            content = decoded
            coding = try self.coding(bytes, codings, accepted, label: label())
        }
        if content.withUnsafeBytes({ !PlaceholderEscape.places(in: $0, onlyEscaped: true).isEmpty }) {
            self.escapes.withLock { $0 = true }
        }
        let isFull = !self.isTrial && self.inlined.withLock { $0 } > Self.inlineBudget
        if coding == nil, !isFull, let messages = self.messages(content, headers, type) {
            if !self.isTrial { self.inlined.withLock { $0 += content.count } }
            return .inline(InlineBody(messages))
        }
        if content.count <= (isFull ? Self.base64Limit : Self.inlineLimit),
            let inline = Self.inline(content, headers: headers, coding: coding)
        {
            if !self.isTrial { self.inlined.withLock { $0 += content.count } }
            return .inline(inline)
        }
        let name = self.fileName(label: label(), digest: self.digest(content), headers: headers)
        let place = FilePath.join(self.cassetteFolder, name)
        if !self.isTrial, FileContents.size(place) != content.count {
            if let source, coding == nil {
                try self.move(source, to: place, named: name)
            } else {
                try self.write(content, to: place, named: name)
            }
        }
        return .file(BodyFile(name: name, path: place, size: content.count, coding: coding))
    }

    /// Returns the codings of a body. If no parameters reproduce the exact bytes, they are kept in a file.
    private func coding(
        _ bytes: [UInt8],
        _ codings: [ContentCoding],
        _ accepted: AcceptedCodings,
        label: @autoclosure () -> String
    ) throws -> BodyCoding {
        guard !self.isTrial else { return BodyCoding(codings) }
        let (layers, isExact) = try self.recipes.recipes(for: bytes, codings, limit: Self.decodedLimit)
        var coding = BodyCoding(layers: layers)
        coding.isForAll = !accepted.accepts(coding)
        if !isExact {
            let ending = Self.codingEndings[codings[codings.count - 1]] ?? "bin"
            let name = "\(self.folderName)/\(label())-\(self.digest(bytes).prefix(12)).\(ending)"
            let place = FilePath.join(self.cassetteFolder, name)
            if FileContents.size(place) != bytes.count { try self.write(bytes, to: place, named: name) }
            coding.kept = .file(BodyFile(name: name, path: place, size: bytes.count))
        }
        return coding
    }

    private static func inline(_ content: [UInt8], headers: [HeaderField], coding: BodyCoding?) -> InlineBody? {
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
        // Text that cannot be written as lines is still text, but unreadable if long.
        if isText, isReadable || content.count <= self.base64Limit {
            // `json` is refused for anything else, such as lines of JSON, or an answer that was cut off.
            let isJSON = claimsJSON && BodyJSON.error(in: content) == nil
            return InlineBody(form: isJSON ? .json : .text, content: content, coding: coding)
        }
        guard content.count <= self.base64Limit else { return nil }
        return InlineBody(form: .base64, content: content, coding: coding)
    }

    private func fileName(label: String, digest: String, headers: [HeaderField]) -> String {
        let ending = Self.ending(contentType: headers.first(named: "content-type") ?? "")
        return "\(self.folderName)/\(label)-\(digest.prefix(12)).\(ending)"
    }

    /// True if the name ends as a recording ends those of body files: with 12 digits of the content's digest, and an
    /// ending.
    package static func isRecordedName(_ name: String) -> Bool {
        let stem = name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
        guard let dash = stem.lastIndex(of: "-") else { return false }
        let digits = stem[stem.index(after: dash)...].utf8
        return digits.count == 12 && digits.allSatisfy { ASCII.hexValue($0) != nil }
    }

    private static let codingEndings: [ContentCoding: String] = [
        .gzip: "gz", .deflate: "zz", .br: "br", .zstd: "zst",
    ]

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
