#ifndef TAPEDECK_IN_PROCESS_H
#define TAPEDECK_IN_PROCESS_H

/// Here so that this module is not empty for Swift; see CTapedeckEmbedded.c.
extern const int tapedeck_embedded_is_linked;

#endif
