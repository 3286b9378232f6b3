#include "CTapedeckEmbedded.h"

const int tapedeck_embedded_is_linked = 1;

// Defined in Swift, in TapedeckEmbedded.
extern void tapedeck_register_embedded_deck(void);

// Runs before `main`: a test that links the deck has it without saying so. It stores a closure and starts nothing.
__attribute__((constructor)) static void tapedeck_embedded_register(void) {
    tapedeck_register_embedded_deck();
}
