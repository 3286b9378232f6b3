import Synchronization
import TapedeckPlatform

/// Wakes a thread that waits, so that it looks again or ends: a pipe with a byte in it.
final class WakeSignal: Sendable {
    private let reading: Int32
    private let writing: Int32
    private let isStopped = Atomic(false)

    /// `nil` when the system has no file descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A pipe that is full wakes as well as one more byte would.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.reading = ends[0]
        self.writing = ends[1]
    }

    deinit {
        _ = close(self.reading)
        _ = close(self.writing)
    }

    /// Ends every ``wait(milliseconds:or:)``, now and from now on.
    func stop() {
        self.isStopped.store(true, ordering: .releasing)
        self.wake()
    }

    /// Ends the present ``wait(milliseconds:or:)``, or else the next one.
    func wake() {
        var byte: UInt8 = 1
        _ = write(self.writing, &byte, 1)
    }

    enum Reason {
        case stopped
        case woken
        /// The other descriptor has something to read.
        case readable
        case timeout
    }

    /// Waits for the signal, for `descriptor` to become readable, or for the time to pass. Only for one thread.
    func wait(milliseconds: Int, or descriptor: Int32?) -> Reason {
        var descriptors = [pollfd(fd: self.reading, events: Int16(POLLIN), revents: 0)]
        if let descriptor { descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
        // An interruption counts as the end of the time: the caller checks again.
        let count = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
        let isWoken = descriptors[0].revents != 0 && self.empty()
        if self.isStopped.load(ordering: .acquiring) { return .stopped }
        if isWoken { return .woken }
        return count > 0 ? .readable : .timeout
    }

    /// Empties the pipe; returns true if it had anything in it.
    private func empty() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var isWoken = false
        while read(self.reading, &bytes, bytes.count) > 0 { isWoken = true }
        return isWoken
    }
}
