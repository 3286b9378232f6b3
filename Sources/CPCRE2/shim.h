// PCRE2's library for 8-bit code units. Its functions are called by their real names, `pcre2_compile_8` and so on:
// `pcre2_compile` and the other short names are macros, which Swift cannot see. Nothing else needs a shim.
#ifndef TAPEDECK_CPCRE2_SHIM_H
#define TAPEDECK_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
