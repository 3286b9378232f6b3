import TapedeckPlatform

/// A lock on the text of a cassette while a recording is saved into it: recordings that run at the same time, in one
/// process or in several, are merged one after the other.
final class SaveLock {
    private let folder: FileDescriptor?

    /// Waits until no other recording of the cassette is being saved.
    ///
    /// - Parameter folder: the cassette's journal folder. Where it is gone, or on a file system without locks, nothing is
    ///   locked.
    init(_ folder: String) {
        while true {
            let file = try? FileDescriptor(folder, O_RDONLY | O_DIRECTORY, action: "lock")
            guard let file, file.waitForLock() else {
                self.folder = nil
                return
            }
            // The previous owner may have removed it, and another recording made it again.
            if RecordingJournal.isNamed(file) || !FileContents.exists(folder) {
                self.folder = file
                return
            }
        }
    }
}
