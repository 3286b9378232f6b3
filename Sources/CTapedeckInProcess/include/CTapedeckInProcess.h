#ifndef TAPEDECK_IN_PROCESS_H
#define TAPEDECK_IN_PROCESS_H

/// Here so that this module is not empty for Swift; see CTapedeckInProcess.c.
extern const int tapedeck_in_process_is_linked;

#endif
