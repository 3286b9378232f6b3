import CTapedeckEmbedded
import TapedeckTestingCore

/// Called by the C part of this module before `main`. Starts nothing: the deck starts when the first test asks for it.
@_cdecl("tapedeck_register_embedded_deck")
func registerEmbeddedDeck() {
    DeckStarter.register(DeckStarter { try await EmbeddedDeck.start() })
}
