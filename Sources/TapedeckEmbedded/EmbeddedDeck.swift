import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckLocking
import TapedeckMaintenance
import TapedeckTLS
import TapedeckTestingCore

/// The deck inside the test process: on free loopback ports, with a private authority and token, only for sessions of
/// any mode.
///
/// It is not stopped. It does not outlive the process, and there is no good moment: test runners call `exit` while
/// threads still run, and waiting there could hang the run. No recording is lost: it is saved when its session ends,
/// and the next recording of the cassette recovers one whose session did not end, as after any crash.
enum EmbeddedDeck {
    /// The start of this process's deck, and the deck itself once it runs. It is never released.
    private static let starting = Locked<Task<Deck, any Error>?>(nil)

    /// Starts the deck, unless it runs already. A start that failed is forgotten, and the next one tries again.
    static func start() async throws -> DeckStarter.Started {
        let task = self.starting.withLock { current in
            // Detached from any test: values that a task inherits would live as long as the deck.
            let task = current ?? Task.detached { try await self.newDeck() }
            current = task
            return task
        }
        let deck: Deck
        do {
            deck = try await task.value
        } catch {
            self.starting.withLock { if $0 == task { $0 = nil } }
            throw error
        }
        guard let url = deck.controlURL else { throw DeckError("the deck has no control API") }
        return DeckStarter.Started(controlURL: url, token: deck.token?.value)
    }

    private static func newDeck() async throws -> Deck {
        // Before anything else uses OpenSSL.
        OpenSSLCleanup.leaveOut()
        let deck = try await Deck.start(try Self.configuration, log: Self.log)
        EmbeddedReport.writeAtExit(of: deck)
        return deck
    }

    private static var configuration: DeckConfiguration {
        get throws {
            var configuration = DeckConfiguration.serve([])
            configuration.authority = .ephemeral
            configuration.port = 0
            configuration.controlPort = 0
            // Other users of the machine reach the loopback, too, and sessions read and write files.
            configuration.token = .make()
            configuration.takesPaths = true
            // Synchronous tests of Swift Testing run on, and block, the threads that all tasks share.
            configuration.controlHasOwnThread = true
            // Every session checks its cassettes' files when it begins.
            configuration.watchesCassettes = false
            // A developer may have stopped at a breakpoint for hours.
            configuration.sessionTTL = "24h"
            // One loop answers tens of thousands of requests a second, which is enough for tests.
            configuration.eventLoops = 1
            configuration.reportFile = RunReport.fileOfThisProcess
            configuration.talliesUsage = configuration.reportFile != nil
            return configuration
        }
    }

    /// Only problems that no session can report to its test: a recording that cannot be saved, a client that does not
    /// trust the authority. Refused and unmatched requests are in the journal.
    private static var log: Logger {
        var log = Logger(label: "tapedeck") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = .warning
        return log
    }
}
