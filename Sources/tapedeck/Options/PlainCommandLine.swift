import ArgumentParser
import TapedeckLocking

/// A command line without a mistake, from which a command is made without the argument parser.
///
/// The parser examines every declaration of a command several times, in a debug build dozens of times, which takes longer
/// than the rest of a deck's start. Here the properties of the command take their values as they are initialised, by the
/// initialisers of `DeckOption+Parser.swift`. Anything unusual ends in `nil`, and the parser says what is wrong.
final class PlainCommandLine: Sendable {
    /// Set while a command is made.
    @TaskLocal static var current: PlainCommandLine?

    private let given: GivenArguments
    private let hasMistake = Locked(false)
    private let takesPositionals = Locked(false)

    private init(_ given: GivenArguments) {
        self.given = given
    }

    /// Returns the command of `arguments`, which are without its name; `nil` if the argument parser has to read them.
    static func command(
        _ type: any ParsableCommand.Type,
        _ arguments: some Sequence<String>,
        _ options: [DeckOption]
    ) -> (any ParsableCommand)? {
        let given = GivenArguments(arguments, options)
        guard given.isPlain else { return nil }
        let line = PlainCommandLine(given)
        return Self.$current.withValue(line) {
            var command = type.init()
            guard (try? command.validate()) != nil else { return nil }
            return line.isComplete ? command : nil
        }
    }

    private var isComplete: Bool {
        !self.hasMistake.withLock { $0 } && (self.takesPositionals.withLock { $0 } || self.given.positionals.isEmpty)
    }

    /// The values of an option, in the order given; empty if it is not given.
    func values<Given: ExpressibleByArgument>(_ type: Given.Type, of option: DeckOption) -> [Given] {
        let texts = self.given.values[option.name] ?? []
        let values = texts.compactMap(Given.init(argument:))
        if values.count < texts.count { self.refuse() }
        return values
    }

    /// True for a flag that is given, false for `--no-…`; `nil` if it is not given.
    func isOn(_ option: DeckOption) -> Bool? {
        if self.given.switchedOff.contains(option.name) { return false }
        return self.given.values[option.name] == nil ? nil : true
    }

    /// The arguments that belong to no option, for the one property that takes them.
    func positionals() -> [String] {
        self.takesPositionals.withLock { $0 = true }
        return self.given.positionals
    }

    /// Leaves the command line to the parser.
    func refuse() {
        self.hasMistake.withLock { $0 = true }
    }
}
