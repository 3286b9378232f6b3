#ifndef TAPEDECK_INFLATE_H
#define TAPEDECK_INFLATE_H

#include <stddef.h>

/// Decodes a zlib stream (RFC 1950) that has exactly `size` bytes, and behind which others may follow. Returns how many bytes it has,
/// or 0 for one that is broken, cut off, or has another size.
size_t tapedeck_inflate(const unsigned char *input, size_t length, unsigned char *output, size_t size);

#endif
