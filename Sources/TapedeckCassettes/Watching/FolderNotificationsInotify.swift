#if os(Linux)
import TapedeckPlatform

/// Notifies of changes to the files of some folders (inotify(7)).
///
/// It may miss a change, on file systems that other machines or containers write to, and may notify without one:
/// callers check the files as well. Used by one thread.
final class FolderNotifications {
    private static let events = UInt32(
        IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB
            | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    )

    /// To be waited for; it becomes readable.
    let descriptor: Int32
    /// The names that matter in each watched folder; `nil` is all of them.
    private var names: [Int32: Set<String>?] = [:]

    /// `nil` when the system has no notifications, or none left.
    init?() {
        self.descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard self.descriptor >= 0 else { return nil }
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Watches these folders too. To be called again when one may have come or been replaced: a folder that is watched
    /// already stays so.
    func watch(_ folders: [String: Set<String>?]) {
        for (folder, names) in folders {
            let number = inotify_add_watch(self.descriptor, folder, Self.events)
            if number >= 0 { self.names[number] = .some(names) }
        }
    }

    /// Reads the pending notifications; returns true if any of them concerns a relevant name.
    func take() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var matters = false
        while true {
            let count = buffer.withUnsafeMutableBytes { read(self.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return matters }
            if self.matters(buffer[..<count]) { matters = true }
        }
    }

    /// Events follow each other: watch, mask, cookie, length of the name (four bytes each), the name padded with zeros.
    private func matters(_ events: ArraySlice<UInt8>) -> Bool {
        let headSize = 16
        return events.withUnsafeBytes { events in
            var start = 0
            while start + headSize <= events.count {
                let watch = events.loadUnaligned(fromByteOffset: start, as: Int32.self)
                let length = Int(events.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                let end = min(start + headSize + length, events.count)
                let name = String(decoding: events[(start + headSize)..<end].prefix { $0 != 0 }, as: UTF8.self)
                start = end
                // An event about the folder itself has no name; a lost event has no watch.
                guard !name.isEmpty, case .some(let names?) = self.names[watch] else { return true }
                if names.contains(name) { return true }
            }
            return false
        }
    }
}

@available(*, unavailable)
extension FolderNotifications: Sendable {}
#endif
