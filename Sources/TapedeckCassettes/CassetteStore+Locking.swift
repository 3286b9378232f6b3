import TapedeckCore
import TapedeckYAML

/// The lock of a cassette, and the remains of killed processes that had it.
extension CassetteStore {
    /// Keeps recordings and refreshes of a cassette away until ``unlock(_:of:)``.
    ///
    /// - Throws: ``CassetteError`` when one runs, `FileError` when the folder cannot be written.
    package func lock(_ location: CassetteLocation) throws -> RecordingJournal {
        try RecordingJournal.edit(location)
    }

    /// Replaces the text of a cassette that was read earlier, under its lock.
    ///
    /// - Parameter old: the text as it was read.
    /// - Throws: ``CassetteError`` if the cassette is being recorded, or has changed since it was read; `FileError` if it
    ///   cannot be written.
    package func replace(_ location: CassetteLocation, from old: [UInt8], with new: [UInt8]) throws {
        try self.checkNothingIsRecorded(location)
        let lock = try self.lock(location)
        defer { self.unlock(lock, of: location) }
        try self.checkUnchanged(location, since: old)
        try FileContents.replace(location.path, with: new)
    }

    /// - Parameter old: the text as it was read; `nil` if there was no cassette.
    /// - Throws: ``CassetteError`` if the cassette has changed since it was read.
    func checkUnchanged(_ location: CassetteLocation, since old: [UInt8]?) throws {
        let now = FileContents.exists(location.path) ? try FileContents.read(location.path) : nil
        // A text is edited with a line end behind its last line.
        let whole = { (text: [UInt8]) in (try? YAMLDocument(parsing: text)).map { SourceEditor.withLastLineEnd($0) } }
        guard now == old || now.flatMap(whole) == old else {
            throw CassetteError(
                path: location.path,
                "the cassette has changed meanwhile; nothing was written, try again"
            )
        }
    }

    /// Releases a lock, and removes body files that were created under it and that the cassette does not name.
    package func unlock(_ lock: RecordingJournal, of location: CassetteLocation) {
        guard lock.isInPlace else { return }
        do {
            _ = try BodyLedger(location).removeUnnamed(by: try self.existing(location)?.cassette)
            RecordingJournal.remove(folder: lock.folder)
        } catch {
            // The list of those files stays, so that the next start can remove them.
        }
    }

    /// Removes the remains of killed processes next to a cassette whose journal is gone. Locks the cassette if there is
    /// anything to remove.
    func removeRemains(of location: CassetteLocation) {
        let name = FilePath.name(of: location.path)
        guard
            FileContents.exists(location.refreshFolder)
                || !TemporaryFile.names(of: name, in: location.folder).isEmpty,
            let lock = try? self.lock(location)
        else { return }
        self.removeLockedRemains(of: location)
        self.unlock(lock, of: location)
    }

    /// Removes temporary files of the cassette and of its body files, and the folder of a refresh. The caller has the
    /// lock, so no refresh runs.
    func removeLockedRemains(of location: CassetteLocation) {
        TemporaryFile.removeAbandoned(of: FilePath.name(of: location.path), in: location.folder)
        TemporaryFile.removeAbandoned(of: nil, in: FilePath.join(location.folder, location.bodyFolderName))
        let refreshed = CassetteLocation(location.refreshedPath, folder: "")
        FileContents.removeFolder(refreshed.journalFolder)
        FileContents.removeFolder(location.refreshFolder)
    }
}
