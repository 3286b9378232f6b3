import ArgumentParser
import Logging

/// What the lines on standard error look like.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs: an object a line.
    case json

    /// The one that arguments ask for, whatever else is in them: what is wrong with the others is said in it, too.
    init(in arguments: [String]) {
        let option = "--log-format"
        var format = LogFormat.text
        for (index, argument) in arguments.enumerated() {
            let isLast = index + 1 == arguments.count
            let value = argument == option && !isLast ? arguments[index + 1] : nil
            let joined = argument.hasPrefix(option + "=") ? String(argument.dropFirst(option.count + 1)) : nil
            format = (value ?? joined).flatMap(LogFormat.init(rawValue:)) ?? format
        }
        self = format
    }
}

/// The least that is said, by the names of `Logger.Level`.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: self.rawValue) ?? .notice }
}

/// What a deck says while it runs, and how.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How lines on standard error are written: text for people, json for programs (an object a line).",
            valueName: "format"
        )
    )
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            """
            The least that is said: trace, debug, info, notice, warning, error or critical (default: notice, warning with \
            a command, debug with --verbose).
            """,
            valueName: "level"
        )
    )
    var logLevel: LogLevel?

    @Flag(name: .shortAndLong, help: "Say more about what happens.")
    var verbose = false

    /// The least that is logged.
    ///
    /// - Parameter runsCommand: whether the terminal is rather a command's.
    func level(runsCommand: Bool) -> Logger.Level {
        self.logLevel?.level ?? (self.verbose ? .debug : runsCommand ? .warning : .notice)
    }
}
