import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// Telling people where a mistake is that they did not make on the command line.
extension OptionLayers {
    /// Parses the arguments.
    ///
    /// - Parameter extra: further ones.
    /// - Throws: `DeckError` for a mistake in the environment or the project file; the parser's error for others.
    func parse(with extra: [String] = []) throws -> any ParsableCommand {
        do {
            return try self.parsed(self.arguments + extra)
        } catch {
            guard !self.weak.isEmpty, TapedeckCommand.exitCode(for: error) != .success else { throw error }
            for setting in self.weak { if let mistake = self.mistake(in: setting) { throw mistake } }
            let message = TapedeckCommand.message(for: error)
            guard let setting = self.mentioned(in: message), message != self.ownMistake(extra) else { throw error }
            throw self.error(message, setting)
        }
    }

    /// The parser examines all commands first, which takes longer than the start of a deck, so a command line without a
    /// mistake does without it.
    private func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let type = TapedeckCommand.running.first { $0.configuration.commandName == self.command }
        let options = DeckOption.options(of: self.command)
        if let type, let command = PlainCommandLine.command(type, arguments.dropFirst(), options) { return command }
        return try TapedeckCommand.parseAsRoot(arguments)
    }

    /// A message of the deck's, with the place of an option in it that was not given on the command line.
    func placed(_ message: String) -> String {
        guard let setting = self.mentioned(in: message), !message.contains(setting.source.place) else { return message }
        return "\(message) (--\(setting.option.name) comes from \(setting.source.place))"
    }

    /// Returns the mistake in the command line alone.
    private func ownMistake(_ extra: [String]) -> String? {
        do {
            _ = try self.parsed(self.given + extra)
            return nil
        } catch {
            return TapedeckCommand.message(for: error)
        }
    }

    /// Returns the mistake in one setting alone.
    private func mistake(in setting: OptionSetting) -> DeckError? {
        guard !setting.arguments.isEmpty else { return nil }
        let cassettes = ["passthrough", "health"].contains(self.command) ? [] : ["x"]
        do {
            _ = try self.parsed([self.command] + cassettes + setting.arguments)
            return nil
        } catch {
            return self.error(TapedeckCommand.message(for: error), setting)
        }
    }

    private func error(_ message: String, _ setting: OptionSetting) -> DeckError {
        var text = message.prefix(1).lowercased() + message.dropFirst()
        if setting.option.kind == .repeated(.lines), case .environment = setting.source,
            setting.values.contains(where: { $0.contains(",") })
        {
            text += " (several values stand one per line)"
        }
        guard case .project = setting.source else {
            return DeckError("\(setting.source.place): \(text)", kind: .badOption)
        }
        return DeckError("\(setting.source.place): \(text)", kind: .unusableCassette)
    }

    /// Returns the setting of the environment or the file whose option a message is about; `nil` for none or several.
    private func mentioned(in message: String) -> OptionSetting? {
        let words = Set(message.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init))
        let settings = self.weak.filter { words.contains("--\($0.option.name)") }
        return settings.count == 1 ? settings.first : nil
    }
}
