package import TapedeckCassettes
package import TapedeckCore
import TapedeckRedaction

/// Looks through cassettes for what looks like a secret.
package struct SecretSearch: Sendable {
    /// The number of searched files, without body files of cassettes.
    package let files: Int
    /// The findings, `path:line:column: …`, in the order of files and lines.
    package var lines: [String] { self.findings.map(\.description) }
    private let findings: [ScanFinding]

    /// The advice to a person who reads the findings; `nil` without any.
    package var advice: String? {
        guard !self.findings.isEmpty else { return nil }
        let isRandom = self.findings.map { if case .random = $0.kind { true } else { false } }
        let scrub = "tapedeck scrub CASSETTE takes secrets out"
        guard isRandom.contains(true) else { return scrub }
        let rule = "for a word that only looks like a secret, and is one, write a rule under `redact:` first"
        return isRandom.contains(false) ? "\(scrub); \(rule)" : "\(rule); then \(scrub)"
    }

    /// The findings for programs.
    package var found: [Finding] { self.findings.map(Finding.init) }

    /// Something that looks like a secret, never with its value.
    package struct Finding: Encodable, Sendable {
        let path: String
        /// 1-based.
        let line: Int
        /// 1-based, in characters.
        let column: Int
        /// `secret`, `random`, `unsearched` or `foreignFile`.
        let kind: String
        /// For a secret: the name of its placeholder.
        let name: String?
        /// For a secret: the rule that found it; `nil` for a value that is a secret elsewhere in the cassette.
        let rule: String?
        /// True if it is within base64 or compressed bytes.
        let isEncoded: Bool
        /// The finding as a text, with its place.
        let message: String

        init(_ finding: ScanFinding) {
            (self.path, self.line, self.column) = (finding.path, finding.line, finding.column)
            self.isEncoded = finding.isEncoded
            self.message = finding.description
            switch finding.kind {
            case .secret(let name, _, let rule): (self.kind, self.name, self.rule) = ("secret", name, rule)
            case .random: (self.kind, self.name, self.rule) = ("random", nil, nil)
            case .unsearched: (self.kind, self.name, self.rule) = ("unsearched", nil, nil)
            case .foreignFile: (self.kind, self.name, self.rule) = ("foreignFile", nil, nil)
            }
        }
    }

    /// - Parameters:
    ///   - paths: files, and folders, whose cassettes are all searched.
    ///   - rules: the rules of the project.
    ///   - environment: the variables that hold the values of secrets.
    ///   - usesEntropy: true to find also words that only look random.
    ///   - progress: counts the files.
    /// - Throws: ``DeckError`` when one cannot be read.
    package init(
        _ paths: [String],
        rules: RedactionSettings,
        environment: [String: String],
        usesEntropy: Bool,
        progress: WorkProgress? = nil
    ) throws(DeckError) {
        var files: [String] = []
        var seen: Set<String> = []
        for path in paths {
            let found = FileContents.isFolder(path) ? FileContents.cassettes(below: path) : [path]
            files += found.filter { seen.insert($0).inserted }
        }
        progress?.begin(files.count)
        do {
            let scan = SecretScan(settings: [rules], environment: environment, usesEntropy: usesEntropy)
            self.findings = try files.flatMap { file in
                defer { progress?.step() }
                return try scan.findings(in: file)
            }
        } catch {
            throw DeckError(error, kind: .unusableCassette)
        }
        self.files = files.count
    }
}
