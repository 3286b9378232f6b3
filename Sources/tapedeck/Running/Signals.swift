import TapedeckPlatform

/// The signals that the command line waits for. They are blocked in every thread, so that none interrupts a system
/// call and each is taken in one place.
enum Signals {
    /// Sent by this process to itself when something that the main thread waits for is done.
    static let wake = SIGUSR1
    static let watched = [SIGINT, SIGTERM, SIGHUP, SIGCHLD, Self.wake]

    static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in self.watched { sigaddset(&set, signal) }
        return set
    }

    static func block() {
        var set = self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.prepare()
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

    static func wakeMainThread() {
        kill(getpid(), self.wake)
    }
}
