import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckLocking
import TapedeckMaintenance
import TapedeckTLS
import TapedeckTestingCore

/// The deck inside the test process: on free ports of the loopback, with an authority and a token that nobody else has,
/// for sessions of any mode and nothing else.
///
/// It is not stopped. Nothing of it outlives the process, and there is no good moment: test runners call `exit` while
/// threads still run, and what would have to wait there could hang the run. Nothing is lost, either: a recording is
/// saved when its session ends, and one whose session did not come to its end is taken up by the next recording of that
/// cassette, as after any crash.
enum EmbeddedDeck {
    /// The start of the one of this process, and the deck itself once it runs. Nobody lets go of it again.
    private static let starting = Locked<Task<Deck, any Error>?>(nil)

    /// Starts the deck, unless it runs already. A start that failed is forgotten, and the next one tries again.
    static func start() async throws -> DeckStarter.Started {
        let task = self.starting.withLock { current in
            // Of no test: what a task of its own would inherit lives as long as the deck.
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
            // Every session looks at its cassettes' files when it begins.
            configuration.watchesCassettes = false
            // Somebody may have stopped at a breakpoint and gone home.
            configuration.sessionTTL = "24h"
            // One answers tens of thousands of requests a second, which is more than tests beside it ask for.
            configuration.eventLoops = 1
            configuration.reportFile = RunReport.fileOfThisProcess
            configuration.talliesUsage = configuration.reportFile != nil
            return configuration
        }
    }

    /// Only what no session can tell its test: that a recording cannot be saved, that a client does not trust the
    /// authority. Refused and unmatched requests are in the journal.
    private static var log: Logger {
        var log = Logger(label: "tapedeck") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = .warning
        return log
    }
}
