#if canImport(Darwin)
import TapedeckPlatform

/// A queue of events tells of signals (kqueue(2)), also of those that are blocked. Apple's systems have neither
/// sigwaitinfo(2) nor sigtimedwait(2).
extension Signals {
    /// -1 if the system has no file descriptors left.
    private static let queue: Int32 = {
        let queue = kqueue()
        _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
        var changes = Self.watched.map { signal in
            kevent(
                ident: UInt(signal),
                filter: Int16(EVFILT_SIGNAL),
                flags: UInt16(EV_ADD),
                fflags: 0,
                data: 0,
                udata: nil
            )
        }
        _ = kevent(queue, &changes, Int32(changes.count), nil, 0, nil)
        return queue
    }()

    /// Prepares for ``next()``, when the signals are blocked: the queue knows of those that come from here on.
    static func prepare() {
        _ = self.queue
    }

    /// Waits for the next signal.
    static func next() -> Event {
        while true {
            if let event = self.next(within: nil) { return event }
        }
    }

    /// Waits for the next signal until `deadline`; `nil` when none has come by then.
    static func next(before deadline: ContinuousClock.Instant) -> Event? {
        while true {
            let left = max(.zero, deadline - .now)
            if let event = self.next(within: left) { return event }
            if left == .zero { return nil }
        }
    }

    /// Waits for the next signal; `nil` when none has come in that time, or when the wait was interrupted.
    private static func next(within time: Duration?) -> Event? {
        var event = kevent()
        var timeout = timespec()
        if let time {
            timeout.tv_sec = Int(time.components.seconds)
            timeout.tv_nsec = Int(time.components.attoseconds / 1_000_000_000)
        }
        let count = withUnsafePointer(to: &timeout) { kevent(self.queue, nil, 0, &event, 1, time == nil ? nil : $0) }
        guard count == 1 else { return nil }
        let number = Int32(event.ident)
        self.take(number)
        return Event(number: number, isFromTerminal: self.isFromTerminal(number))
    }

    /// Takes a signal off the process, which would end it as soon as it is no longer blocked. One that the system ignores, as
    /// it does SIGCHLD, is gone already.
    private static func take(_ number: Int32) {
        var pending = sigset_t()
        guard sigpending(&pending) == 0, sigismember(&pending, number) == 1 else { return }
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        var taken: Int32 = 0
        _ = sigwait(&set, &taken)
    }

    /// True if the signal is one of a terminal's, and this process is in the group that the terminal sends them to. The queue
    /// does not say who sent it, so another process's SIGINT counts as the terminal's there.
    private static func isFromTerminal(_ number: Int32) -> Bool {
        guard number == SIGINT || number == SIGHUP else { return false }
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
#endif
