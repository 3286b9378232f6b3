#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Wakes a thread that waits, so that it ends: a pipe whose other end is closed over.
final class StopSignal: Sendable {
    private let reading: Int32
    private let writing: Int32

    /// `nil` when the system has no file descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.reading = ends[0]
        self.writing = ends[1]
    }

    deinit {
        _ = close(self.reading)
        _ = close(self.writing)
    }

    /// Ends every ``wait(milliseconds:or:)``, now and from now on.
    func send() {
        var byte: UInt8 = 1
        _ = write(self.writing, &byte, 1)
    }

    enum Reason {
        case stopped
        /// The other descriptor has something to read.
        case readable
        case timeout
    }

    /// Waits for the signal, for `descriptor` to become readable, or for the time to pass.
    func wait(milliseconds: Int, or descriptor: Int32?) -> Reason {
        var descriptors = [pollfd(fd: self.reading, events: Int16(POLLIN), revents: 0)]
        if let descriptor { descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
        // An interruption is as good as the end of the time: whoever waits looks again.
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
        if descriptors[0].revents != 0 { return .stopped }
        return count > 0 ? .readable : .timeout
    }
}
