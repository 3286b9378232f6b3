import Synchronization
import TapedeckPlatform

/// A file that is written in the folder of another one and then renamed over it: `.NAME.PID-NUMBER.tapedeck`.
///
/// It is locked as long as it is open, so an unlocked one was left by a process that has ended.
struct TemporaryFile {
    private static let ending = ".tapedeck"
    /// The number of the next one of this process.
    private static let counter = Atomic<Int>(0)

    let file: FileDescriptor

    /// Creates the file, empty.
    ///
    /// - Throws: `FileError`.
    init(beside path: String) throws {
        let folder = FilePath.folder(of: path)
        while true {
            let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
            let name = ".\(FilePath.name(of: path)).\(getpid())-\(number)\(Self.ending)"
            do {
                let place = FilePath.join(folder, name)
                let file = try FileDescriptor(place, O_WRONLY | O_CREAT | O_EXCL, action: "write")
                // Another process may have removed it as abandoned before it was locked.
                if file.lock(), FileContents.exists(place) {
                    self.file = file
                    return
                }
            } catch let error as FileError {
                // A process with the same number left a file of that name.
                guard error.code == EEXIST else { throw FileError(error.action, path, code: error.code) }
            }
        }
    }

    /// Removes the files that killed processes left.
    ///
    /// - Parameters:
    ///   - name: the file that they were to replace; `nil` is any.
    ///   - folder: a folder that may be missing, or not writable: then they stay.
    static func removeAbandoned(of name: String?, in folder: String) {
        for found in self.names(of: name, in: folder) {
            let path = FilePath.join(folder, found)
            guard let file = try? FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, action: "read"),
                file.lock()
            else { continue }
            _ = unlink(path)
        }
    }

    /// The names of all such files in a folder, of running processes too.
    static func names(of name: String?, in folder: String) -> [String] {
        FileContents.names(in: folder).filter { found in
            guard found.hasPrefix("."), found.hasSuffix(self.ending) else { return false }
            let stem = found.dropFirst().dropLast(self.ending.count)
            guard let dot = stem.lastIndex(of: "."), name == nil || stem[..<dot] == name ?? "" else { return false }
            let numbers = stem[stem.index(after: dot)...].split(separator: "-", omittingEmptySubsequences: false)
            return numbers.count == 2
                && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }
        }
    }
}
