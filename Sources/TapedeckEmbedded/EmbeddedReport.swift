import TapedeckDeck
import TapedeckLocking
import TapedeckMaintenance

#if canImport(Glibc)
import Glibc
#endif

/// The report of what the tests of this process asked for, where `TAPEDECK_REPORT` wants one.
///
/// The deck is not stopped, so it is written when the process exits, which is also when it is known whether the tests
/// passed. A process that crashes writes none: its tests did not ask for all that they would have.
enum EmbeddedReport {
    private static let deck = Locked<Deck?>(nil)

    /// Has the report of a deck written at the end of the process, if the deck was started with a place for one.
    static func writeAtExit(of deck: Deck) {
        guard deck.configuration.reportFile != nil else { return }
        let isFirst = Self.deck.withLock { current in
            defer { current = deck }
            return current == nil
        }
        #if canImport(Glibc)
        if isFirst { on_exit({ status, _ in EmbeddedReport.write(exitCode: status) }, nil) }
        #endif
    }

    private static func write(exitCode: Int32) {
        guard let deck = Self.deck.withLock({ $0 }), let file = deck.configuration.reportFile else { return }
        let filter = self.filter(CommandLine.arguments)
        let report = deck.report(mode: "test", exitCode: exitCode, incomplete: filter.map { "it ran with \($0)" })
        // Of other processes there may be better reports.
        guard !report.cassettes.isEmpty else { return }
        // There is nobody left to tell.
        try? report.write(to: file)
    }

    /// Returns the argument that keeps Swift Testing from running all tests. For XCTest, `swift test --parallel` gives
    /// every process a part, so that a part says nothing there.
    static func filter(_ arguments: [String]) -> String? {
        arguments.first { $0 == "--filter" || $0 == "--skip" }
    }
}
