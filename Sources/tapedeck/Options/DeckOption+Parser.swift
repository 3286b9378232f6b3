import ArgumentParser

// Properties of the parser take everything but their type from a declaration: `@Option(DeckOption.port) var port: Int?`. While a
// command is made from a ``PlainCommandLine``, they take their value, too.

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
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.values(Value.self, of: option).last ?? declaration.value
    }

    /// An option without a typed default.
    init<Given: ExpressibleByArgument>(_ option: DeckOption, help: String? = nil) where Value == Given? {
        self.init(name: option.flagName, help: option.argumentHelp(help))
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.values(Given.self, of: option).last
    }

    /// An option that may be repeated.
    init<Given: ExpressibleByArgument>(_ option: DeckOption, completion: CompletionKind? = nil)
    where Value == [Given] {
        self.init(wrappedValue: [], name: option.flagName, help: option.argumentHelp(nil), completion: completion)
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.values(Given.self, of: option)
    }
}

extension Flag where Value == Bool {
    /// A flag that is off by default.
    init(_ option: DeckOption, help: String? = nil) {
        self.init(wrappedValue: false, name: option.flagName, help: option.argumentHelp(help))
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.isOn(option) ?? false
    }
}

extension Flag where Value == Bool? {
    /// A flag with a `--no-…`.
    init(_ option: DeckOption) {
        self.init(name: option.flagName, inversion: .prefixedNo, help: option.argumentHelp(nil))
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.isOn(option)
    }
}

extension OptionGroup {
    /// Options of a deck.
    ///
    /// - Parameter section: the title above them in the help; empty for a group in another one.
    init(section: String) {
        self.init(title: section)
        guard let line = PlainCommandLine.current else { return }
        var options = Value()
        if (try? options.validate()) == nil { line.refuse() }
        self.wrappedValue = options
    }
}

extension Argument {
    /// One cassette.
    ///
    /// - Parameter text: the help.
    init(cassette text: String) where Value == String {
        self.init(help: ArgumentHelp(text), completion: .cassettes)
        guard let line = PlainCommandLine.current else { return }
        let positionals = line.positionals()
        if positionals.count != 1 { line.refuse() }
        self.wrappedValue = positionals.first ?? ""
    }

    /// Cassettes.
    ///
    /// - Parameter text: the help.
    init(wrappedValue: [String], cassettes text: String) where Value == [String] {
        self.init(wrappedValue: wrappedValue, help: ArgumentHelp(text), completion: .cassettes)
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.positionals()
    }

    /// One or more cassettes.
    ///
    /// - Parameter text: the help.
    init(cassettes text: String) where Value == [String] {
        self.init(help: ArgumentHelp(text))
        guard let line = PlainCommandLine.current else { return }
        self.wrappedValue = line.positionals()
        if self.wrappedValue.isEmpty { line.refuse() }
    }
}
