package import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// Redacts a cassette that exists: its file in place, comments and all, and its body files.
package struct SecretScrub {
    /// The result of a scrub.
    package struct Outcome: Sendable, Equatable {
        /// The names of the placeholders that were put in, in the order of the file.
        package var names: [String] = []
        /// The numbers of changed texts and body files.
        package var texts = 0
        package var files = 0
        /// Places that could not be searched, and files outside of the cassette's folder.
        package var left: [ScanFinding] = []

        package var changed: Bool { self.texts > 0 || self.files > 0 }
    }

    private let location: CassetteLocation
    private let digest: Digest
    private let redactor: Redactor
    private let isExact: Bool
    private let document: YAMLDocument
    private let cassette: Cassette
    private var editor: SourceEditor
    private var secrets: [SecretDescription] = []
    private var outcome = Outcome()
    /// The names in the outcome.
    private var noted: Set<String> = []
    /// Body files to write, and to remove once the cassette names them no more.
    private var newFiles: [String: [UInt8]] = [:]
    private var oldFiles: Set<String> = []

    private init(
        _ location: CassetteLocation,
        _ document: YAMLDocument,
        _ cassette: Cassette,
        _ redactor: Redactor,
        isExact: Bool,
        digest: @escaping Digest
    ) {
        self.location = location
        self.document = document
        self.cassette = cassette
        self.redactor = redactor
        self.isExact = isExact
        self.digest = digest
        self.editor = SourceEditor(document.source)
    }

    /// - Parameters:
    ///   - settings: of the project; the cassette's own are added.
    ///   - environment: the deck's.
    ///   - digest: computes SHA-256, which the names of body files come from.
    ///   - isExact: true if the secrets in conditions are the only ones that they match: then the cassette gets their digests.
    ///   - writes: whether anything is written; otherwise the outcome is what would be.
    ///   - progress: counts the texts of the cassette.
    /// - Throws: ``CassetteError`` when the cassette cannot be used, `FileError` when it cannot be written, `RedactionError`
    ///   when its rules cannot be used. Nothing is changed then.
    package static func scrub(
        _ location: CassetteLocation,
        settings: [RedactionSettings],
        environment: [String: String],
        digest: @escaping Digest,
        isExact: Bool = false,
        writes: Bool,
        progress: WorkProgress? = nil
    ) throws -> Outcome {
        let source = try FileContents.read(location.path)
        let read = CassetteReader.read(source, name: location.name, path: location.path)
        guard !read.hasErrors, let document = read.document else {
            throw CassetteError(read.diagnostics.filter { $0.severity == .error })
        }
        let rules = try RedactionRules(settings + [read.cassette.redaction], environment: environment)
        let redactor = SecretScan.redactor(
            rules,
            knowing: read.cassette.secrets,
            environment
        )
        var scrub = SecretScrub(location, document, read.cassette, redactor, isExact: isExact, digest: digest)
        try scrub.edit(progress)
        if writes, scrub.outcome.changed { try scrub.write() }
        return scrub.outcome
    }

    // MARK: Editing

    private mutating func edit(_ progress: WorkProgress?) throws {
        let texts = SecretTexts(self.document, in: self.location.folder)
        let results = texts.redacted(by: self.redactor, progress: progress)
        var suggestions = SecretSuggestions()
        for case .success(let redacted) in results {
            for (_, placeholder) in redacted.withUnsafeBytes({ SecretPlaceholder.all(in: $0) }) {
                suggestions.note(placeholder)
            }
        }
        let taken = SecretPlaceholder.names(in: self.document.source).union(self.cassette.secrets.map(\.name))
        let exact = self.exactSecrets(texts.texts, results, suggestions)
        let names = suggestions.names(besides: taken).merging(exact.mapValues(\.name)) { $1 }
        var setNames = SetNames()
        for case (let text, .success(let redacted)) in zip(texts.texts, results)
        where text.place.kind == .setName && redacted == text.content {
            setNames.keep(text.content)
        }
        for (text, result) in zip(texts.texts, results) {
            switch result {
            case .failure(let failure): self.leave(text, .unsearched(failure.whyUnsearched))
            case .success(let redacted):
                var final = Self.named(redacted, names)
                guard final != text.content else { continue }
                if text.place.kind == .setName { final = setNames.name(final, of: text.content) }
                if text.file != nil, !self.isOwn(text) {
                    self.leave(text, .foreignFile)
                    continue
                }
                self.note(final, text.content)
                try self.replace(text, with: text.encoded(final))
            }
        }
        self.secrets = suggestions.numbers.compactMap { number in
            guard let name = names[number], self.noted.contains(name) else { return nil }
            var secret = exact[number] ?? SecretDescription(name: name)
            secret.shape = self.redactor.vault.shape(number).text.named(names)
            return secret
        }
    }

    /// Names of sets that would be equal without their secrets, and get a number.
    private struct SetNames {
        private var taken: Set<String> = []
        /// By the names with their secrets, which profiles have, too.
        private var given: [[UInt8]: String] = [:]

        mutating func keep(_ name: [UInt8]) { self.taken.insert(ByteText.string(from: name)) }

        mutating func name(_ redacted: [UInt8], of name: [UInt8]) -> [UInt8] {
            let unused = self.given[name] ?? CassetteStore.unusedName(ByteText.string(from: redacted), in: self.taken)
            self.given[name] = unused
            self.taken.insert(unused)
            return ByteText.bytes(of: unused)
        }
    }

    /// The secrets that conditions name, by number, if they are the only ones that match. Their names come from their
    /// digests: one value has one name in all cassettes, and two values never have the same, so that cassettes which play
    /// together, or are joined, keep them apart.
    private func exactSecrets(
        _ texts: [SecretTexts.Text],
        _ results: [Result<[UInt8], RedactionFailure>],
        _ suggestions: SecretSuggestions
    ) -> [Int: SecretDescription] {
        guard self.isExact else { return [:] }
        /// Whether all conditions on a secret ignore its case.
        var asked: [Int: Bool] = [:]
        for case (let text, .success(let redacted)) in zip(texts, results) where text.place.isRequest {
            for (_, placeholder) in redacted.withUnsafeBytes({ SecretPlaceholder.all(in: $0) }) {
                guard let number = placeholder.number else { continue }
                asked[number] = asked[number] ?? true && text.place.ignoresCase
            }
        }
        var secrets: [Int: SecretDescription] = [:]
        var digests: [Int: String] = [:]
        for (number, ignoresCase) in asked {
            guard let value = self.redactor.vault.value(number) else { continue }
            let digest = self.digest(ignoresCase ? value.map(ASCII.lowercased) : value)
            let known = self.cassette.secrets.first { known in
                known.refusesOtherValues && known.ignoresCase == ignoresCase
                    && SecretNames.base(of: known.name) == SecretNames.base(of: suggestions.name(number))
                    && known.sha256.map { digest.hasPrefix($0.lowercased()) } ?? false
            }
            digests[number] = known == nil ? digest : nil
            secrets[number] = known
        }
        // More digits than are needed would say more of the secret.
        let starts = digests.values.reduce(into: [Substring: Int]()) {
            $0[$1.prefix(SecretDescription.digestLength), default: 0] += 1
        }
        for (number, digest) in digests {
            let start = digest.prefix(SecretDescription.digestLength)
            let isAlone = starts[start] == 1
            let digits = isAlone ? start : digest.prefix(3 * SecretDescription.digestLength)
            let ignoresCase = asked[number] ?? false
            // Even for a value with its case, odd for one without, and never 0 or 1, which are no numbers of names.
            let last = 2 * (Int(digits, radix: 16) ?? 0) + (ignoresCase ? 3 : 2)
            let suffix = "-\(last)"
            secrets[number] = SecretDescription(
                name: suggestions.name(number).prefix(64 - suffix.count) + suffix,
                sha256: String(digits),
                refusesOtherValues: true,
                ignoresCase: ignoresCase
            )
        }
        return secrets
    }

    /// With final names in place of the vault's numbers.
    private static func named(_ bytes: [UInt8], _ names: [Int: String]) -> [UInt8] {
        SecretPlaceholder.replacing(in: bytes) { placeholder in
            var placeholder = placeholder
            if let number = placeholder.number { placeholder.name = names[number] ?? placeholder.name }
            placeholder.number = nil
            return Array(placeholder.text.utf8)
        }
    }

    /// Notes the names that are new in a text.
    private mutating func note(_ new: [UInt8], _ old: [UInt8]) {
        let before = SecretPlaceholder.names(in: old)
        for (_, placeholder) in new.withUnsafeBytes({ SecretPlaceholder.all(in: $0) }) {
            let name = placeholder.name
            if !before.contains(name), self.noted.insert(name).inserted { self.outcome.names.append(name) }
        }
    }

    /// True for a body file that a recording wrote; others belong to the user.
    private func isOwn(_ text: SecretTexts.Text) -> Bool {
        text.place.node.string.hasPrefix("\(self.location.bodyFolderName)/")
    }

    private mutating func leave(_ text: SecretTexts.Text, _ kind: ScanFinding.Kind) {
        let position = text.place.node.position
        self.outcome.left.append(
            ScanFinding(path: self.location.path, line: position.line, column: position.column, kind: kind)
        )
    }

    private mutating func replace(_ text: SecretTexts.Text, with content: [UInt8]) throws {
        guard let file = text.file else {
            self.editor.replace(text.place.node.range, with: text.place.node.scalar(content))
            self.outcome.texts += 1
            return
        }
        // The name of a recorded body file has a digest of its content.
        let name = text.place.node.string
        let old = String(self.digest(try FileContents.read(file)).prefix(12))
        let newName = name.replacing(old, with: self.digest(content).prefix(12))
        if self.newFiles.updateValue(content, forKey: FilePath.join(self.location.folder, newName)) == nil {
            self.outcome.files += 1
        }
        guard newName != name else { return }
        self.oldFiles.insert(file)
        self.editor.replace(text.place.node.range, with: text.place.node.scalar(Array(newName.utf8)))
    }

    // MARK: Writing

    private func write() throws {
        let before = Set(self.newFiles.keys.filter { FileContents.exists($0) })
        do {
            for (path, bytes) in self.newFiles { try FileContents.replace(path, with: bytes) }
            try CassetteStore.onDisk.replace(self.location, from: self.document.source, with: try self.text())
        } catch {
            for path in self.newFiles.keys where !before.contains(path) { try? FileContents.remove(path) }
            throw error
        }
        for file in self.oldFiles { try FileContents.remove(file) }
    }

    /// The new text, with what is known of its new secrets, read back: no cassette is replaced by one that could not be
    /// used.
    private func text() throws -> [UInt8] {
        let text = self.editor.result()
        let read = try self.readBack(text)
        // If nothing can be added to its layout, the entry is left out: a secret without a shape plays as a token.
        guard let whole = CassetteMerge.text(of: read, adding: self.secrets) else { return text }
        _ = try self.readBack(whole)
        return whole
    }

    private func readBack(_ text: [UInt8]) throws -> CassetteReader.Result {
        let read = CassetteReader.read(text, name: self.location.name, path: self.location.path)
        guard !read.hasErrors else { throw CassetteError(read.diagnostics.filter { $0.severity == .error }) }
        return read
    }
}
