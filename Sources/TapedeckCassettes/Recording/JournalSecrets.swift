import TapedeckCore
import TapedeckPlatform
import TapedeckRedaction

/// Data about the secrets in a journal, in a separate file of its folder: their shapes, never their values.
///
///     #7 TAB shape                    the secret of number 7
///     name TAB shape TAB variable     a secret that was named before the recording
///
/// A line is written before the first exchange with the secret. A line that a kill cut short does not count.
struct JournalSecrets: ~Copyable {
    private static let fileName = "secrets"

    private let path: String
    private var file: FileDescriptor?
    /// The numbers of the secrets whose shapes are written.
    private var noted: Set<Int> = []

    /// Removes what an earlier recording left.
    init(folder: String) throws {
        self.path = FilePath.join(folder, Self.fileName)
        if FileContents.exists(self.path) { try FileContents.remove(self.path) }
    }

    /// Notes secrets that have their names already.
    mutating func note(_ known: [SecretDescription]) throws {
        guard !known.isEmpty else { return }
        try self.append(known.map { "\($0.name)\t\($0.shape ?? "")\t\($0.environment ?? "")\n" }.joined())
    }

    /// Notes what secrets look like, those that are not noted yet.
    mutating func note(_ numbers: Set<Int>, shape: (Int) -> String) throws {
        let new = numbers.subtracting(self.noted)
        guard !new.isEmpty else { return }
        try self.append(new.sorted().map { "#\($0)\t\(shape($0))\n" }.joined())
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

    static func read(folder: String) throws -> (shapes: [Int: String], known: [SecretDescription]) {
        let path = FilePath.join(folder, Self.fileName)
        return FileContents.exists(path) ? self.parse(try FileContents.read(path)) : ([:], [])
    }

    /// Returns what has been noted, from the open file.
    func read() throws -> (shapes: [Int: String], known: [SecretDescription]) {
        guard let file = self.file else { return ([:], []) }
        return Self.parse(try file.read(at: 0, count: try file.size))
    }

    private static func parse(_ bytes: [UInt8]) -> (shapes: [Int: String], known: [SecretDescription]) {
        var shapes: [Int: String] = [:]
        var known: [SecretDescription] = []
        var lines = bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
        // Behind the last line feed is nothing, or a line that was cut short.
        lines.removeLast()
        for line in lines {
            let parts = line.split(separator: ASCII.tab, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            let shape = parts.count > 1 && !parts[1].isEmpty && (try? SecretShape(parts[1])) != nil ? parts[1] : nil
            if parts.count == 2, parts[0].hasPrefix("#"), let number = Int(parts[0].dropFirst()) {
                shapes[number] = shape
            } else if parts.count == 3, SecretPlaceholder.isName(parts[0]) {
                let variable = parts[2].isEmpty ? nil : parts[2]
                known.append(SecretDescription(name: parts[0], shape: shape, environment: variable))
            }
        }
        return (shapes, known)
    }
}
