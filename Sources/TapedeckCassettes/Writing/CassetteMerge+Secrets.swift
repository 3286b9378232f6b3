package import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// The secrets of a cassette: an entry for each placeholder in it. A person's additions to an entry stay, and so does
/// an entry with a variable, which may be meant for a later recording.
extension CassetteMerge {
    /// Returns the text of a cassette with the secrets that it does not describe yet; `nil` if its layout leaves no place
    /// for them.
    package static func text(of read: CassetteReader.Result, adding secrets: [SecretDescription]) -> [UInt8]? {
        self.edit(
            Input(
                recording: SortedRecording(),
                cassette: read.cassette,
                document: read.document,
                leftovers: .keep,
                isAppending: false,
                secrets: secrets,
                // The cassette's own declarations stay.
                namesInFiles: Set(read.cassette.secrets.map(\.name))
            )
        )
    }

    private struct Change {
        var added: [SecretDescription]
        var removed: Set<String>
        /// Those that get a variable.
        var changed: [SecretDescription]
        /// True if the cassette has `secrets:` for its escapes, whether or not there is a secret.
        var declares: Bool

        func isEmpty(for cassette: Cassette) -> Bool {
            self.added.isEmpty && self.removed.isEmpty && self.changed.isEmpty
                && (cassette.declaresSecrets || !self.declares)
        }

        /// Returns those of the cassette that stay, as they will be.
        func kept(_ secrets: [SecretDescription]) -> [SecretDescription] {
            secrets.filter { !self.removed.contains($0.name) }.map { secret in
                self.changed.first { $0.name == secret.name } ?? secret
            }
        }

        /// - Parameter text: of the cassette as it will be.
        init(_ input: Input, text: [UInt8]) {
            let used = SecretPlaceholder.names(in: text).union(input.namesInFiles)
            let present = Set(input.cassette.secrets.map(\.name))
            // A base64 body hides its placeholders in the text, so those of the recording count too.
            let selecting = input.recording.namesOfCredentials(input.cassette)
            self.added = input.secrets.filter { !present.contains($0.name) }.sorted { $0.name < $1.name }
            // Elsewhere than where it tells users apart a variable would be noise.
            for (index, secret) in self.added.enumerated()
            where (selecting.count < 2 || !selecting.contains(secret.name))
                && secret.machine == nil
            {
                self.added[index].environment = nil
            }
            self.changed = input.cassette.secrets.compactMap { secret in
                var secret = secret
                guard secret.environment == nil, selecting.count > 1, selecting.contains(secret.name) else {
                    return nil
                }
                secret.environment = input.secrets.first { $0.name == secret.name }?.environment
                return secret.environment == nil ? nil : secret
            }
            let recorded = Set(input.secrets.map(\.name))
            self.removed = Set(
                input.cassette.secrets.filter { secret in
                    secret.environment == nil && !used.contains(secret.name) && !recorded.contains(secret.name)
                }.map(\.name)
            )
            self.declares =
                input.hasEscapes
                || text.withUnsafeBytes { !PlaceholderEscape.places(in: $0, onlyEscaped: true).isEmpty }
        }
    }

    static func textWithSecrets(_ cassette: Cassette, _ input: Input) -> [UInt8] {
        let text = CassetteWriter.text(of: cassette)
        let change = Change(input, text: text)
        guard !change.isEmpty(for: cassette) else { return text }
        var cassette = cassette
        cassette.secrets = change.kept(cassette.secrets)
        cassette.secrets = (cassette.secrets + change.added).sorted { $0.name < $1.name }
        cassette.declaresSecrets = cassette.declaresSecrets || change.declares
        return CassetteWriter.text(of: cassette)
    }

    /// Edits `secrets:` in place; to be called last. Returns false when the text is laid out in a way that cannot be
    /// edited.
    mutating func editSecrets(_ root: YAMLNode, _ input: Input) -> Bool {
        let change = Change(input, text: self.editor.result())
        guard !change.isEmpty(for: input.cassette) else { return true }
        guard let (key, value) = root.pairs.first(where: { $0.key.string == "secrets" }) else {
            guard let place = self.placeOfSecrets(root) else { return false }
            self.editor.insert(Self.section(change.added), at: place)
            return true
        }
        let pairs = value.kind == .mapping && !value.isFlow ? Array(value.pairs) : []
        guard !pairs.isEmpty, !pairs.allSatisfy({ change.removed.contains($0.key.string) }) || !change.added.isEmpty
        else {
            // A one-line `{ … }`, or one that is or becomes empty, is rewritten. Body files may have escapes, so it is
            // never removed.
            let secrets = (change.kept(input.cassette.secrets) + change.added).sorted { $0.name < $1.name }
            guard let lines = self.lines(of: (key, value)) else { return false }
            self.editor.replace(lines, with: Self.section(secrets))
            return true
        }
        for pair in pairs {
            let changed = change.changed.first { $0.name == pair.key.string }
            guard changed != nil || change.removed.contains(pair.key.string) else { continue }
            guard let lines = self.lines(of: pair) else { return false }
            self.editor.replace(lines, with: changed.map { CassetteWriter.line($0, indent: pair.key.column) } ?? [])
        }
        for secret in change.added {
            let next = pairs.first { secret.name < $0.key.string }
            guard let lines = (next ?? pairs.last).flatMap({ self.lines(of: $0) }) else { return false }
            let line = CassetteWriter.line(secret, indent: pairs[0].key.column)
            self.editor.insert(line, at: next == nil ? lines.upperBound : lines.lowerBound)
        }
        return true
    }

    private static func section(_ secrets: [SecretDescription]) -> [UInt8] {
        secrets.isEmpty
            ? Array("secrets: {}\n".utf8)
            : Array("secrets:\n".utf8) + secrets.flatMap { CassetteWriter.line($0, indent: 2) }
    }

    /// In front of what comes after the secrets in a cassette, and of the comment above that.
    private func placeOfSecrets(_ root: YAMLNode) -> Int? {
        let source = self.document.source
        guard root.column == 0 else { return nil }
        let later: Set<String> = ["time", "delay", "state", "responseSets", "profiles"]
        guard let pair = root.pairs.first(where: { later.contains($0.key.string) }) else { return source.count }
        return self.lines(of: pair).map { SourceEditor.withComment($0, in: source).lowerBound }
    }

    private func lines(of pair: (key: YAMLNode, value: YAMLNode)) -> Range<Int>? {
        SourceEditor.lines(from: pair.key, to: pair.value, in: self.document.source)
    }
}

extension SecretPlaceholder {
    /// The names of the placeholders in a text.
    package static func names(in text: [UInt8]) -> Set<String> {
        Set(text.withUnsafeBytes { Self.all(in: $0) }.map(\.placeholder.name))
    }
}
