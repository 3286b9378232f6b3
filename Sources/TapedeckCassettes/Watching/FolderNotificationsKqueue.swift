#if canImport(Darwin)
import TapedeckPlatform

/// Notifies of changes to the files of some folders (kqueue(2)).
///
/// It may miss a change: of a folder of which all names matter, it sees files come, go and be replaced, and not files that
/// are written in place. Callers check the files as well. Used by one thread.
final class FolderNotifications {
    private static let changes = UInt32(
        NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE
    )

    /// To be waited for; it becomes readable.
    let descriptor: Int32
    /// The open files and folders, by path.
    private var watched: [String: Watched] = [:]

    private struct Watched {
        let descriptor: Int32
        /// Of the file that is open, which may not be the one that has the name by now.
        let device: dev_t
        let inode: ino_t
    }

    /// `nil` when the system has no file descriptors left.
    init?() {
        self.descriptor = kqueue()
        guard self.descriptor >= 0 else { return nil }
        _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        for file in self.watched.values { _ = close(file.descriptor) }
        _ = close(self.descriptor)
    }

    /// Watches these folders, and in each the files with the names that matter; `nil` is all of them. To be called again when
    /// one may have come or been replaced.
    func watch(_ folders: [String: Set<String>?]) {
        var paths = Set(folders.keys)
        for (folder, names) in folders {
            for name in names ?? [] { paths.insert(FilePath.join(folder, name)) }
        }
        for (path, file) in self.watched where !paths.contains(path) || !self.isCurrent(file, path) {
            // With the descriptor, the system forgets what was to be told.
            _ = close(file.descriptor)
            self.watched[path] = nil
        }
        for path in paths where self.watched[path] == nil { self.watched[path] = self.open(path) }
    }

    private func isCurrent(_ file: Watched, _ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == file.device && status.st_ino == file.inode
    }

    private func open(_ path: String) -> Watched? {
        // Does not keep the file system from being unmounted.
        let descriptor = TapedeckPlatform.open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        var change = kevent(
            ident: UInt(descriptor),
            filter: Int16(EVFILT_VNODE),
            flags: UInt16(EV_ADD | EV_CLEAR),
            fflags: Self.changes,
            data: 0,
            udata: nil
        )
        guard fstat(descriptor, &status) == 0, kevent(self.descriptor, &change, 1, nil, 0, nil) == 0 else {
            _ = close(descriptor)
            return nil
        }
        return Watched(descriptor: descriptor, device: status.st_dev, inode: status.st_ino)
    }

    /// Takes what has come; returns whether there was anything.
    func take() -> Bool {
        var events = Array(repeating: kevent(), count: 64)
        var atOnce = timespec()
        var matters = false
        while true {
            let count = kevent(self.descriptor, nil, 0, &events, Int32(events.count), &atOnce)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return matters }
            matters = true
        }
    }
}

@available(*, unavailable)
extension FolderNotifications: Sendable {}
#endif
