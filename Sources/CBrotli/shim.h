#ifndef TAPEDECK_CBROTLI_SHIM_H
#define TAPEDECK_CBROTLI_SHIM_H

#include <brotli/decode.h>
#include <brotli/encode.h>

#endif
