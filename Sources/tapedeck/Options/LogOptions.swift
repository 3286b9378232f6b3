import ArgumentParser
import Logging

/// The minimum level of messages, by the names of `Logger.Level`.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: self.rawValue) ?? .notice }
}

/// The log of a deck: its format and how much is written.
struct LogOptions: ParsableArguments {
    @Option(DeckOption.logFormat) var logFormat: LogFormat
    @Option(DeckOption.logLevel) var logLevel: LogLevel?
    @Flag(DeckOption.verbose) var verbose: Bool

    /// The least that is logged.
    ///
    /// - Parameter runsCommand: whether the terminal is rather a command's.
    func level(runsCommand: Bool) -> Logger.Level {
        self.logLevel?.level ?? (self.verbose ? .debug : runsCommand ? .warning : .notice)
    }
}

extension DeckOption {
    static let logFormat = DeckOption("log-format", value: "format", in: .running)
        .with(help: "The format of lines on standard error: text for people, json for programs (one object per line).")
        .with(default: LogFormat.text)

    static let logLevel = DeckOption(
        "log-level",
        value: "level",
        default: "notice, warning with a command, debug with --verbose",
        in: .running
    )
    .with(help: "The minimum severity of messages: trace, debug, info, notice, warning, error or critical.")

    static let verbose = DeckOption("verbose", kind: .flag, letter: "v", in: .running)
        .with(help: "Print more messages.")
}

extension LogOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [DeckOption.logFormat.option, .logLevel, .verbose]
}
