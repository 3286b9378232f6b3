#include "CTapedeckTesting.h"

const int tapedeck_testing_is_linked = 1;

// Defined in Swift, in TapedeckTesting.
extern void tapedeck_register_issue_reporter(void);

// Runs before `main`: `withTapedeck` in a test that links the helper fails that test, without anybody saying so.
__attribute__((constructor)) static void tapedeck_testing_register(void) {
    tapedeck_register_issue_reporter();
}
