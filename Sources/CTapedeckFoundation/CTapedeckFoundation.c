#define _GNU_SOURCE
#include "CTapedeckFoundation.h"

// Only on Linux: elsewhere Foundation is not written in Swift.
#if defined(__linux__)

#include <dlfcn.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*number_setter)(int64_t value, SELF void *object);
typedef SWIFT void (*error_setter)(void *error, SELF void *object);

bool tapedeck_set_number(const char *symbol, void *object, int64_t value) {
    number_setter setter = (number_setter)dlsym(RTLD_DEFAULT, symbol);
    if (!setter) return false;
    setter(value, object);
    return true;
}

bool tapedeck_set_error(const char *symbol, void *object, void *error) {
    error_setter setter = (error_setter)dlsym(RTLD_DEFAULT, symbol);
    if (!setter) return false;
    setter(error, object);
    return true;
}

#else

bool tapedeck_set_number(const char *symbol, void *object, int64_t value) {
    (void)symbol, (void)object, (void)value;
    return false;
}

bool tapedeck_set_error(const char *symbol, void *object, void *error) {
    (void)symbol, (void)object, (void)error;
    return false;
}

#endif
