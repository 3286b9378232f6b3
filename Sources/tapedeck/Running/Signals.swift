import TapedeckPlatform

/// The signals that the command line waits for. They are blocked in every thread, so that none interrupts a system
/// call and each is taken in one place.
enum Signals {
    /// Sent by this process to itself when something that the main thread waits for is done.
    static let wake = SIGUSR1
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGCHLD, Self.wake]

    static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in self.watched { sigaddset(&set, signal) }
        return set
    }

    static func block() {
        var set = self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Lets signals end the program again, as they do in one that waits for none.
    static func unblock() {
        var set = self.set
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// A signal and whether the terminal sent it, in which case a child has got it too.
    struct Event {
        var number: Int32
        var isFromTerminal: Bool
    }

    /// Waits for the next signal.
    static func next() -> Event {
        var set = self.set
        while true {
            var info = siginfo_t()
            let number = sigwaitinfo(&set, &info)
            if number > 0 {
                return Event(number: number, isFromTerminal: info.si_code == SI_KERNEL)
            }
        }
    }

    /// Waits for the next signal until `deadline`; `nil` when none has come by then.
    static func next(before deadline: ContinuousClock.Instant) -> Event? {
        var set = self.set
        while true {
            let left = max(.zero, deadline - .now)
            var timeout = timespec()
            timeout.tv_sec = Int(left.components.seconds)
            timeout.tv_nsec = Int(left.components.attoseconds / 1_000_000_000)
            var info = siginfo_t()
            let number = sigtimedwait(&set, &info, &timeout)
            if number > 0 { return Event(number: number, isFromTerminal: info.si_code == SI_KERNEL) }
            if errno == EAGAIN { return nil }
        }
    }

    static func wakeMainThread() {
        kill(getpid(), self.wake)
    }
}
