import ArgumentParser
import TapedeckDeck
import TapedeckLocking
import TapedeckPlatform

/// Runs a deck until the child ends or a signal stops it. A second signal ends it at once; the next start recovers the
/// recording from its journal.
struct Supervisor {
    private let deck: Deck
    private let child: ChildProcess?
    /// The reaction to SIGHUP without a child.
    private let reload: () -> Void

    init(deck: Deck, child: ChildProcess?, reload: @escaping () -> Void = {}) {
        self.deck = deck
        self.child = child
        self.reload = reload
    }

    /// The end of a run.
    struct Ending {
        /// The child's, or 0.
        var exitCode: Int32
        /// The signal that asked for the end; `nil` if the child ended by itself.
        var signal: Int32?
        var report: DeckReport
        /// The ports that the command could reach; `nil` if it was not isolated.
        var isolation: IsolatedPorts?
    }

    func run() throws -> Ending {
        let (exitCode, signal) =
            self.child == nil ? Progress.ofRecording(self.deck) { self.waitForEnd() } : self.waitForEnd()
        let deck = self.deck
        let work = deck.records ? "saving what was recorded" : "stopping"
        return Ending(
            exitCode: exitCode,
            signal: signal,
            report: try Progress.during(work, detail: { deck.savedText }) {
                try self.stop(commandFailed: exitCode != 0, within: signal == SIGTERM ? self.serviceTime : nil)
            }
        )
    }

    /// Waits for the child, or for a signal if there is no child.
    ///
    /// - Returns: the child's exit code, or 0; and the signal that asked for the end: SIGTERM, which may be followed by
    ///   SIGKILL, counts before others.
    private func waitForEnd() -> (exitCode: Int32, signal: Int32?) {
        var interruptions = 0
        var received: Int32?
        while true {
            let signal = Signals.next()
            switch signal.number {
            case SIGCHLD:
                if let code = self.child?.exitCode() { return (code, received) }
            case Signals.wake:
                continue
            default:
                guard let child = self.child else {
                    // A terminal that goes away wants the deck to end.
                    guard signal.number == SIGHUP, !signal.isFromTerminal else {
                        return (0, signal.number)
                    }
                    self.reload()
                    continue
                }
                if !signal.isFromTerminal { child.send(signal.number) }
                if received != SIGTERM { received = signal.number }
                interruptions += 1
                // A child that takes no notice of being interrupted is not waited for a third time.
                if interruptions > 2 { self.endAtOnce(signal.number) }
            }
        }
    }

    /// The time that a stop may take beyond the grace for requests in flight, in milliseconds: with the default grace,
    /// less than the 10 seconds after which a container is killed.
    private static let savingTime = 4_500

    /// The maximum time of a stop by SIGTERM.
    private var serviceTime: Duration { .seconds(self.deck.configuration.grace) + .milliseconds(Self.savingTime) }

    /// Stops the deck in the background, so that a further signal or the time limit can interrupt it: this thread only
    /// waits.
    ///
    /// - Parameter limit: the maximum time; with `nil` saving a recording has no limit, and the rest of the stop has a
    ///   service's limit.
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

    /// Unsaved recordings are in their journals.
    private func endLate() -> Never {
        let unsaved = self.deck.unsavedRecordings
        DeckNotes.late(unsaved)
        _exit(unsaved == 0 ? 0 : ExitStatus.notSaved.rawValue)
    }

    private func endAtOnce(_ signal: Int32) -> Never {
        let isRecording = self.deck.unsavedRecordings > 0
        Terminal.note(isRecording ? "ended at once; the next start saves the recording" : "ended at once")
        _exit(128 + signal)
    }
}
