import TapedeckDeck
import TapedeckLocking
import TapedeckMaintenance
import TapedeckPlatform

/// The report of this process's tests, if `TAPEDECK_REPORT` is set.
///
/// The deck is not stopped, so the report is written when the process exits; only then is it known if the tests passed.
/// A process that crashes writes none, because its tests did not send all their requests.
enum EmbeddedReport {
    private static let deck = Locked<Deck?>(nil)

    /// Has the report of a deck written at the end of the process, if the deck was started with a place for one.
    static func writeAtExit(of deck: Deck) {
        guard deck.configuration.reportFile != nil else { return }
        let isFirst = Self.deck.withLock { current in
            defer { current = deck }
            return current == nil
        }
        guard isFirst else { return }
        #if canImport(Glibc)
        on_exit({ status, _ in EmbeddedReport.write(exitCode: status) }, nil)
        #else
        // Other systems do not say how the process ends, so the report does not count as one of a full run.
        atexit { EmbeddedReport.write(exitCode: nil) }
        #endif
    }

    /// - Parameter exitCode: of this process; `nil` where the system does not say.
    private static func write(exitCode: Int32?) {
        guard let deck = Self.deck.withLock({ $0 }), let file = deck.configuration.reportFile else { return }
        let filter = self.filter(CommandLine.arguments).map { "it ran with \($0)" }
        let report = deck.report(
            mode: "test",
            exitCode: exitCode ?? 0,
            incomplete: filter ?? (exitCode == nil ? "this system does not say whether its tests passed" : nil)
        )
        // Other processes may have better reports.
        guard !report.cassettes.isEmpty else { return }
        // No one can receive the error.
        try? report.write(to: file)
    }

    /// Returns the argument that keeps Swift Testing from running all tests. For XCTest, `swift test --parallel` gives
    /// every process a part, so a part tells nothing there.
    static func filter(_ arguments: [String]) -> String? {
        arguments.first { $0 == "--filter" || $0 == "--skip" }
    }
}
