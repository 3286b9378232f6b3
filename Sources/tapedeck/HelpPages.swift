import ArgumentParser
import TapedeckAssets

/// The pages of the documentation, which are part of the program.
enum HelpPages {
    /// The names of the pages, such as `getting-started`; with `.md` where a command has the name.
    static var names: [String] {
        let commands = Set(TapedeckCommand.configuration.subcommands.map { $0._commandName })
        return Assets.folder("docs").map(\.name).filter { $0.hasSuffix(".md") }.map { file in
            let name = String(file.dropLast(3))
            return commands.contains(name) ? file : name
        }
    }

    /// The JSON Schema of what commands print with `--json`.
    static var outputSchema: String { String(decoding: Assets.file("docs/json-output.schema.json"), as: UTF8.self) }

    /// The page that `tapedeck help PAGE` asks for, in Markdown, or the list of `tapedeck help pages`; `nil` for any other command
    /// line, and for names of commands.
    static func text(_ arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        if arguments[1] == "pages" { return self.names.joined(separator: "\n") }
        guard self.names.contains(arguments[1]) else { return nil }
        let name = arguments[1].hasSuffix(".md") ? arguments[1] : arguments[1] + ".md"
        return String(decoding: Assets.file("docs/\(name)"), as: UTF8.self)
    }
}
