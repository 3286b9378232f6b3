import TapedeckLocking
import TapedeckPlatform

/// The signals that a command with a deck waits for. They are blocked in every thread, so that none interrupts a system
/// call and each is taken in one place. In all other commands they end the process, as the system does by default: files are
/// replaced in one step, so each is the old or the new one then.
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

    /// Runs `work` during which a terminal's Ctrl-C is meant for another program, such as an editor.
    static func leavingInterruptToChild<Value>(_ work: () throws -> Value) rethrows -> Value {
        let old = signal(SIGINT, SIG_IGN)
        defer { _ = signal(SIGINT, old) }
        return try work()
    }

    /// Runs asynchronous work while this thread waits for signals. The first that asks the process to end does so at once; a
    /// SIGHUP that asks to reload is kept for later.
    static func endingProcess<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Locked<Result<Value, any Error>?>(nil)
        Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            self.wakeMainThread()
        }
        var asksToReload = false
        while true {
            let event = self.next()
            switch event.number {
            case self.wake:
                guard let result = outcome.withLock({ $0 }) else { continue }
                if asksToReload { kill(getpid(), SIGHUP) }
                return try result.get()
            case SIGCHLD: continue
            case SIGHUP where !event.isFromTerminal: asksToReload = true
            default:
                Terminal.endProgress()
                _exit(128 + event.number)
            }
        }
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
