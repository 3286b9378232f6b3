import ArgumentParser

/// The help of a command: the argument parser's text, and two examples.
struct CommandHelp {
    private let command: any ParsableCommand.Type
    private let path: [String]

    /// - Parameter arguments: a command line up to `--`, without the program's name; `nil` for one that requests no
    ///   help, or the help of hidden options.
    init?(_ arguments: [String]) {
        let asksByWord = arguments.first == "help"
        guard asksByWord || arguments.contains(where: { ["-h", "--help"].contains($0) }) else { return nil }
        var (command, path): (any ParsableCommand.Type, [String]) = (TapedeckCommand.self, [])
        for word in asksByWord ? arguments.dropFirst() : arguments[...] {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
            path.append(word)
        }
        (self.command, self.path) = (command, path)
    }

    var text: String {
        let help = TapedeckCommand.helpMessage(
            for: self.command,
            includeHidden: false,
            columns: Terminal.width(of: .output)
        )
        guard let examples = CommandExamples.table[self.path.joined(separator: " ")] else { return help }
        return help + "\n\nEXAMPLES:\n" + examples.map { "  \($0)" }.joined(separator: "\n")
    }
}
