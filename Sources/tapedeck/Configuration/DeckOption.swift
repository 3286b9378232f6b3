/// An option of the commands that run a deck: where it may be given beside the command line.
///
/// One rule of names: `--max-connections` is `TAPEDECK_MAX_CONNECTIONS` in the environment and `maxConnections` under
/// `deck:` in the project file. A flag is stronger than the environment, which is stronger than the file.
struct DeckOption: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case value
        /// May be given several times; how several stand in one variable.
        case repeated(Separator)
        case flag
        /// A flag that has a `--no-…` too.
        case switchable
        /// No option, but a variable that counts among them.
        case variable
    }

    /// What is between the values of a variable.
    enum Separator: String, Sendable {
        case commas
        /// For values that may hold commas themselves.
        case lines
    }

    /// Where the option is in the project file.
    enum Place: Sendable, Equatable {
        /// Under `deck:`, by the rule of names.
        case deck
        /// Under another key, such as `record.only`, which is read with the rest of its section.
        ///
        /// - Parameter addsUp: whether what stands there counts beside what is given elsewhere.
        case section(String, addsUp: Bool)
        case nowhere
    }

    /// Without dashes.
    let name: String
    let kind: Kind
    /// What holds where nobody says anything, for people.
    let defaultText: String
    let commands: Set<String>
    var place = Place.deck
    /// Whether it is a path, which in the project file is relative to the file's folder.
    var isPath = false
    /// Whether the value is never shown.
    var isSecret = false
    /// Options that contradict it: where a stronger layer has one of them, this one does not count.
    var excludes: [String] = []
    /// Whether it is for requests that name no session, and passed over where there can be none.
    var isForDefaultSession = false
    /// Whether the deck itself reads the variable, which means more there than the option does.
    var hasVariableOfItsOwn = false

    init(_ name: String, _ kind: Kind = .value, default text: String = "none", in commands: Set<String>) {
        self.name = name
        self.kind = kind
        self.defaultText = text
        self.commands = commands
    }

    /// The variable of the environment.
    var variable: String {
        "TAPEDECK_" + String(self.name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The key in the project file, such as `deck.maxConnections`; `nil` where it has none.
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

    /// The same with other properties, so that a row of the table is one line.
    func with(_ change: (inout DeckOption) -> Void) -> DeckOption {
        var option = self
        change(&option)
        return option
    }
}
