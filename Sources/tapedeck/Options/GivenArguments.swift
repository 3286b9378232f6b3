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
    /// True if everything is where it belongs: no unknown option, no value missing or left over, nothing given twice that counts once.
    private(set) var isPlain = true

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
                let hasValue = name.count < word.count
                if awaiting != nil { self.isPlain = false }
                awaiting = nil
                if let option = options[name] {
                    self.note(option, isGivenWith: hasValue)
                    self.values[name, default: []] += hasValue ? [String(word.dropFirst(name.count + 1))] : []
                    if option.takesValue, !hasValue { awaiting = name }
                } else if name.hasPrefix("no-"), options[String(name.dropFirst(3))]?.kind == .switchable {
                    self.switchedOff.insert(String(name.dropFirst(3)))
                    if hasValue { self.isPlain = false }
                } else {
                    self.isPlain = false
                }
            } else if let name = awaiting {
                self.values[name, default: []].append(argument)
                awaiting = nil
                if argument.hasPrefix("-") { self.isPlain = false }
            } else if let option = options.values.first(where: { $0.letter.map { "-\($0)" } == argument }) {
                self.note(option, isGivenWith: false)
                self.values[option.name] = []
                if option.takesValue { self.isPlain = false }
            } else if !argument.hasPrefix("-") {
                self.positionals.append(argument)
                self.positionalIndices.append(index)
                if argument.isEmpty { self.isPlain = false }
            } else {
                self.isPlain = false
            }
        }
        if awaiting != nil || !self.switchedOff.isDisjoint(with: self.values.keys) { self.isPlain = false }
    }

    /// - Parameter hasValue: true for `--name=value`.
    private mutating func note(_ option: DeckOption, isGivenWith hasValue: Bool) {
        let isTwice = option.kind == .value && self.values[option.name] != nil
        if isTwice || hasValue && !option.takesValue || option.kind == .variable { self.isPlain = false }
    }

    /// Returns true if the command line requests help.
    static func asksForHelp(_ arguments: some Sequence<String>) -> Bool {
        arguments.contains { ["-h", "--help", "--version"].contains($0) || $0.hasPrefix("--experimental-") }
    }
}
