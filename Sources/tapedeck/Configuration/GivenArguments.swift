/// The options on the command line, before the argument parser sees them.
///
/// A value never begins with two dashes, unless behind `=`: the parser takes it for an option, and so does this.
struct GivenArguments {
    /// The values of each option that is there, by name; a flag has none.
    private(set) var values: [String: [String]] = [:]
    /// Switches that are there as `--no-…`.
    private(set) var switchedOff: Set<String> = []
    /// The arguments that belong to no option.
    private(set) var positionals: [String] = []
    /// Their positions among the arguments, from 0.
    private(set) var positionalIndices: [Int] = []

    /// - Parameters:
    ///   - arguments: without the name of the command.
    ///   - options: those of the command.
    init(_ arguments: some Sequence<String>, _ options: [DeckOption]) {
        let options = Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0) })
        var awaiting: String?
        for (index, argument) in arguments.enumerated() {
            if argument.hasPrefix("--") {
                let word = argument.dropFirst(2)
                let name = String(word.prefix { $0 != "=" })
                awaiting = nil
                if let option = options[name] {
                    self.values[name, default: []] +=
                        name.count < word.count ? [String(word.dropFirst(name.count + 1))] : []
                    if option.takesValue, name.count == word.count { awaiting = name }
                } else if name.hasPrefix("no-"), options[String(name.dropFirst(3))]?.kind == .switchable {
                    self.switchedOff.insert(String(name.dropFirst(3)))
                }
            } else if let name = awaiting {
                self.values[name, default: []].append(argument)
                awaiting = nil
            } else if let option = options.values.first(where: { $0.letter.map { "-\($0)" } == argument }) {
                self.values[option.name] = []
            } else if !argument.hasPrefix("-") {
                self.positionals.append(argument)
                self.positionalIndices.append(index)
            }
        }
    }

    /// Returns true if the command line requests help.
    static func asksForHelp(_ arguments: some Sequence<String>) -> Bool {
        arguments.contains { ["-h", "--help", "--version"].contains($0) || $0.hasPrefix("--experimental-") }
    }
}
