#ifndef TAPEDECK_DISK_H
#define TAPEDECK_DISK_H

#include <sys/types.h>

/// Waits until a file is on the disk: fsync(2), and F_FULLFSYNC on Apple's systems, where fsync(2) leaves it in the cache of
/// the disk. Returns 0, or -1 with `errno`.
int tapedeck_sync_file(int descriptor);

/// Waits until everything that was written to the file system of an open file is on the disk: syncfs(2), which Swift's
/// Glibc module leaves out, or fsync_volume_np(3). Returns 0, or -1 with `errno`.
int tapedeck_sync_file_system(int descriptor);

/// Makes a part of a file and has the disk keep room for it: posix_fallocate(3), or F_PREALLOCATE. Returns 0, or an error
/// number.
int tapedeck_allocate(int descriptor, off_t start, off_t size);

#endif
