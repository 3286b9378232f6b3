#include "CTapedeckInflate.h"

#include <limits.h>
#include <zlib.h>

size_t tapedeck_inflate(const unsigned char *input, size_t length, unsigned char *output, size_t size) {
    // The caller has room for no more, so this byte shows that there is more.
    unsigned char rest;
    z_stream stream = {0};
    if (size > UINT_MAX - 1 || inflateInit(&stream) != Z_OK) return 0;
    stream.next_in = (unsigned char *)input;
    stream.avail_in = length > UINT_MAX ? UINT_MAX : (unsigned)length;
    stream.next_out = size > 0 ? output : &rest;
    stream.avail_out = size > 0 ? (unsigned)size : 1;
    int status = inflate(&stream, Z_FINISH);
    if (status == Z_BUF_ERROR && stream.avail_out == 0 && size > 0) {
        stream.next_out = &rest;
        stream.avail_out = 1;
        status = inflate(&stream, Z_FINISH);
    }
    int is_whole = status == Z_STREAM_END && stream.total_out == size;
    size_t used = stream.total_in;
    inflateEnd(&stream);
    return is_whole ? used : 0;
}
