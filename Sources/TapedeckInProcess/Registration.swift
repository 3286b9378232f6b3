import CTapedeckInProcess
import TapedeckClient

/// Called by the C part of this module before `main`. Starts nothing: the deck starts when the first test asks for it.
@_cdecl("tapedeck_register_in_process_deck")
func registerInProcessDeck() {
    DeckStarter.register(DeckStarter { try await InProcessDeck.start() })
}
