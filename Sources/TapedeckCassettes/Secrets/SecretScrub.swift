import TapedeckCodings
package import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// Redacts a cassette that exists: its file in place, comments and all, and its body files.
package struct SecretScrub {
    /// What a scrub came to.
    package struct Outcome: Sendable, Equatable {
        /// The names of the placeholders that were put in, in the order of the file.
        package var names: [String] = []
        /// How many texts of the cassette, and how many body files, are others now.
        package var texts = 0
        package var files = 0
        /// What could not be searched.
        package var unsearched: [SecretFinding] = []

        package var changed: Bool { self.texts > 0 || self.files > 0 }
    }

    private let location: CassetteLocation
    private let digest: Digest
    private let redactor: Redactor
    private let document: YAMLDocument
    private let cassette: Cassette
    private var editor: SourceEditor
    private var names: SecretNames
    private var outcome = Outcome()
    /// Body files to write and to remove once the cassette names them no more.
    private var newFiles: [(path: String, bytes: [UInt8])] = []
    private var oldFiles: [String] = []

    private init(
        _ location: CassetteLocation,
        _ document: YAMLDocument,
        _ cassette: Cassette,
        _ redactor: Redactor,
        digest: @escaping Digest
    ) {
        self.location = location
        self.document = document
        self.cassette = cassette
        self.redactor = redactor
        self.digest = digest
        self.editor = SourceEditor(document.source)
        self.names = SecretNames(taken: Set(cassette.secrets.map(\.name)))
    }

    /// - Parameters:
    ///   - settings: of the project; the cassette's own are added.
    ///   - environment: the deck's.
    ///   - digest: computes SHA-256, which the names of body files come from.
    ///   - writes: whether anything is written; otherwise the outcome is what would be.
    /// - Throws: ``CassetteError`` when the cassette cannot be used, `FileError` when it cannot be written, `RedactionError`
    ///   when its rules cannot be used. Nothing is changed then.
    package static func scrub(
        _ location: CassetteLocation,
        settings: [RedactionSettings],
        environment: [String: String],
        digest: @escaping Digest,
        writes: Bool
    ) throws -> Outcome {
        let source = try FileContents.read(location.path)
        let read = CassetteReader.read(source, name: location.name, path: location.path)
        guard !read.hasErrors, let document = read.document else {
            throw CassetteError(read.diagnostics.filter { $0.severity == .error })
        }
        let rules = try RedactionRules(settings + [read.cassette.redaction], environment: environment)
        let known = SecretValues(read.cassette.secrets, environment: environment)
        var redactor = Redactor(rules, vault: SecretVault(known: known))
        redactor.bodyLimit = SecretScan.bodyLimit
        var scrub = SecretScrub(location, document, read.cassette, redactor, digest: digest)
        scrub.edit()
        scrub.outcome.names = scrub.names.given.map(\.name)
        if writes, scrub.outcome.changed { try scrub.write() }
        return scrub.outcome
    }

    // MARK: Finding

    private mutating func edit() {
        let places = SecretPlace.all(in: self.document)
        // What is found further down may stand further up, where no rule sees it.
        var known = -1
        while known != self.redactor.vault.count {
            known = self.redactor.vault.count
            for place in places { _ = self.redacted(place) }
        }
        for place in places {
            guard let content = self.content(of: place) else { continue }
            switch self.redacted(place) {
            case nil: continue
            case .failure(let failure)?: self.note(failure, place)
            case .success(let redacted)?:
                let final = self.named(redacted)
                guard final != content else { continue }
                if case .file = place.kind {
                    self.replaceFile(place, with: final)
                } else {
                    self.replace(place, with: final)
                }
            }
        }
    }

    private func content(of place: SecretPlace) -> [UInt8]? {
        switch place.kind {
        case .base64: place.node.withScalarBytes { Base64.decode($0) }
        case .file: self.path(of: place).flatMap { try? FileContents.read($0) }
        default: place.node.bytes
        }
    }

    /// Only files that a recording put there; one elsewhere is somebody's own.
    private func path(of place: SecretPlace) -> String? {
        let name = place.node.string
        guard name.hasPrefix("\(self.location.bodyFolderName)/"), !name.split(separator: "/").contains("..") else {
            return nil
        }
        return FilePath.join(self.location.folder, name)
    }

    private func redacted(_ place: SecretPlace) -> Result<[UInt8], RedactionFailure>? {
        guard let content = self.content(of: place) else { return nil }
        do {
            return .success(try self.redactor.redact(content, as: place.kind))
        } catch {
            return .failure(error)
        }
    }

    private mutating func note(_ failure: RedactionFailure, _ place: SecretPlace) {
        let position = place.node.position
        self.outcome.unsearched.append(
            SecretFinding(
                path: self.location.path,
                line: position.line,
                column: position.column,
                kind: .unsearched("\(failure)"),
                isEncoded: false
            )
        )
    }

    // MARK: Replacing

    /// With final names in place of the vault's numbers.
    private mutating func named(_ bytes: [UInt8]) -> [UInt8] {
        var names = self.names
        defer { self.names = names }
        return SecretPlaceholder.replacing(in: bytes) { placeholder in
            Array(names.final(placeholder).text.utf8)
        }
    }

    private mutating func replace(_ place: SecretPlace, with content: [UInt8]) {
        var content = content
        if case .base64 = place.kind { content = Base64.encode(content) }
        self.editor.replace(place.node.range, with: Self.scalar(content, like: place.node))
        self.outcome.texts += 1
    }

    /// A text written as the one that it stands in for: a block as a block.
    private static func scalar(_ content: [UInt8], like node: YAMLNode) -> [UInt8] {
        var writer = YAMLWriter()
        let source = node.document.source
        guard node.style == .literal || node.style == .folded,
            content.withUnsafeBytes({ YAMLWriter.canBeLiteral($0) }),
            let feed = source[node.range].firstIndex(of: ASCII.lineFeed)
        else {
            writer.scalar(content)
            if node.range.upperBound > 0, source[node.range.upperBound - 1] == ASCII.lineFeed { writer.newline() }
            return writer.bytes
        }
        let header = source[node.range.lowerBound..<feed]
        let lines = source[source.index(after: feed)..<node.range.upperBound]
        let indent =
            lines.split(separator: ASCII.lineFeed).lazy.map { $0.prefix { $0 == ASCII.space }.count }.min() ?? 2
        let step = header.compactMap { (0x31...0x39).contains($0) ? Int($0 - 0x30) : nil }.first ?? 2
        content.withUnsafeBytes { writer.literal($0, indent: indent, step: step) }
        return writer.bytes
    }

    private mutating func replaceFile(_ place: SecretPlace, with content: [UInt8]) {
        guard let old = self.path(of: place), let before = try? FileContents.read(old) else { return }
        // The name of a recorded body file holds a digest of what was in it.
        let name = place.node.string.replacing(self.digest(before).prefix(12), with: self.digest(content).prefix(12))
        self.newFiles.append((FilePath.join(self.location.folder, name), content))
        if name != place.node.string {
            self.oldFiles.append(old)
            var writer = YAMLWriter()
            writer.scalar(name)
            self.editor.replace(place.node.range, with: writer.bytes)
        }
        self.outcome.files += 1
    }

    // MARK: Writing

    private mutating func write() throws {
        let text = self.editor.result()
        let read = CassetteReader.read(text, name: self.location.name, path: self.location.path)
        // Body files under their new names are not there yet.
        let problems = read.diagnostics.filter { $0.severity == .error && !$0.message.contains("body file") }
        guard problems.isEmpty else { throw CassetteError(problems) }
        for file in self.newFiles { try FileContents.replace(file.path, with: file.bytes) }
        try FileContents.replace(self.location.path, with: text)
        for file in self.oldFiles { try FileContents.remove(file) }
    }
}
