import ArgumentParser
import TapedeckServer

/// Where a deck may connect to.
struct TargetOptions: ParsableArguments {
    /// Which addresses may be asked.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case any, `public`
    }

    @Option(
        help: """
            The addresses that may be asked: any, or public ones only, which no name leads around (default: any on a \
            loopback address, public on any other).
            """
    )
    var targets: Scope?

    @Option(
        help: ArgumentHelp(
            "What may be asked although it is not public: a host, an address, or a range such as 10.20.0.0/16; may be "
                + "repeated.",
            valueName: "host"
        )
    )
    var allowPrivate: [String] = []

    @Option(
        help: ArgumentHelp(
            "A host that may be asked, where no other may but those named so; may be repeated.",
            valueName: "host"
        )
    )
    var allowHosts: [String] = []

    func validate() throws {
        var configuration = DeckConfiguration.passthrough()
        do {
            try self.take(into: &configuration)
        } catch let error as DeckError {
            throw ValidationError(error.description)
        }
    }

    /// To be called once the rest of how origins are reached is known, which it is a part of.
    func apply(to configuration: inout DeckConfiguration) {
        // Checked in `validate`.
        try? self.take(into: &configuration)
    }

    private func take(into configuration: inout DeckConfiguration) throws {
        try configuration.takeTargets(
            self.targets?.rawValue,
            allowPrivate: self.allowPrivate,
            hosts: self.allowHosts
        )
    }
}
