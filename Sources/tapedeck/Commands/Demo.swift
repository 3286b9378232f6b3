import ArgumentParser
import Logging
import TapedeckDeck

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Record from a small HTTPS API inside this program, switch it off, replay, and show the cassette."
    )

    func run() throws {
        let log = Logger(label: "tapedeck") { TerminalLogHandler(label: $0, logLevel: .warning) }
        try ExitStatus.reporting {
            let result = try Blocking.run { try await DeckDemo(log: log).run() }
            for (number, step) in result.steps.enumerated() { Terminal.print("\(number + 1). \(step)") }
            Terminal.print("\nThis is the cassette:\n\n\(result.cassette)")
            guard result.isSame else {
                Terminal.note("the replay differs from the recording: this is a defect")
                throw ExitStatus.unmatched
            }
        }
    }
}
