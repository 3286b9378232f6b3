import ArgumentParser
import TapedeckCore
import TapedeckDeck

/// Mistakes of a command line that the argument parser explains badly: an unknown command, and a command to run without
/// `--` before it.
struct CommandLineMistakes {
    private let parts: CommandLineParts
    private let hasTerminator: Bool

    /// - Parameter commandLine: with the program's own name.
    init(_ commandLine: [String]) {
        self.parts = CommandLineParts(commandLine)
        self.hasTerminator = commandLine.contains("--")
    }

    /// The mistake, and what to write instead; `nil` if nothing of this kind is.
    var message: String? { self.unknownCommand ?? self.missingCommand ?? self.forgottenTerminator }

    // MARK: Commands

    private var unknownCommand: String? {
        // These commands have no subcommands.
        guard !self.parts.runsCommand else { return nil }
        var words = self.parts.arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        var (command, path): (any ParsableCommand.Type, [String]) = (TapedeckCommand.self, ["tapedeck"])
        for word in words {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                let names = subcommands.map { $0._commandName } + (path.count == 1 ? ["help"] : [])
                let place = path.count == 1 ? "" : " in `\(path.joined(separator: " "))`"
                let isPage = self.parts.arguments.first == "help" && path.count == 1
                let hint = Suggestion.hint(word, among: names + (isPage ? HelpPages.names : [])) { name in
                    "`\((path + (isPage ? ["help"] : []) + [name]).joined(separator: " "))`"
                }
                let list = hint.isEmpty ? "; `\(path.joined(separator: " ")) --help` lists them" : hint
                return "there is no command\(isPage ? " or page" : "") `\(word)`\(place)\(list)"
            }
            command = next
            path.append(word)
        }
        return nil
    }

    /// A command such as `session` without one of its own commands, which the parser takes for a request for help. Only a
    /// bare `tapedeck` is one.
    private var missingCommand: String? {
        guard CommandHelp(self.parts.arguments) == nil else { return nil }
        if self.hasTerminator, self.parts.command.isEmpty {
            if self.parts.runsCommand { return "there is no command behind `--`: name one, or leave `--` out" }
            if self.parts.arguments.isEmpty { return "there is no command; `tapedeck --help` lists them" }
        }
        guard !self.parts.arguments.isEmpty else { return nil }
        var (command, path): (any ParsableCommand.Type, [String]) = (TapedeckCommand.self, ["tapedeck"])
        for word in self.parts.arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return nil
            }
            command = next
            path.append(word)
        }
        let names = command.configuration.subcommands.map { $0._commandName }
        guard !names.isEmpty, command.configuration.defaultSubcommand == nil else { return nil }
        return "`\(path.joined(separator: " "))` needs one of its commands: \(names.joined(separator: ", "))"
    }

    // MARK: The command behind --

    /// The maximum number of positional arguments before a command without `--`.
    private func cassetteCount(_ command: String) -> Int {
        switch command {
        case "passthrough": 0
        case "record": 1
        default: .max
        }
    }

    private var forgottenTerminator: String? {
        guard !self.hasTerminator, let command = self.parts.arguments.first,
            CommandSet.running.contains(command)
        else { return nil }
        let options = DeckOption.options(of: command)
        let given = GivenArguments(self.parts.arguments.dropFirst(), options)
        let folder = given.values["cassettes"]?.last
        for (place, index) in given.positionalIndices.enumerated() {
            let word = self.parts.arguments[index + 1]
            guard place > 0 || self.cassetteCount(command) == 0 else { continue }
            // The word may be the value of an option that is misspelt: the parser knows the right one.
            if index > 0, Self.isUnknownOption(self.parts.arguments[index], options) { return nil }
            let isExtra = place >= self.cassetteCount(command)
            guard isExtra || Executables.contains(word) && !CassetteFolder.exists(word, folder: folder) else {
                continue
            }
            if isExtra, place == 1, let first = given.positionals.first, Executables.contains(first),
                !Executables.contains(word), !CassetteFolder.exists(first, folder: folder)
            {
                return "there is no cassette named in front of the command: tapedeck \(command) NAME -- \(first) …"
            }
            let before = ["tapedeck"] + self.parts.arguments[...index]
            let after = self.parts.arguments[(index + 1)...]
            let corrected = (before + ["--"] + after).map(ShellWord.quoted).joined(separator: " ")
            return "the command to run comes after `--`: \(corrected)"
        }
        return nil
    }

    private static func isUnknownOption(_ argument: String, _ options: [DeckOption]) -> Bool {
        guard argument.hasPrefix("--"), !argument.contains("=") else { return false }
        let name = argument.dropFirst(2)
        return !options.contains { $0.name == name || "no-\($0.name)" == name }
    }
}
