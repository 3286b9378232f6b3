package import TapedeckCore
import TapedeckRedaction

/// The secrets of a cassette: an entry for each placeholder in it. A person's additions to an entry stay, and so does
/// an entry with a variable, which may be meant for a later recording.
extension CassetteMerge {
    /// Returns the text of a cassette with the secrets that it does not describe yet; `nil` if its layout leaves no place
    /// for them.
    package static func text(of read: CassetteReader.Result, adding secrets: [SecretDescription]) -> [UInt8]? {
        var cassette = read.cassette
        cassette.secrets.add(secrets.filter { secret in !cassette.secrets.contains { $0.name == secret.name } })
        return CassettePatch.text(of: read, as: cassette)
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

    /// Returns a cassette with the secrets that its text has.
    ///
    /// - Parameter text: of the cassette.
    static func withSecrets(_ cassette: Cassette, of text: [UInt8], _ input: Input) -> Cassette {
        let change = Change(input, text: text)
        var cassette = cassette
        guard !change.isEmpty(for: cassette) else { return cassette }
        cassette.secrets = change.kept(cassette.secrets)
        cassette.secrets.add(change.added)
        cassette.declaresSecrets = cassette.declaresSecrets || change.declares
        return cassette
    }
}

extension [SecretDescription] {
    /// Adds some in the order of their names, without changing that of the others.
    mutating func add(_ secrets: [SecretDescription]) {
        for secret in secrets.sorted(by: { $0.name < $1.name }) {
            self.insert(secret, at: self.firstIndex { secret.name < $0.name } ?? self.endIndex)
        }
    }
}

extension SecretPlaceholder {
    /// The names of the placeholders in a text.
    package static func names(in text: [UInt8]) -> Set<String> {
        Set(text.withUnsafeBytes { Self.all(in: $0) }.map(\.placeholder.name))
    }
}
