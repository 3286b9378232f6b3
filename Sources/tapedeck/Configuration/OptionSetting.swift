/// An option as it is in force.
struct OptionSetting: Sendable {
    /// The source of a setting, the strongest first.
    enum Source: Sendable, Equatable {
        case commandLine
        case environment(String)
        /// The file with the line, and the key.
        case project(place: String, key: String)
        case byDefault

        /// As `tapedeck config` shows it.
        var shown: String {
            switch self {
            case .commandLine: "flag"
            case .environment(let variable): variable
            case .project(let place, _): place
            case .byDefault: "default"
            }
        }

        /// As a mistake begins.
        var place: String {
            switch self {
            case .project(let place, let key): "\(place): \(key)"
            case .commandLine, .environment, .byDefault: self.shown
            }
        }

        /// Its precedence.
        var rank: Int {
            switch self {
            case .commandLine: 3
            case .environment: 2
            case .project: 1
            case .byDefault: 0
            }
        }
    }

    let option: DeckOption
    /// Empty for a flag.
    var values: [String] = []
    /// True if a flag is on. Options with values are.
    var isOn = true
    var source: Source
    /// Further values from a project file.
    var beside: (values: [String], source: Source)?

    /// Values to put among the arguments of the command; empty if that is not needed.
    var arguments: [String] {
        switch (self.source, self.option.place, self.option.kind) {
        case (.commandLine, _, _), (.byDefault, _, _), (.project, .section, _), (_, _, .variable): []
        case (.environment, _, _) where self.option.hasVariableOfItsOwn: []
        case (_, _, .switchable): [self.isOn ? "--\(self.option.name)" : "--no-\(self.option.name)"]
        case (_, _, .flag): self.isOn ? ["--\(self.option.name)"] : []
        case (_, _, .value), (_, _, .repeated): self.values.map { "--\(self.option.name)=\($0)" }
        }
    }
}
