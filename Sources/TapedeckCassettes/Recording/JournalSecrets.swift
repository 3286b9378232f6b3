import TapedeckCore
import TapedeckPlatform
import TapedeckRedaction

/// Data about the secrets in a journal, in a separate file of its folder: their traits, never their values.
///
///     #7 TAB shape TAB variable TAB digest       the secret of number 7
///     name TAB shape TAB variable TAB digest     a secret that was named before the recording
///
/// A line is written before the first exchange with the secret. A line that a kill cut short does not count.
struct JournalSecrets: ~Copyable {
    private static let fileName = "secrets"

    private let path: String
    private var file: FileDescriptor?
    /// The numbers of the secrets whose traits are written.
    private var noted: Set<Int> = []

    /// Flags of a secret that has its name, in the last column.
    private static let refuses = "refuses "
    private static let ignoresCase = "ignoresCase "

    /// Removes what an earlier recording left.
    init(folder: String) throws {
        self.path = FilePath.join(folder, Self.fileName)
        if FileContents.exists(self.path) { try FileContents.remove(self.path) }
    }

    /// Notes secrets that have their names already.
    mutating func note(_ known: [SecretDescription]) throws {
        guard !known.isEmpty else { return }
        try self.append(
            known.map { secret in
                let flags =
                    (secret.refusesOtherValues ? Self.refuses : "") + (secret.ignoresCase ? Self.ignoresCase : "")
                return [secret.name, secret.shape ?? "", secret.environment ?? "", secret.sha256 ?? "", flags]
                    .joined(separator: "\t") + "\n"
            }.joined()
        )
    }

    /// Notes the traits of secrets, those that are not noted yet.
    mutating func note(_ numbers: Set<Int>, traits: (Int) -> SecretTraits) throws {
        let new = numbers.subtracting(self.noted)
        guard !new.isEmpty else { return }
        let lines = new.sorted().map { number in
            let traits = traits(number)
            return "#\(number)\t\(traits.shape ?? "")\t\(traits.variable ?? "")\t\(traits.sha256 ?? "")\n"
        }
        try self.append(lines.joined())
        self.noted.formUnion(new)
    }

    private mutating func append(_ lines: String) throws {
        let file =
            try self.file
            ?? FileDescriptor(
                self.path,
                O_RDWR | O_CREAT | O_APPEND,
                mode: 0o600,
                action: "write"
            )
        self.file = file
        var lines = lines
        let size = try file.size
        do {
            try lines.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
        } catch {
            // A part of a line would spoil the one that comes after it.
            _ = ftruncate(file.number, off_t(size))
            throw error
        }
    }

    // MARK: Reading

    static func read(folder: String) throws -> (traits: [Int: SecretTraits], known: [SecretDescription]) {
        let path = FilePath.join(folder, Self.fileName)
        return FileContents.exists(path) ? self.parse(try FileContents.read(path)) : ([:], [])
    }

    /// Returns what has been noted, from the open file.
    func read() throws -> (traits: [Int: SecretTraits], known: [SecretDescription]) {
        guard let file = self.file else { return ([:], []) }
        return Self.parse(try file.read(at: 0, count: try file.size))
    }

    private static func parse(_ bytes: [UInt8]) -> (traits: [Int: SecretTraits], known: [SecretDescription]) {
        var traits: [Int: SecretTraits] = [:]
        var known: [SecretDescription] = []
        var lines = bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
        // Behind the last line feed is nothing, or a line that was cut short.
        lines.removeLast()
        for line in lines {
            let parts = line.split(separator: ASCII.tab, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 4 || parts.count == 5 else { continue }
            let shape = !parts[1].isEmpty && (try? SecretShape(parts[1])) != nil ? parts[1] : nil
            let variable = parts[2].isEmpty ? nil : parts[2]
            let digest = parts[3].isEmpty ? nil : parts[3]
            if parts[0].hasPrefix("#"), let number = Int(parts[0].dropFirst()) {
                traits[number] = SecretTraits(shape: shape, variable: variable, sha256: digest)
            } else if SecretPlaceholder.isName(parts[0]) {
                known.append(
                    SecretDescription(
                        name: parts[0],
                        shape: shape,
                        environment: variable,
                        sha256: digest,
                        refusesOtherValues: parts.last?.contains(Self.refuses) ?? false && parts.count == 5,
                        ignoresCase: parts.last?.contains(Self.ignoresCase) ?? false && parts.count == 5
                    )
                )
            }
        }
        return (traits, known)
    }
}
