import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// Ports for clients without a proxy setting.
struct TransparentOptions: ParsableArguments {
    @Option(DeckOption.transparent) var ports: [String]

    func validate() throws {
        do throws(DeckError) {
            _ = try self.listenings()
        } catch {
            throw ValidationError(error.description)
        }
    }

    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.transparent = try self.listenings()
    }

    private func listenings() throws(DeckError) -> [TransparentListening] {
        var listenings: [TransparentListening] = []
        for text in self.ports {
            let listening = try TransparentListening(text)
            guard listening.port == 0 || !listenings.contains(where: { $0.port == listening.port }) else {
                throw DeckError("--transparent names the port \(listening.port) twice; leave one out", kind: .badOption)
            }
            listenings.append(listening)
        }
        return listenings
    }
}

extension DeckOption {
    static let transparent = DeckOption(
        "transparent",
        kind: .repeated(.commas),
        value: "port[=originport]",
        in: .running
    )
    .with(
        help: """
            A port for clients that are led here by a network alias or /etc/hosts and believe they talk to the \
            origin, HTTP or TLS; stands for the same port of origins unless another is given; may be repeated.
            """
    )
}

extension TransparentOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.transparent]
}
