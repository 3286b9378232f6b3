import ArgumentParser
import TapedeckLocking
import TapedeckServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Runs a deck for as long as it is wanted: until the child ends, or until a signal says stop. A second signal ends at
/// once; what is in a recording's journal then is taken up by the next start.
struct Supervisor {
    private let deck: Deck
    private let child: ChildProcess?
    /// What SIGHUP asks for where there is no child.
    private let reload: () -> Void

    init(deck: Deck, child: ChildProcess?, reload: @escaping () -> Void = {}) {
        self.deck = deck
        self.child = child
        self.reload = reload
    }

    /// How a run ended.
    struct Ending {
        /// The child's, or 0.
        var exitCode: Int32
        var report: DeckReport
    }

    func run() throws -> Ending {
        let exitCode = self.waitForEnd()
        let work = self.deck.records ? "saving what was recorded" : "stopping"
        return Ending(
            exitCode: exitCode,
            report: try Progress.during(work) { try self.stop(commandFailed: exitCode != 0) }
        )
    }

    /// Waits for the child, or for a signal where there is none.
    private func waitForEnd() -> Int32 {
        var interruptions = 0
        while true {
            let signal = Signals.next()
            switch signal.number {
            case SIGCHLD:
                if let code = self.child?.exitCode() { return code }
            case Signals.wake:
                continue
            default:
                guard let child = self.child else {
                    // A terminal that goes away wants the deck to end.
                    guard signal.number == SIGHUP, !signal.isFromTerminal else { return 0 }
                    self.reload()
                    continue
                }
                if !signal.isFromTerminal { child.send(signal.number) }
                interruptions += 1
                // A child that takes no notice of being interrupted is not waited for a third time.
                if interruptions > 2 { self.endAtOnce(signal.number) }
            }
        }
    }

    /// What a stop may take beyond the grace for requests in flight, in milliseconds: with the grace that there is unless
    /// somebody wants another, less than the 10 seconds after which a container is killed.
    private static let savingTime = 4_500

    /// Stops the deck in the background, so that a further signal can cut that short, and so can the time, whatever hangs:
    /// this thread does nothing else.
    private func stop(commandFailed: Bool) throws -> DeckReport {
        let outcome = Outcome()
        let deck = self.deck
        Task.detached {
            do {
                let report = try await deck.stop(commandFailed: commandFailed)
                outcome.result.withLock { $0 = .success(report) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            Signals.wakeMainThread()
        }
        let deadline = ContinuousClock.now + .seconds(deck.configuration.grace) + .milliseconds(Self.savingTime)
        while true {
            guard let signal = Signals.next(before: deadline) else { self.endLate() }
            switch signal.number {
            case Signals.wake:
                if let report = try outcome.result.withLock({ $0 }).get() { return report }
            case SIGCHLD, SIGHUP:
                continue
            default:
                self.endAtOnce(signal.number)
            }
        }
    }

    private final class Outcome: Sendable {
        /// `nil` while the deck is stopping.
        let result = Locked<Result<DeckReport?, any Error>>(.success(nil))
    }

    /// What is not saved by now is in its journal.
    private func endLate() -> Never {
        let unsaved = self.deck.unsavedRecordings
        DeckNotes.late(unsaved)
        _exit(unsaved == 0 ? 0 : ExitStatus.notSaved.rawValue)
    }

    private func endAtOnce(_ signal: Int32) -> Never {
        Terminal.note("ended at once; the next start takes up what was recorded")
        _exit(128 + signal)
    }
}
