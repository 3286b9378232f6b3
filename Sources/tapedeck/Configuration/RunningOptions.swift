import TapedeckCassettes
import TapedeckDeck

/// The layers of the command that this process runs.
enum RunningOptions {
    /// Read once, before anything else happens; `nil` for a command that they do not concern, and where only help is
    /// asked for.
    static let layers: Result<OptionLayers, DeckError>? = {
        let arguments = CommandLineParts.current.arguments
        guard !GivenArguments.asksForHelp(arguments), OptionLayers.concern(arguments.first) else { return nil }
        return Result { () throws(DeckError) in
            try OptionLayers(arguments, environment: ProcessEnvironment.variables)
        }
    }()

    /// What lines on standard error are to look like, as far as that can be told: mistakes are said in it, too.
    static var logFormat: LogFormat {
        let value: String?
        switch self.layers {
        case .success(let layers): value = layers["log-format"]?.values.last
        case .failure: value = ProcessEnvironment.value("TAPEDECK_LOG_FORMAT")
        case nil: value = nil
        }
        return value.flatMap(LogFormat.init(rawValue:)) ?? LogFormat(in: CommandLineParts.current.arguments)
    }

    /// A message for people, with the place of the option that it is about, where that is not the command line.
    static func placed(_ message: String) -> String {
        guard case .success(let layers) = self.layers else { return message }
        return layers.placed(message)
    }
}

extension LogFormat {
    /// The one that arguments ask for, whatever else is in them: what is wrong with the others is said in it, too.
    fileprivate init(in arguments: [String]) {
        let option = DeckOption.logFormat.flag
        var format = LogFormat.text
        for (index, argument) in arguments.enumerated() {
            let isLast = index + 1 == arguments.count
            let value = argument == option && !isLast ? arguments[index + 1] : nil
            let joined = argument.hasPrefix(option + "=") ? String(argument.dropFirst(option.count + 1)) : nil
            format = (value ?? joined).flatMap(LogFormat.init(rawValue:)) ?? format
        }
        self = format
    }
}
