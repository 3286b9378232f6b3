import ArgumentParser

// Properties of the parser take everything but their type from a declaration: `@Option(DeckOption.port) var port: Int?`.

extension DeckOption {
    fileprivate var flagName: NameSpecification {
        NameSpecification([.customLong(self.name)] + (self.letter.map { [.customShort($0)] } ?? []))
    }

    /// - Parameter text: the help of a command for which the option means something of its own; `nil` is ``help``.
    fileprivate func argumentHelp(_ text: String?) -> ArgumentHelp {
        let stated = text == nil ? self.statedDefault.map { " (default: \($0))" } : nil
        return ArgumentHelp("\(text ?? self.help)\(stated ?? "")", valueName: self.valueName)
    }
}

extension Option {
    /// - Parameter help: the help of a command for which the option means something of its own; `nil` is the declaration's.
    init(_ declaration: DefaultedOption<Value>, help: String? = nil) where Value: ExpressibleByArgument {
        let option = declaration.option
        self.init(wrappedValue: declaration.value, name: option.flagName, help: option.argumentHelp(help))
    }

    /// An option without a typed default.
    init<Given: ExpressibleByArgument>(_ option: DeckOption, help: String? = nil) where Value == Given? {
        self.init(name: option.flagName, help: option.argumentHelp(help))
    }

    /// An option that may be repeated.
    init<Given: ExpressibleByArgument>(_ option: DeckOption) where Value == [Given] {
        self.init(wrappedValue: [], name: option.flagName, help: option.argumentHelp(nil))
    }
}

extension Flag where Value == Bool {
    /// A flag that is off by default.
    init(_ option: DeckOption, help: String? = nil) {
        self.init(wrappedValue: false, name: option.flagName, help: option.argumentHelp(help))
    }
}

extension Flag where Value == Bool? {
    /// A flag with a `--no-…`.
    init(_ option: DeckOption) {
        self.init(name: option.flagName, inversion: .prefixedNo, help: option.argumentHelp(nil))
    }
}
