/// The command line, split at `--`: Tapedeck's options before it, a command to run after it.
///
/// Done here because the argument parser accepts no list of arguments after another one, and a deck plays several
/// cassettes.
struct CommandLineParts {
    /// Without the program's own name.
    var arguments: [String]
    var command: [String]

    init(_ commandLine: [String]) {
        let arguments = commandLine.dropFirst()
        let terminator = arguments.firstIndex(of: "--") ?? arguments.endIndex
        self.arguments = Array(arguments[..<terminator])
        self.command = Array(arguments[terminator...].dropFirst())
    }

    /// True if the subcommand runs a command.
    var runsCommand: Bool {
        self.arguments.first.map { CommandSet.running.contains($0) || ["matrix", "doctor"].contains($0) } ?? false
    }

    /// True if the command takes signals itself, as it has a deck or a command to stop. Any other ends at the first one.
    var waitsForSignals: Bool {
        // `doctor` alone runs no command.
        self.runsCommand && !(self.arguments.first == "doctor" && self.command.isEmpty)
    }

    static let current = CommandLineParts(ProgramArguments.all)
}
