import CTapedeckEmbedded
import TapedeckTestingCore

/// Called by the C part of this module before `main`. The deck itself starts when the first test needs it.
@_cdecl("tapedeck_register_embedded_deck")
func registerEmbeddedDeck() {
    DeckStarter.register(DeckStarter { try await EmbeddedDeck.start() })
}
