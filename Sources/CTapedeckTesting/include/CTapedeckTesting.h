#ifndef TAPEDECK_TESTING_H
#define TAPEDECK_TESTING_H

/// Here so that this module is not empty for Swift; see CTapedeckTesting.c.
extern const int tapedeck_testing_is_linked;

#endif
