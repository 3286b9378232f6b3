import TapedeckCodings
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
    ///   - environment: the deck's, for rules that name a variable.
    ///   - usesEntropy: whether words that look random are found too.
    package init(settings: [RedactionSettings] = [], environment: [String: String] = [:], usesEntropy: Bool = true) {
        self.settings = settings
        self.environment = environment
        self.usesEntropy = usesEntropy
    }

    /// What a file and the body files that it names hold, in the order of the file. One that is no cassette is searched as
    /// text.
    ///
    /// - Throws: `FileError` when it cannot be read, `RedactionError` when the cassette's rules cannot be used.
    package func findings(in path: String) throws -> [SecretFinding] {
        let source = try FileContents.read(path)
        guard let document = try? YAMLDocument(parsing: source), document.root?["tapedeck"] != nil else {
            return try self.findings(inText: source, path)
        }
        let cassette = CassetteReader.read(source, name: FilePath.name(of: path), path: path).cassette
        let rules = try RedactionRules(self.settings + [cassette.redaction], environment: self.environment)
        var findings: [SecretFinding] = []
        let places = SecretPlace.all(in: document)
        let redactor = self.redactor(rules)
        for place in places {
            if case .file(let type) = place.kind {
                findings += try self.findings(inFileOf: place, type, path, rules)
            } else {
                findings += self.findings(in: place, path, redactor)
            }
        }
        return findings
    }

    private func redactor(_ rules: RedactionRules) -> Redactor {
        var redactor = Redactor(rules, vault: SecretVault())
        redactor.bodyLimit = Self.bodyLimit
        return redactor
    }

    // MARK: Texts

    private func findings(in place: SecretPlace, _ path: String, _ redactor: Redactor) -> [SecretFinding] {
        let start = place.node.position
        var bytes = place.node.bytes
        var isEncoded = false
        if case .base64 = place.kind {
            guard let decoded = place.node.withScalarBytes({ Base64.decode($0) }) else { return [] }
            bytes = decoded
            isEncoded = true
        }
        return self.found(in: bytes, as: place.kind, redactor).map { range, kind in
            let position = isEncoded ? nil : place.node.position(ofTextByte: range.lowerBound)
            return SecretFinding(
                path: path,
                line: position?.line ?? start.line,
                column: position?.column ?? start.column,
                kind: kind,
                isEncoded: isEncoded
            )
        }
    }

    private func findings(
        inFileOf place: SecretPlace,
        _ type: String?,
        _ path: String,
        _ rules: RedactionRules
    ) throws -> [SecretFinding] {
        let name = place.node.string
        let file = FilePath.join(FilePath.folder(of: path), name)
        // One that is missing is for `check` to tell.
        guard !name.split(separator: "/").contains(".."), let bytes = try? FileContents.read(file) else { return [] }
        return self.findings(in: bytes, type, file, self.redactor(rules))
    }

    private func findings(inText source: [UInt8], _ path: String) throws -> [SecretFinding] {
        let rules = try RedactionRules(self.settings, environment: self.environment)
        return self.findings(in: source, nil, path, self.redactor(rules))
    }

    private func findings(in bytes: [UInt8], _ type: String?, _ path: String, _ redactor: Redactor) -> [SecretFinding] {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        return self.found(in: bytes, as: .text(type: type), redactor).map { range, kind in
            let (line, column) = isText ? Self.position(range.lowerBound, in: bytes) : (1, 1)
            return SecretFinding(path: path, line: line, column: column, kind: kind, isEncoded: !isText)
        }
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
        _ redactor: Redactor
    ) -> [(range: Range<Int>, kind: SecretFinding.Kind)] {
        var found: [(range: Range<Int>, kind: SecretFinding.Kind)] = []
        do {
            let redacted = try redactor.redact(bytes, as: kind)
            found = SecretAlignment.secrets(in: bytes, redacted: redacted)
                .filter { !Self.isStandIn(bytes[$0.range]) }
                .map { range, placeholder in
                    let shape = SecretShape(of: Array(bytes[range])).text
                    return (range, .secret(name: placeholder.name, shape: shape))
                }
        } catch {
            found = [(0..<0, .unsearched("\(error)"))]
        }
        guard self.usesEntropy, Self.mayBeRandom(kind), String(validating: bytes, as: UTF8.self) != nil else {
            return found
        }
        let random = Entropy.words(in: bytes).filter { word in !found.contains { $0.range.overlaps(word) } }
        return (found + random.map { ($0, .random(count: $0.count)) }).sorted {
            $0.range.lowerBound < $1.range.lowerBound
        }
    }

    /// Fields whose values are random, and no secrets.
    private static let harmlessFields: Set<String> = [
        "etag", "if-none-match", "x-request-id", "x-correlation-id", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id",
        "cf-ray",
        "x-github-request-id", "traceparent", "digest", "content-md5", "content-security-policy", "repr-digest",
        "content-digest",
        "nel", "report-to", "reporting-endpoints", "sec-websocket-accept", "sec-websocket-key", "content-type",
        "x-trace-id",
        "x-cloud-trace-context",
    ]

    private static func mayBeRandom(_ kind: SecretPlace.Kind) -> Bool {
        switch kind {
        case .requestField(let name), .responseField(let name): !Self.harmlessFields.contains(ASCII.lowercased(name))
        case .base64, .file: false
        default: true
        }
    }

    /// What people write where a secret would be: `test`, `xxxx`, `changeme`, `<token>`, `REDACTED`. A short word is one too: a
    /// live secret has more than seven characters.
    private static func isStandIn(_ value: ArraySlice<UInt8>) -> Bool {
        if value.count < 8 || Set(value).count <= 2 { return true }
        let text = ASCII.lowercased(String(decoding: value, as: UTF8.self))
        let words = [
            "example", "redacted", "changeme", "change-me", "placeholder", "your-", "your_", "dummy", "fake", "sample",
            "not-a-",
            "filtered", "hidden", "<", "{{", "${", "***",
        ]
        return words.contains { text.contains($0) }
    }
}
