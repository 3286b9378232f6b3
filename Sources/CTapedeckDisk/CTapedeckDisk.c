#define _GNU_SOURCE

#include "CTapedeckDisk.h"

#include <errno.h>
#include <unistd.h>

int tapedeck_sync_file_system(int descriptor) {
#ifdef __linux__
    return syncfs(descriptor);
#else
    (void)descriptor;
    errno = ENOSYS;
    return -1;
#endif
}
