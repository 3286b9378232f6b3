#ifndef CTAPEDECK_ASSETS_H
#define CTAPEDECK_ASSETS_H

#include <stddef.h>

/// A file that is part of the program.
struct tapedeck_asset {
    /// The path in the folder Sources.
    const char *path;
    const unsigned char *bytes;
    size_t size;
};

/// Returns the file with an index. Behind the last is one without a path.
struct tapedeck_asset tapedeck_asset(size_t index);

#endif
