import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// The addresses and hosts that a deck may connect to.
struct TargetOptions: ParsableArguments {
    /// The addresses that are permitted.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case any, `public`
    }

    @Option(DeckOption.targets) var targets: Scope?
    @Option(DeckOption.allowPrivate) var allowPrivate: [String]
    @Option(DeckOption.allowHosts) var allowHosts: [String]

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

extension DeckOption {
    static let targets = DeckOption(
        "targets",
        default: "any on loopback, else public",
        in: .live,
        place: .section("upstream.targets", addsUp: false)
    )
    .with(help: "The permitted addresses of origins: any, or public ones only, even if a name resolves to others.")

    static let allowPrivate = DeckOption(
        "allow-private",
        kind: .repeated(.lines),
        value: "host",
        in: .live,
        place: .section("upstream.allowPrivate", addsUp: false)
    )
    .with(
        help: """
            An exception for an origin that is not public: a host, an address, or a range such as 10.20.0.0/16; \
            may be repeated.
            """
    )

    static let allowHosts = DeckOption(
        "allow-hosts",
        kind: .repeated(.lines),
        value: "host",
        in: .live,
        place: .section("upstream.hosts", addsUp: false)
    )
    .with(help: "A host that requests may go to; if any is named, all others are refused; may be repeated.")
}

extension TargetOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.targets, .allowPrivate, .allowHosts]
}
