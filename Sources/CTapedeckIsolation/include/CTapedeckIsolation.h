#ifndef TAPEDECK_ISOLATION_H
#define TAPEDECK_ISOLATION_H

/// The first argument of a process that is to isolate itself and then become a command.
#define TAPEDECK_ISOLATION_ARGUMENT "--become-isolated-command"

/// Kinds of message that the isolated process sends.
enum {
    /// A listening socket: `value` is its port, and a descriptor comes with the message.
    TAPEDECK_ISOLATION_ORIGIN = 1,
    /// A socket for DNS: `value` is the type of the socket, SOCK_DGRAM or SOCK_STREAM; with a descriptor.
    TAPEDECK_ISOLATION_NAMES = 2,
    /// A listening socket for a port of the host's loopback: `value` is the port, negative for IPv6; with a descriptor.
    TAPEDECK_ISOLATION_LOOPBACK = 3,
    /// All sockets were sent. The process waits for one byte before it becomes the command.
    TAPEDECK_ISOLATION_READY = 4,
    /// Isolation is refused: `value` is the error number, `text` names the step.
    TAPEDECK_ISOLATION_REFUSED = 5,
    /// The command could not be started: `value` is the error number.
    TAPEDECK_ISOLATION_NOT_STARTED = 6,
    /// A netlink socket that lists the sockets of the isolated network; with a descriptor.
    TAPEDECK_ISOLATION_LISTENERS = 7,
    /// A connection to a process that makes sockets in the isolated network: `value` is its id, and it is a child of the
    /// receiver's; with a descriptor.
    TAPEDECK_ISOLATION_CONNECTOR = 8,
    /// A socket of that process: `value` is 0 and a descriptor comes with it, or `value` is the error number.
    TAPEDECK_ISOLATION_CONNECTED = 9,
};

/// A message of the isolated process.
struct tapedeck_isolation_message {
    int kind;
    int value;
    /// The descriptor that came with it, which is closed on exec; -1 if none did.
    int descriptor;
    char text[64];
};

/// A TCP address of the isolated network, as `struct sockaddr_in` or `struct sockaddr_in6` has it.
struct tapedeck_isolation_address {
    /// AF_INET or AF_INET6.
    int family;
    int port;
    /// In network order; the first four bytes for AF_INET.
    unsigned char bytes[16];
};

/// Isolates this process and replaces it by a command. It has one thread only when this is called. Does not return.
///
/// The arguments: the program, TAPEDECK_ISOLATION_ARGUMENT, the descriptor of a socket of type SOCK_SEQPACKET, pairs and
/// triples of words ("origin" PORT, "loopback" PORT, "loopback6" PORT, "file" SOURCE TARGET, "folder" SOURCE TARGET,
/// "share" "listeners"), "--", the command. A file lies over its target, and the files of a folder are added to those of its
/// target. A target that does not exist is left out, and so are a loopback port that cannot be had, and a folder where the
/// kernel lets only root merge folders.
///
/// With "share" "listeners" it sends what `tapedeck_isolation_listeners` and `tapedeck_isolation_connect` need, and starts a
/// process beside the command that ends when the connection to it is closed. Neither is sent if the kernel refuses.
_Noreturn void tapedeck_become_isolated(int count, char *const *arguments);

/// Makes the two ends of a connection for messages, both closed on exec. Returns 0, or an error number.
int tapedeck_isolation_pair(int ends[2]);

/// Waits for the next message. Returns 1 with a message; 0 when the process has closed its end, as a command that has been
/// started does; -1 with `errno`.
int tapedeck_isolation_receive(int descriptor, struct tapedeck_isolation_message *message);

/// Lists the TCP addresses of the isolated network on which somebody listens. An address that stands for all is given as the
/// loopback address. Returns their number, at most `limit`; -1 with `errno`.
///
/// - Parameter descriptor: the socket that came with TAPEDECK_ISOLATION_LISTENERS.
int tapedeck_isolation_listeners(int descriptor, struct tapedeck_isolation_address *found, int limit);

/// Starts to connect to an address of the isolated network. Returns a socket that does not block, is closed on exec, and may
/// not be connected yet; -1 with `errno`. One call at a time.
///
/// - Parameter descriptor: the connection that came with TAPEDECK_ISOLATION_CONNECTOR.
int tapedeck_isolation_connect(int descriptor, const struct tapedeck_isolation_address *address);

#endif
