#ifndef TAPEDECK_CZSTD_SHIM_H
#define TAPEDECK_CZSTD_SHIM_H

#include <zstd.h>

#endif
