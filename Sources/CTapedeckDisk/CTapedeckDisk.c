#define _GNU_SOURCE

#include "CTapedeckDisk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __APPLE__

#include <sys/stat.h>

int tapedeck_sync_file(int descriptor) {
    // Not every file system has it.
    return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor);
}

int tapedeck_sync_file_system(int descriptor) {
    return fsync_volume_np(descriptor, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
}

/// Fills a file with zeros up to an end, for file systems that cannot keep room for it.
static int fill(int descriptor, off_t from, off_t end) {
    static const char zeros[65536];
    while (from < end) {
        size_t length = end - from < (off_t)sizeof zeros ? (size_t)(end - from) : sizeof zeros;
        ssize_t written = pwrite(descriptor, zeros, length, from);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) from += written;
    }
    return 0;
}

int tapedeck_allocate(int descriptor, off_t start, off_t size) {
    struct stat status;
    off_t end = start + size;
    if (fstat(descriptor, &status) != 0) return errno;
    if (status.st_size >= end) return 0;
    fstore_t room = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = end - status.st_size};
    if (fcntl(descriptor, F_PREALLOCATE, &room) == 0) return ftruncate(descriptor, end) == 0 ? 0 : errno;
    return errno == ENOSPC ? ENOSPC : fill(descriptor, status.st_size, end);
}

#else

int tapedeck_sync_file(int descriptor) {
    return fsync(descriptor);
}

int tapedeck_sync_file_system(int descriptor) {
    return syncfs(descriptor);
}

int tapedeck_allocate(int descriptor, off_t start, off_t size) {
    return posix_fallocate(descriptor, start, size);
}

#endif
