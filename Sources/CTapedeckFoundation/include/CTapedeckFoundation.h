#ifndef CTAPEDECK_FOUNDATION_H
#define CTAPEDECK_FOUNDATION_H

#include <stdbool.h>
#include <stdint.h>

/// Sets a property of a task of FoundationNetworking that only Foundation's own protocols can set from Swift.
///
/// - symbol: of the setter, which takes a 64-bit number.
/// - Returns: false where this Foundation has no such setter; nothing happens then.
bool tapedeck_set_number(const char *symbol, void *object, int64_t value);

/// Sets an error in the same way.
///
/// - error: an `any Error`, as a pointer. The setter takes it over, where there is one.
bool tapedeck_set_error(const char *symbol, void *object, void *error);

#endif
