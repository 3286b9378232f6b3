import CTapedeckInProcess
import TapedeckClient

/// Called by the C part of this module before `main`.
@_cdecl("tapedeck_register_in_process_deck")
func registerInProcessDeck() {
    DeckStarter.register(DeckStarter { throw CancellationError() })
}
