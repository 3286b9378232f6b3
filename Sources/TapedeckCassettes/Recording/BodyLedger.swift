import TapedeckCore
import TapedeckPlatform

/// A list of the body files that a save may leave unnamed: those that it creates, and those that the cassette named
/// before. It is a file in the journal's folder and survives the kill of the process, so that the next start removes
/// exactly the remains of the interrupted save.
///
/// A name is noted before the file is created or moved. Each line is a name relative to the cassette's folder.
final class BodyLedger {
    private static let fileName = "bodies"

    private let location: CassetteLocation
    /// `nil` where the list is kept in memory only.
    private let path: String?
    private var file: FileDescriptor?
    private var names: Set<String>

    /// Continues the list of an interrupted save, if the journal's folder has one.
    ///
    /// - Parameters:
    ///   - journal: the journal's folder, if not the cassette's own.
    ///   - isLasting: false keeps the list in memory, for a journal whose folder is gone.
    init(_ location: CassetteLocation, journal: String? = nil, isLasting: Bool = true) throws {
        self.location = location
        self.path = isLasting ? FilePath.join(journal ?? location.journalFolder, Self.fileName) : nil
        self.names = []
        guard let path = self.path, FileContents.exists(path) else { return }
        var lines = try FileContents.read(path).split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
        // The last element is empty, or a line that a kill cut short: its file was not created.
        lines.removeLast()
        self.names = Set(lines.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Notes a body file by its name relative to the cassette's folder.
    ///
    /// - Throws: `FileError` when the list cannot be written.
    func note(_ name: String) throws {
        guard self.isOwn(name), self.names.insert(name).inserted, let path = self.path else { return }
        let file = try self.file ?? FileDescriptor(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600, action: "write")
        self.file = file
        var line = "\(name)\n"
        try line.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
    }

    /// Deletes the noted files that `cassette` does not name, and the folder of body files if it is empty then.
    ///
    /// - Returns: the names of the deleted files, sorted.
    /// - Throws: `FileError` when one cannot be deleted.
    func removeUnnamed(by cassette: Cassette?) throws -> [String] {
        try self.remove(except: Set(cassette?.bodyFiles.map(\.name) ?? []))
    }

    /// Deletes the noted files but for those of these names; see ``removeUnnamed(by:)``.
    func remove(except named: Set<String>) throws -> [String] {
        var removed: [String] = []
        for name in self.names.subtracting(named).sorted() {
            let path = FilePath.join(self.location.folder, name)
            guard FileContents.exists(path) else { continue }
            try FileContents.remove(path)
            removed.append(name)
        }
        // Only an empty folder can be removed so.
        if !removed.isEmpty { _ = rmdir(FilePath.join(self.location.folder, self.location.bodyFolderName)) }
        return removed
    }

    /// True for a name that only a recording gives, in the cassette's own folder of body files.
    private func isOwn(_ name: String) -> Bool {
        let folder = "\(self.location.bodyFolderName)/"
        return name.hasPrefix(folder) && !name.dropFirst(folder.count).contains("/") && BodyStorage.isRecordedName(name)
    }
}
