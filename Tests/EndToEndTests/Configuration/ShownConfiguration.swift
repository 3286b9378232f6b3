import Foundation
import Testing

/// The output of `tapedeck config --json`.
struct ShownConfiguration: Decodable {
    struct Option: Decodable {
        var name: String
        var value: String?
        var values: [String]?
        var source: String
        var place: String?
        var variable: String
        var key: String?
        var separator: String?
        var defaultText: String
        var help: String
    }

    var command: String
    var options: [Option]

    subscript(_ name: String) -> Option? { self.options.first { $0.name == name } }

    /// The commands that run a deck.
    static let commands = ["record", "append", "replay", "passthrough", "serve"]
}

extension TestFolder {
    /// The options that would be in force. `TAPEDECK_CA_DIR` is among the variables, as in all tests.
    func configuration(_ arguments: String..., environment: [String: String] = [:]) throws -> ShownConfiguration {
        let result = try self.tapedeck(["config", "--json"] + arguments, environment: environment)
        try #require(result.exitCode == 0, "\(result.errorText)")
        return try JSONDecoder().decode(ShownConfiguration.self, from: result.output)
    }
}
