import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// Looks for secrets in cassettes and their body files.
package struct SecretScan: Sendable {
    /// So large a body is searched. 64 MiB.
    static let bodyLimit = 64 << 20

    private let settings: [RedactionSettings]
    private let environment: [String: String]
    private let usesEntropy: Bool

    /// - Parameters:
    ///   - settings: of the project; a cassette's own are added.
    ///   - environment: the deck's, for rules and secrets that name a variable.
    ///   - usesEntropy: whether words that look random are found too.
    package init(settings: [RedactionSettings] = [], environment: [String: String] = [:], usesEntropy: Bool = true) {
        self.settings = settings
        self.environment = environment
        self.usesEntropy = usesEntropy
    }

    /// Returns the findings in a file and its body files, in the order of the file. A file that is not a cassette is
    /// searched as text.
    ///
    /// - Throws: `FileError` if it cannot be read, `RedactionError` if the cassette's rules cannot be used.
    package func findings(in path: String) throws -> [ScanFinding] {
        let source = try FileContents.read(path)
        guard let document = try? YAMLDocument(parsing: source), document.root?["tapedeck"] != nil else {
            return try self.findings(inText: source, path)
        }
        let cassette = CassetteReader.read(source, name: FilePath.name(of: path), path: path).cassette
        let rules = try RedactionRules(self.settings + [cassette.redaction], environment: self.environment)
        let redactor = Self.redactor(rules, knowing: cassette.secrets, self.environment)
        let texts = SecretTexts(document, in: FilePath.folder(of: path))
        return zip(texts.texts, texts.redacted(by: redactor)).flatMap { text, result in
            self.found(in: text.content, as: text.place.kind, isRequest: text.place.isRequest, result, rules).map {
                range,
                kind in
                Self.finding(kind, range, in: text, path)
            }
        }
    }

    private func findings(inText source: [UInt8], _ path: String) throws -> [ScanFinding] {
        let rules = try RedactionRules(self.settings, environment: self.environment)
        let redactor = Self.redactor(rules, knowing: [], self.environment)
        let kind = SecretPlace.Kind.text(type: nil)
        let result = Result { () throws(RedactionFailure) in try redactor.redact(source, as: kind, isRequest: false) }
        return self.found(in: source, as: kind, isRequest: false, result, rules).map { range, kind in
            let (line, column) = Self.position(range.lowerBound, in: source)
            return ScanFinding(path: path, line: line, column: column, kind: kind)
        }
    }

    /// - Parameter secrets: those of the cassette: the values of variables that they name are looked for, too.
    static func redactor(
        _ rules: RedactionRules,
        knowing secrets: [SecretDescription],
        _ environment: [String: String]
    ) -> Redactor {
        var redactor = Redactor(
            rules,
            vault: SecretVault(known: SecretValues(secrets, environment: environment).withoutCommon)
        )
        redactor.bodyLimit = Self.bodyLimit
        return redactor
    }

    // MARK: Places

    private static func finding(
        _ kind: ScanFinding.Kind,
        _ range: Range<Int>,
        in text: SecretTexts.Text,
        _ path: String
    ) -> ScanFinding {
        let isEncoded = text.isBase64 || !text.codings.isEmpty
        if let file = text.file {
            let (line, column) = isEncoded ? (1, 1) : Self.position(range.lowerBound, in: text.content)
            return ScanFinding(path: file, line: line, column: column, kind: kind, isEncoded: isEncoded)
        }
        let start = text.place.node.position
        let position = isEncoded ? nil : text.place.node.position(ofTextByte: range.lowerBound)
        return ScanFinding(
            path: path,
            line: position?.line ?? start.line,
            column: position?.column ?? start.column,
            kind: kind,
            isEncoded: isEncoded
        )
    }

    private static func position(_ offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes[..<min(offset, bytes.count)]
        let start = before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
        return (before.count { $0 == ASCII.lineFeed } + 1, String(decoding: before[start...], as: UTF8.self).count + 1)
    }

    // MARK: Finding

    private func found(
        in bytes: [UInt8],
        as kind: SecretPlace.Kind,
        isRequest: Bool,
        _ result: Result<[UInt8], RedactionFailure>,
        _ rules: RedactionRules
    ) -> [(range: Range<Int>, kind: ScanFinding.Kind)] {
        var found: [(range: Range<Int>, kind: ScanFinding.Kind)] = []
        switch result {
        case .failure(let failure): found = [(0..<0, .unsearched(failure.whyUnsearched))]
        case .success(let redacted) where redacted == bytes: break
        case .success(let redacted):
            let named = Redactor(rules, vault: SecretVault()).rules(in: bytes, as: kind, isRequest: isRequest)
            found = SecretAlignment.secrets(in: bytes, redacted: redacted)
                .compactMap { range, placeholder in
                    let rule = named.first { $0.range?.overlaps(range) ?? true }?.rule
                    // A finding of the user's rule is a secret, whatever it looks like.
                    if let rule, RedactionRules.allIDs.contains(rule), StandIn.isOne(bytes[range]) { return nil }
                    let shape = SecretShape(of: Array(bytes[range]), named: placeholder.name).text
                    return (range, .secret(name: placeholder.name, shape: shape, rule: rule))
                }
        }
        guard self.usesEntropy, Entropy.counts(in: kind), String(validating: bytes, as: UTF8.self) != nil else {
            return found
        }
        let random = Entropy.words(in: bytes).filter { word in !found.contains { $0.range.overlaps(word) } }
        return (found + random.map { ($0, .random(count: $0.count)) }).sorted {
            $0.range.lowerBound < $1.range.lowerBound
        }
    }
}

extension Entropy {
    /// Returns true if a random word in this place is suspicious.
    fileprivate static func counts(in kind: SecretPlace.Kind) -> Bool {
        switch kind {
        case .requestField(let name), .responseField(let name): self.counts(inField: name)
        case .base64, .file: false
        default: true
        }
    }
}

/// Texts that people write in place of a secret.
private enum StandIn {
    private static let words = [
        "example", "redacted", "changeme", "change-me", "placeholder", "your-", "your_", "dummy", "fake", "sample",
        "not-a-", "filtered", "hidden", "<", "{{", "${", "***",
    ]

    /// `test`, `xxxx`, `changeme`, `<token>`, `REDACTED`. A short word is one too: a live secret has more than seven
    /// characters.
    static func isOne(_ value: ArraySlice<UInt8>) -> Bool {
        if value.count < 8 || Set(value).count <= 2 { return true }
        let text = ASCII.lowercased(String(decoding: value, as: UTF8.self))
        return self.words.contains { text.contains($0) }
    }
}
