import CTapedeckInProcess
import Logging
import TapedeckClient
import TapedeckServer

/// Called by the C part of this module before `main`.
@_cdecl("tapedeck_register_in_process_deck")
func registerInProcessDeck() {
    DeckStarter.register(
        DeckStarter {
            var configuration = DeckConfiguration.serve([], folder: "cassettes")
            configuration.authority = .ephemeral
            configuration.port = 0
            configuration.controlPort = 0
            let deck = try await Deck.start(configuration, log: Logger(label: "tapedeck"))
            InProcessDeck.keep(deck)
            return DeckStarter.Started(controlURL: deck.controlURL ?? "", token: deck.token?.value)
        }
    )
}
enum InProcessDeck {
    nonisolated(unsafe) static var deck: Deck?
    static func keep(_ deck: Deck) { self.deck = deck }
}
