import TapedeckCassettes
import TapedeckDeck

/// The options of a command as its arguments, the environment and the project file say them, in that order of strength.
struct OptionLayers: Sendable {
    let command: String
    /// The settings in force, in the order of ``DeckOption/table``.
    let settings: [OptionSetting]
    /// Probable mistakes in the environment.
    let warnings: [String]
    /// The command with its arguments, as given.
    let given: [String]
    /// The given arguments, followed by those from environment and file.
    let arguments: [String]

    /// Reads the project file.
    ///
    /// - Parameters:
    ///   - arguments: the command line up to `--`, from the command on.
    ///   - environment: the variables.
    /// - Throws: `DeckError` for mistakes in environment and file that can be found without the parser.
    init(_ arguments: [String], environment: [String: String]) throws(DeckError) {
        self.command = arguments.first ?? ""
        self.given = arguments
        let options = DeckOption.options(of: self.command)
        let given = GivenArguments(arguments.dropFirst(), options)
        let environmentLayer = EnvironmentLayer(variables: environment)
        var merge = LayeredSettings(given: given, command: self.command)
        for option in options { merge.take(given: option) }
        var fromEnvironment: [OptionSetting] = []
        for option in options {
            if let setting = try environmentLayer.setting(of: option) { fromEnvironment.append(setting) }
        }
        merge.take(fromEnvironment)
        let project = try Self.project(options, merge)
        var fromProject: [OptionSetting] = []
        for option in options {
            if let setting = try project.setting(of: option) { fromProject.append(setting) }
        }
        merge.take(fromProject)
        merge.settlePorts()
        merge.dropDefaultSession()
        self.settings = options.map {
            merge.settings[$0.name] ?? OptionSetting(option: $0, isOn: false, source: .byDefault)
        }
        self.warnings = environmentLayer.warnings
        self.arguments = arguments + self.settings.flatMap(\.arguments)
    }

    /// Returns true if the environment and the project file apply to a command.
    static func concern(_ command: String?) -> Bool {
        command.map { name in DeckOption.table.contains { $0.commands.contains(name) } } ?? false
    }

    /// The setting of an option that the command has.
    subscript(_ name: String) -> OptionSetting? {
        self.settings.first { $0.option.name == name }
    }

    /// The settings of the environment and the file.
    var weak: [OptionSetting] { self.settings.filter { $0.source != .commandLine && $0.source != .byDefault } }

    private static func project(_ options: [DeckOption], _ merge: LayeredSettings) throws(DeckError) -> ProjectLayer {
        let file = merge.settings["project"]?.values.last
        let hasNone = merge.settings["no-project"]?.isOn ?? false
        // The parser refuses both.
        guard file == nil || !hasNone else { return try ProjectLayer(.none) }
        do {
            return try ProjectLayer(ProjectOptionValues.read(file: file, unless: hasNone))
        } catch {
            // Commands that only read cassettes work without the file, even if it has errors.
            guard options.contains(where: { $0.name == "project" }) else { return try ProjectLayer(.none) }
            throw error
        }
    }
}

extension OptionLayers {
    /// The layers of settings, in descending precedence.
    private struct LayeredSettings {
        let given: GivenArguments
        let command: String
        var settings: [String: OptionSetting] = [:]

        mutating func take(given option: DeckOption) {
            if let values = self.given.values[option.name] {
                self.settings[option.name] = OptionSetting(option: option, values: values, source: .commandLine)
            } else if self.given.switchedOff.contains(option.name) {
                self.settings[option.name] = OptionSetting(option: option, isOn: false, source: .commandLine)
            }
        }

        /// Adds a layer of lower precedence, except options that are set already or excluded by others.
        mutating func take(_ layer: [OptionSetting]) {
            let stronger = self.settings
            for setting in layer {
                let option = setting.option
                if var there = stronger[option.name] {
                    guard case .section(_, addsUp: true) = option.place, case .project = setting.source else {
                        continue
                    }
                    there.beside = (setting.values, setting.source)
                    self.settings[option.name] = there
                } else if !option.excludes.contains(where: { stronger[$0]?.isOn ?? false }) {
                    self.settings[option.name] = setting
                }
            }
        }

        /// Two ports of one number: the weaker one is not meant.
        mutating func settlePorts() {
            guard let port = self.settings["port"], let control = self.settings["control-port"],
                let number = port.values.last, number != "0", number == control.values.last,
                port.source.rank != control.source.rank
            else { return }
            self.settings[port.source.rank < control.source.rank ? "port" : "control-port"] = nil
        }

        /// If every request must name a session, options for the default session have no effect.
        mutating func dropDefaultSession() {
            let sessions = self.settings["sessions"]?.values.last
            guard sessions == "required" || self.command == "serve" && self.given.positionals.isEmpty else { return }
            for (name, setting) in self.settings where setting.option.isForDefaultSession {
                if setting.source != .commandLine { self.settings[name] = nil }
            }
        }
    }
}
