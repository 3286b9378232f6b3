import TapedeckAssets

/// The pages of the documentation, which are part of the program.
enum HelpPages {
    /// The names of the pages, such as `getting-started`.
    static var names: [String] {
        Assets.folder("docs").map(\.name).filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }
    }

    /// The JSON Schema of what commands print with `--json`.
    static var outputSchema: String { String(decoding: Assets.file("docs/json-output.schema.json"), as: UTF8.self) }

    /// The page that `tapedeck help PAGE` asks for, in Markdown; `nil` for any other command line, and for names of commands.
    static func text(_ arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help", self.names.contains(arguments[1]) else { return nil }
        return String(decoding: Assets.file("docs/\(arguments[1]).md"), as: UTF8.self)
    }
}
