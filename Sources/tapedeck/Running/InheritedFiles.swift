import TapedeckPlatform

/// The files that this process was started with. A command that it runs gets those and no others: one that lives on when the
/// deck has stopped would keep its ports.
enum InheritedFiles {
    /// No descriptor from here on is looked at: each takes the lowest free number, and a deck that just starts has few.
    private static let limit: Int32 = 1_024
    private static let descriptors = Set((3..<limit).filter { fcntl($0, F_GETFD) >= 0 })

    /// Remembers those that are open. To be called before anything is opened.
    static func note() {
        _ = self.descriptors
    }

    /// Keeps all others from programs that are started from here on.
    static func keepOthers() {
        for descriptor in 3..<self.limit where !self.descriptors.contains(descriptor) {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        }
    }
}
