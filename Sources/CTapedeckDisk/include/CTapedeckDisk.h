#ifndef TAPEDECK_DISK_H
#define TAPEDECK_DISK_H

/// Waits until everything that was written to the file system of an open file is on the disk: syncfs(2), which Swift's
/// Glibc module leaves out. Returns 0, or -1 with `errno`; ENOSYS where there is no such call.
int tapedeck_sync_file_system(int descriptor);

#endif
