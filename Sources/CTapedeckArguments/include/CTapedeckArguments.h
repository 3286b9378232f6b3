#ifndef CTAPEDECK_ARGUMENTS_H
#define CTAPEDECK_ARGUMENTS_H

/// The number of arguments that the program was started with, its name included; 0 where the system does not pass them to
/// constructors.
int tapedeck_argument_count(void);

/// The arguments, as the system passed them.
char **tapedeck_arguments(void);

#endif
