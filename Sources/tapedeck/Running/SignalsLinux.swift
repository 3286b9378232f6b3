#if os(Linux)
import TapedeckPlatform

/// Signals are taken off the process (sigwaitinfo(2)).
extension Signals {
    /// Prepares for ``next()``, when the signals are blocked.
    static func prepare() {}

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
}
#endif
