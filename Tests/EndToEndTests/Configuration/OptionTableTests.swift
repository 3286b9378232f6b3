import Foundation
import TestShare
import Testing

/// The declarations of options, as `tapedeck config` shows them: compared with the commands and with the page on
/// configuration.
@Suite(.ownThreads) struct OptionTableTests {
    /// An option as the parser offers it.
    private struct Offered: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var isRepeating: Bool
        var defaultValue: String?
        var abstract: String?
        var names: [Name]?
    }

    private struct Help: Decodable {
        struct Command: Decodable {
            var arguments: [Offered]
        }

        var command: Command
    }

    /// Variables that are not options.
    private static let variables: Set<String> = ["token", "ca-dir"]

    @Test(arguments: some(of: ShownConfiguration.commands))
    func `the environment and the file have every option of a command, and no other`(_ command: String) throws {
        let folder = try TestFolder()
        let help = try folder.tapedeck([command, "--experimental-dump-help"])
        var offered: [String: Offered] = [:]
        for argument in try JSONDecoder().decode(Help.self, from: help.output).command.arguments {
            guard let name = argument.names?.first(where: { $0.kind == "long" })?.name else { continue }
            offered[name] = argument
        }
        for name in ["help", "version"] { offered[name] = nil }
        // The other half of a switch, which means a variable that is off.
        for (name, option) in offered where option.kind == "flag" { offered["no-\(name)"] = nil }
        let shown = try folder.configuration(command).options.filter { !Self.variables.contains($0.name) }
        #expect(offered.count > 10)
        #expect(Set(shown.map(\.name)) == Set(offered.keys))
        for option in shown {
            guard let argument = offered[option.name] else { continue }
            #expect((option.separator != nil) == argument.isRepeating, "\(option.name) may be repeated")
            // One switch is neither on nor off by default.
            let isOff = option.defaultText == "off" || option.name == "record-faults"
            #expect(isOff == (argument.kind == "flag"), "\(option.name) is a flag")
            if let text = argument.defaultValue { #expect(option.defaultText == text, "\(option.name)") }
            let goesWithoutSaying = argument.defaultValue != nil || ["none", "off"].contains(option.defaultText)
            let statement = goesWithoutSaying ? "" : " (default: \(option.defaultText))"
            #expect(option.help.hasSuffix("."), "\(option.name)")
            #expect(argument.abstract == option.help + statement, "\(option.name)")
        }
    }

    @Test func `names in the environment and in the file follow from that of the option`() throws {
        let option = try #require(try TestFolder().configuration("serve")["session-ttl"])
        #expect(option.variable == "TAPEDECK_SESSION_TTL")
        #expect(option.key == "deck.sessionTtl")
    }

    @Test(.long) func `the page on configuration has every option, with its default and the text of the help`() throws {
        let folder = try TestFolder()
        var shown: [String: ShownConfiguration.Option] = [:]
        let orders = try ShownConfiguration.commands.map { command in
            let options = try folder.configuration(command).options
            for option in options { shown[option.name] = option }
            return options.map(\.variable)
        }
        let expected = shown.values.map { option in
            [
                Self.variables.contains(option.name) ? "" : "`--\(option.name)`",
                "`\(option.variable)`" + (option.separator.map { " (\($0))" } ?? ""),
                option.key.map { "`\($0)`" } ?? "",
                option.defaultText,
                option.help,
            ].joined(separator: " | ")
        }
        let rows = try Page.text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| "), line.contains("`TAPEDECK_") else { return nil }
            let cells = line.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
                .split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            return cells.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " | ")
        }
        #expect(Set(rows) == Set(expected))
        #expect(rows.count == expected.count)
        let variables = rows.compactMap { $0.firstMatch(of: /`(TAPEDECK_\w+)`/).map { String($0.1) } }
        for order in orders { #expect(variables.filter(Set(order).contains) == order) }
    }

    @Test func `the example on that page is the program's output`() throws {
        let folder = try TestFolder()
        try folder.write(Page.block(after: "```yaml\n"), to: "tapedeck.yaml")
        let lines = try Page.block(after: "```console\n$ TAPEDECK_").split(separator: "\n").map(String.init)
        #expect(lines.first == "SESSION_TTL=2h tapedeck config --changed serve --port 5000")
        // Without the folder of the tests' own.
        let environment = ["TAPEDECK_CA_DIR": "", "TAPEDECK_SESSION_TTL": "2h"]
        let result = try folder.tapedeck(["config", "--changed", "serve", "--port", "5000"], environment: environment)
        #expect(result.outputText.split(separator: "\n").map(String.init) == Array(lines.dropFirst()))
    }

    /// docs/configuration.md.
    private enum Page {
        static var text: String {
            get throws {
                let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
                return try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
            }
        }

        /// Returns the text between `start` and the end of the block of code.
        static func block(after start: String) throws -> String {
            let text = try self.text
            let range = try #require(text.range(of: start))
            return String(try #require(text[range.upperBound...].components(separatedBy: "```").first))
        }
    }
}
