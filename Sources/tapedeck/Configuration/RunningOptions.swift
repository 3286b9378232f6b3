import TapedeckCassettes
import TapedeckDeck

/// The layers of the command that this process runs.
enum RunningOptions {
    /// Read once, at the start; `nil` for a command without these options, and for help.
    static let layers: Result<OptionLayers, DeckError>? = {
        let arguments = CommandLineParts.current.arguments
        guard !GivenArguments.asksForHelp(arguments), OptionLayers.concern(arguments.first) else { return nil }
        return Result { () throws(DeckError) in
            try OptionLayers(arguments, environment: ProcessEnvironment.variables)
        }
    }()

    /// The format of lines on standard error, as far as it is known; mistakes are printed in it, too.
    static var logFormat: LogFormat {
        let value: String?
        switch self.layers {
        case .success(let layers): value = layers["log-format"]?.values.last
        case .failure: value = ProcessEnvironment.value("TAPEDECK_LOG_FORMAT")
        case nil: value = nil
        }
        return value.flatMap(LogFormat.init(rawValue:)) ?? LogFormat(in: CommandLineParts.current.arguments)
    }

    /// Returns a message for people, with the place of its option, if that is not the command line.
    static func placed(_ message: String) -> String {
        guard case .success(let layers) = self.layers else { return message }
        return layers.placed(message)
    }
}

extension LogFormat {
    /// The format given in the arguments, whatever else they contain; mistakes in the others are printed in it, too.
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
