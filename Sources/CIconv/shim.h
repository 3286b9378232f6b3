// The converter of character encodings: a part of the C library on Linux, and a library of its own on Apple's systems.
#ifndef TAPEDECK_CICONV_SHIM_H
#define TAPEDECK_CICONV_SHIM_H

#include <iconv.h>

#endif
