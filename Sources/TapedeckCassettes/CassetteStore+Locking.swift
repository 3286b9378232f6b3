/// The lock of a cassette, and the remains of killed processes that had it.
extension CassetteStore {
    /// Keeps recordings and refreshes of a cassette away until ``unlock(_:of:)``.
    ///
    /// - Throws: ``CassetteError`` when one runs, `FileError` when the folder cannot be written.
    package func lock(_ location: CassetteLocation) throws -> RecordingJournal {
        try RecordingJournal(folder: location.journalFolder, purpose: .append)
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
