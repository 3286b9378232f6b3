#include "CTapedeckInProcess.h"

const int tapedeck_in_process_is_linked = 1;

// Defined in Swift, in TapedeckInProcess.
extern void tapedeck_register_in_process_deck(void);

// Runs before `main`: a test that links the deck has it without saying so. It stores a closure and starts nothing.
__attribute__((constructor)) static void tapedeck_in_process_register(void) {
    tapedeck_register_in_process_deck();
}
