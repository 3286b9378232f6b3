import ArgumentParser
import TapedeckDeck
import TapedeckLocking
import TapedeckPlatform

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
        /// The ports that the command could reach; `nil` if it was not isolated.
        var isolation: IsolatedPorts?
    }

    func run() throws -> Ending {
        let (exitCode, isTerminated) =
            self.child == nil ? Progress.ofRecording(self.deck) { self.waitForEnd() } : self.waitForEnd()
        let work = self.deck.records ? "saving what was recorded" : "stopping"
        return Ending(
            exitCode: exitCode,
            report: try Progress.during(work) {
                try self.stop(commandFailed: exitCode != 0, within: isTerminated ? self.serviceTime : nil)
            }
        )
    }

    /// Waits for the child, or for a signal if there is none.
    ///
    /// - Returns: the child's exit code, or 0; and true if SIGTERM asked for the end, which is followed by SIGKILL when it
    ///   takes too long.
    private func waitForEnd() -> (exitCode: Int32, isTerminated: Bool) {
        var interruptions = 0
        var isTerminated = false
        while true {
            let signal = Signals.next()
            if signal.number == SIGTERM { isTerminated = true }
            switch signal.number {
            case SIGCHLD:
                if let code = self.child?.exitCode() { return (code, isTerminated) }
            case Signals.wake:
                continue
            default:
                guard let child = self.child else {
                    // A terminal that goes away wants the deck to end.
                    guard signal.number == SIGHUP, !signal.isFromTerminal else {
                        return (0, isTerminated)
                    }
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

    /// The maximum time of a stop that SIGTERM asked for.
    private var serviceTime: Duration { .seconds(self.deck.configuration.grace) + .milliseconds(Self.savingTime) }

    /// Stops the deck in the background, so that a further signal can cut that short, and so can the time, whatever hangs:
    /// this thread does nothing else.
    ///
    /// - Parameter limit: the maximum time; with `nil` a recording is saved however long it takes, and the rest of the stop
    ///   has the time that a service has.
    private func stop(commandFailed: Bool, within limit: Duration?) throws -> DeckReport {
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
        var deadline = ContinuousClock.now + (limit ?? self.serviceTime)
        while true {
            guard let signal = Signals.next(before: deadline) else {
                guard limit == nil, self.deck.unsavedRecordings > 0 else { self.endLate() }
                deadline = ContinuousClock.now + .milliseconds(Self.savingTime)
                continue
            }
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
