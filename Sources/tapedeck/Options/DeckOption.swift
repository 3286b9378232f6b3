import ArgumentParser

/// An option of the commands that run a deck, declared once: its property for the parser, the help, the variable, the key
/// in the project file, `tapedeck config` and the table in docs/configuration.md follow from the declaration.
///
/// One rule of names: `--max-connections` is `TAPEDECK_MAX_CONNECTIONS` in the environment and `maxConnections` under
/// `deck:` in the project file. A flag takes precedence over the environment, which takes precedence over the file.
struct DeckOption: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case value
        /// May be given several times; the separator is between several values in one variable.
        case repeated(Separator)
        case flag
        /// A flag that has a `--no-…` too.
        case switchable
        /// A variable of the environment that has no flag.
        case variable
    }

    /// The text between the values of a variable.
    enum Separator: String, Sendable {
        case commas
        /// For values that may hold commas themselves.
        case lines
    }

    /// The place of an option in the project file.
    enum Place: Sendable, Equatable {
        /// Under `deck:`, by the rule of names.
        case deck
        /// Under another key, such as `record.only`, which is read with the rest of its section.
        ///
        /// - Parameter addsUp: true if the values there are added to those given elsewhere.
        case section(String, addsUp: Bool)
        case nowhere
    }

    /// Without dashes.
    let name: String
    /// The short form, without its dash, or `nil`.
    let letter: Character?
    let kind: Kind
    /// Sentences for people, without the default.
    private(set) var help = ""
    /// The word for the value in the help; `nil` is ``name``.
    let valueName: String?
    /// The default, for people.
    private(set) var defaultText: String
    /// The default as the help states it; `nil` if it goes without saying, or if the parser states it.
    private(set) var statedDefault: String?
    let commands: CommandSet
    let place: Place
    /// True for a path, which in the project file is relative to the file's folder.
    let isPath: Bool
    /// True if the value is never shown.
    let isSecret: Bool
    /// Options that contradict it: if a stronger layer has one of them, this one does not count.
    let excludes: [String]
    /// True if it is for requests that name no session, so that it is ignored if every request must name one.
    let isForDefaultSession: Bool
    /// True if the deck reads the variable itself, because the variable means more than the option.
    let hasVariableOfItsOwn: Bool

    /// - Parameters:
    ///   - value: the word for the value in the help.
    ///   - default: the default of an option without a typed one, for people; `nil` is "none", or "off" for a flag.
    init(
        _ name: String,
        kind: Kind = .value,
        letter: Character? = nil,
        value: String? = nil,
        default text: String? = nil,
        in commands: CommandSet,
        place: Place = .deck,
        excludes: [String] = [],
        isPath: Bool = false,
        isSecret: Bool = false,
        isForDefaultSession: Bool = false,
        hasVariableOfItsOwn: Bool = false
    ) {
        self.name = name
        self.letter = letter
        self.kind = kind
        self.valueName = value
        self.defaultText = text ?? ([.flag, .switchable].contains(kind) ? "off" : "none")
        self.statedDefault = text
        self.commands = commands
        self.place = place
        self.excludes = excludes
        self.isPath = isPath
        self.isSecret = isSecret
        self.isForDefaultSession = isForDefaultSession
        self.hasVariableOfItsOwn = hasVariableOfItsOwn
    }

    /// The option on the command line, such as `--max-connections`.
    var flag: String { "--\(self.name)" }

    /// The variable of the environment.
    var variable: String {
        "TAPEDECK_" + String(self.name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The key in the project file, such as `deck.maxConnections`; `nil` if it has none.
    var key: String? {
        switch self.place {
        case .deck: "deck.\(self.keyName)"
        case .section(let key, _): key
        case .nowhere: nil
        }
    }

    /// The name in camel case.
    var keyName: String {
        let words = self.name.split(separator: "-").map(String.init)
        return (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }).joined()
    }

    var takesValue: Bool {
        switch self.kind {
        case .value, .repeated: true
        case .flag, .switchable, .variable: false
        }
    }

    /// The option with its help.
    ///
    /// - Parameter text: sentences for people, without the default.
    func with(help text: String) -> DeckOption {
        var option = self
        option.help = text
        return option
    }

    /// The option with a default that the parser knows and states in the help.
    func with<Value: ExpressibleByArgument & Sendable>(default value: Value) -> DefaultedOption<Value> {
        var option = self
        option.defaultText = value.defaultValueDescription
        option.statedDefault = nil
        return DefaultedOption(option: option, value: value)
    }
}

/// An option with a typed default.
struct DefaultedOption<Value: Sendable>: Sendable {
    let option: DeckOption
    /// The default.
    let value: Value

    /// The option on the command line, such as `--max-connections`.
    var flag: String { self.option.flag }
}

extension DeckOption {
    /// Every option of the commands that run a deck. Tests compare it with the commands' help and with
    /// docs/configuration.md.
    static let table: [DeckOption] =
        ListeningOptions.declarations + TransparentOptions.declarations + DeckNameOptions.declarations
        + BrowserOptions.declarations + IsolationOptions.declarations
        + LimitOptions.declarations + StopOptions.declarations
        + UsualOptions.declarations + ProjectOptions.declarations
        + PlayOptions.declarations
        + ScenarioOptions.declarations + RecordingOptions.declarations + ScanOptions.declarations
        + UpstreamOptions.declarations
        + LogOptions.declarations

    /// The options of a command, in the order of the table.
    static func options(of command: String) -> [DeckOption] {
        self.table.filter { $0.commands.contains(command) }
    }
}
