import TapedeckServer

/// The layers of the command that this process runs.
enum RunningOptions {
    /// Read once, before anything else happens; `nil` for a command that they do not concern, and where only help is
    /// asked for.
    static let layers: Result<OptionLayers, DeckError>? = {
        let arguments = CommandLineParts.current.arguments
        guard OptionLayers.concern(arguments.first), !GivenArguments.asksForHelp(arguments) else { return nil }
        return Result { () throws(DeckError) in
            try OptionLayers(arguments, environment: ProcessEnvironment.variables)
        }
    }()

    /// A message for people, with the place of the option that it is about, where that is not the command line.
    static func placed(_ message: String) -> String {
        guard case .success(let layers) = self.layers else { return message }
        return layers.placed(message)
    }
}
