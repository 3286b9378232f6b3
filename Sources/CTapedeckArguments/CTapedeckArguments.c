#include "CTapedeckArguments.h"

#include <stdlib.h>

static int count = 0;
static char **values = NULL;

#if defined(__GLIBC__) || defined(__APPLE__)
/// Called before main with the arguments of main. Swift finds its arguments by the place of the environment in memory, where
/// they are not if a preloaded library, such as libfaketime, has set a variable and so moved the environment.
__attribute__((constructor)) static void keep_arguments(int argument_count, char **arguments) {
    count = argument_count;
    values = arguments;
}
#endif

int tapedeck_argument_count(void) {
    return count;
}

char **tapedeck_arguments(void) {
    return values;
}
