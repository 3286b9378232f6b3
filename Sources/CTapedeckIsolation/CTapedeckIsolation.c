#define _GNU_SOURCE

#include "CTapedeckIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__

#include <arpa/inet.h>
#include <linux/capability.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/// The address of the loopback interface beside 127.0.0.1. Resolvers that leave out addresses for which the machine has no
/// interface (AI_ADDRCONFIG) do not count loopback addresses.
#define OWN_ADDRESS "198.18.0.1"
#define BACKLOG 1024

static int control = -1;

// MARK: Messages

static void send_message(int kind, int value, int descriptor, const char *text) {
    struct tapedeck_isolation_message message = {.kind = kind, .value = value, .descriptor = -1};
    if (text) snprintf(message.text, sizeof message.text, "%s", text);
    struct iovec part = {.iov_base = &message, .iov_len = sizeof message};
    union {
        struct cmsghdr alignment;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights = {0};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        header.msg_control = rights.bytes;
        header.msg_controllen = sizeof rights.bytes;
        struct cmsghdr *item = CMSG_FIRSTHDR(&header);
        item->cmsg_level = SOL_SOCKET;
        item->cmsg_type = SCM_RIGHTS;
        item->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(item), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(control, &header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    // The parent, which serves the sockets, has ended.
    if (sent < 0) _exit(126);
}

static _Noreturn void refuse(const char *step) {
    send_message(TAPEDECK_ISOLATION_REFUSED, errno, -1, step);
    _exit(126);
}

// MARK: Namespaces

static void write_file(const char *path, const char *text, const char *step) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t length = (ssize_t)strlen(text);
    if (file < 0 || write(file, text, (size_t)length) != length) refuse(step);
    close(file);
}

/// Returns whether the process got a user namespace of its own. One that may do without keeps its users, as a command
/// of root's would otherwise see the files of all other users as those of the user nobody.
static int enter_namespaces(void) {
    int own_user = geteuid() != 0 || unshare(CLONE_NEWNET | CLONE_NEWNS) != 0;
    if (own_user) {
        uid_t user = geteuid();
        gid_t group = getegid();
        char line[64];
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) refuse("making namespaces");
        // The kernel wants it of a process that maps its own group (user_namespaces(7)).
        write_file("/proc/self/setgroups", "deny", "keeping its groups");
        snprintf(line, sizeof line, "%u %u 1", (unsigned)user, (unsigned)user);
        write_file("/proc/self/uid_map", line, "keeping its user");
        snprintf(line, sizeof line, "%u %u 1", (unsigned)group, (unsigned)group);
        write_file("/proc/self/gid_map", line, "keeping its group");
    }
    // Mounts made here appear nowhere else.
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) refuse("keeping its mounts to itself");
    return own_user;
}

/// Gives up what the user namespace has given: with an empty bounding set no program gets anything back, root's neither.
static void drop_capabilities(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) refuse("dropping capabilities");
    }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    if (syscall(SYS_capset, &header, none) != 0) refuse("dropping capabilities");
}

// MARK: Network

/// A netlink request with its attributes (rtnetlink(7)).
struct request {
    struct nlmsghdr header;
    union {
        struct rtmsg route;
        struct ifaddrmsg address;
    } body;
    char attributes[64];
};

static void add_attribute(struct request *request, unsigned short type, const void *value, unsigned short length) {
    struct rtattr *item = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    item->rta_type = type;
    item->rta_len = (unsigned short)RTA_LENGTH(length);
    memcpy(RTA_DATA(item), value, length);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_LENGTH(length);
}

/// Sends a request and waits for its answer. Returns 0, or -1 with `errno`.
static int ask(int netlink, struct request *request) {
    char answer[1024] __attribute__((aligned(NLMSG_ALIGNTO)));
    if (send(netlink, request, request->header.nlmsg_len, 0) < 0) return -1;
    ssize_t length = recv(netlink, answer, sizeof answer, 0);
    if (length < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -1;
    struct nlmsghdr *header = (struct nlmsghdr *)answer;
    if (header->nlmsg_type != NLMSG_ERROR) return -1;
    errno = -((struct nlmsgerr *)NLMSG_DATA(header))->error;
    return errno == 0 ? 0 : -1;
}

/// Makes every address of a family local to the loopback interface.
static int route_everything(int netlink, int interface, unsigned char family) {
    struct request request = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
            .nlmsg_type = RTM_NEWROUTE,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
        },
        .body.route = {
            .rtm_family = family,
            .rtm_table = RT_TABLE_LOCAL,
            .rtm_protocol = RTPROT_BOOT,
            .rtm_scope = RT_SCOPE_HOST,
            .rtm_type = RTN_LOCAL,
        },
    };
    add_attribute(&request, RTA_OIF, &interface, sizeof interface);
    return ask(netlink, &request);
}

static int add_address(int netlink, int interface, const char *text) {
    struct in_addr address;
    inet_pton(AF_INET, text, &address);
    struct request request = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifaddrmsg)),
            .nlmsg_type = RTM_NEWADDR,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
        },
        .body.address = {
            .ifa_family = AF_INET,
            .ifa_prefixlen = 32,
            .ifa_scope = RT_SCOPE_UNIVERSE,
            .ifa_index = (unsigned)interface,
        },
    };
    add_attribute(&request, IFA_LOCAL, &address, sizeof address);
    add_attribute(&request, IFA_ADDRESS, &address, sizeof address);
    return ask(netlink, &request);
}

static void make_network(void) {
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &loopback) != 0) refuse("starting its loopback interface");
    close(any);
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int interface = (int)if_nametoindex("lo");
    if (netlink < 0 || interface == 0) refuse("making its routes");
    if (add_address(netlink, interface, OWN_ADDRESS) != 0) refuse("taking an address");
    if (route_everything(netlink, interface, AF_INET) != 0) refuse("making its routes");
    // A kernel without IPv6 does without.
    (void)route_everything(netlink, interface, AF_INET6);
    close(netlink);
}

// MARK: Sockets

/// Returns a socket that is bound, and listens if it is a stream; -1 with `errno`.
static int bound_socket(int family, int type, int port, int only_loopback) {
    int handle = socket(family, type | SOCK_CLOEXEC, 0);
    int on = 1, failure;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    struct sockaddr_in6 address6 = {.sin6_family = AF_INET6, .sin6_port = htons((unsigned short)port)};
    if (handle < 0) return -1;
    address.sin_addr.s_addr = htonl(only_loopback ? INADDR_LOOPBACK : INADDR_ANY);
    address6.sin6_addr = only_loopback ? in6addr_loopback : in6addr_any;
    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) {
        (void)setsockopt(handle, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        failure = bind(handle, (struct sockaddr *)&address6, sizeof address6);
    } else {
        failure = bind(handle, (struct sockaddr *)&address, sizeof address);
    }
    if (!failure && type == SOCK_STREAM) failure = listen(handle, BACKLOG);
    if (!failure) return handle;
    int error = errno;
    close(handle);
    errno = error;
    return -1;
}

static void hand_out(int kind, int value, int handle) {
    send_message(kind, value, handle, NULL);
    close(handle);
}

static void open_origin_port(int port) {
    int handle = bound_socket(AF_INET, SOCK_STREAM, port, 0);
    if (handle < 0) refuse("listening for origins");
    hand_out(TAPEDECK_ISOLATION_ORIGIN, port, handle);
    handle = bound_socket(AF_INET6, SOCK_STREAM, port, 0);
    if (handle >= 0) hand_out(TAPEDECK_ISOLATION_ORIGIN, port, handle);
}

static void open_loopback_port(int family, int port) {
    int handle = bound_socket(family, SOCK_STREAM, port, 1);
    if (handle >= 0) hand_out(TAPEDECK_ISOLATION_LOOPBACK, family == AF_INET6 ? -port : port, handle);
}

static void open_names(int type) {
    int handle = bound_socket(AF_INET, type, 53, 0);
    if (handle < 0) refuse("listening for names");
    hand_out(TAPEDECK_ISOLATION_NAMES, type, handle);
}

// MARK: Listeners of the command

/// Returns a socket that does not block and connects to an address; -1 with `errno`.
static int connecting_socket(const struct tapedeck_isolation_address *to) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)to->port)};
    struct sockaddr_in6 address6 = {.sin6_family = AF_INET6, .sin6_port = htons((unsigned short)to->port)};
    int handle = socket(to->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), failure;
    if (handle < 0) return -1;
    memcpy(&address.sin_addr, to->bytes, sizeof address.sin_addr);
    memcpy(&address6.sin6_addr, to->bytes, sizeof address6.sin6_addr);
    if (to->family == AF_INET6) {
        failure = connect(handle, (struct sockaddr *)&address6, sizeof address6);
    } else {
        failure = connect(handle, (struct sockaddr *)&address, sizeof address);
    }
    if (!failure || errno == EINPROGRESS) return handle;
    int error = errno;
    close(handle);
    errno = error;
    return -1;
}

/// Makes the sockets that come by `requests` until its other end is closed. Keeps nothing else of the command's: a terminal
/// or a pipe that it held would stay open when the command has ended.
static _Noreturn void make_connections(int requests) {
    struct tapedeck_isolation_address address;
    ssize_t length;
    setsid();
    if (chdir("/") != 0 || dup2(requests, 0) != 0) _exit(126);
    if (syscall(SYS_close_range, 1, ~0U, 0) != 0) {
        for (int handle = 1; handle < sysconf(_SC_OPEN_MAX); handle++) close(handle);
    }
    control = 0;
    while (1) {
        length = recv(control, &address, sizeof address, 0);
        if (length < 0 && errno == EINTR) continue;
        if (length != (ssize_t)sizeof address) _exit(0);
        int handle = connecting_socket(&address);
        send_message(TAPEDECK_ISOLATION_CONNECTED, handle < 0 ? errno : 0, handle, NULL);
        if (handle >= 0) close(handle);
    }
}

/// Has others not take the process for the command, whose words it was started with.
static void rename_process(int count, char *const *arguments) {
    char *first = arguments[0], *end = arguments[count - 1] + strlen(arguments[count - 1]);
    memset(first, 0, (size_t)(end - first));
    snprintf(first, (size_t)(end - first), "tapedeck-ports");
    (void)prctl(PR_SET_NAME, "tapedeck-ports", 0, 0, 0);
}

/// A socket belongs to the network in which it was made, so a process that stays inside makes those that lead there.
static void share_listeners(int count, char *const *arguments) {
    int ends[2], listeners = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (listeners < 0) return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
        // A child of the deck's: the command may wait for all children of its own.
        long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            rename_process(count, arguments);
            make_connections(ends[1]);
        }
        close(ends[1]);
        if (child > 0) {
            send_message(TAPEDECK_ISOLATION_LISTENERS, 0, listeners, NULL);
            send_message(TAPEDECK_ISOLATION_CONNECTOR, (int)child, ends[0], NULL);
        }
        close(ends[0]);
    }
    close(listeners);
}

// MARK: The command

static void cover(const char *source, const char *target) {
    if (mount(source, target, NULL, MS_BIND, NULL) != 0 && errno != ENOENT && errno != ENOTDIR) refuse(target);
}

/// Adds the files of a folder to those of another. Linux before 5.11 has it for root only.
static void merge(const char *source, const char *target) {
    char options[4096];
    // These separate folders and options.
    if (strpbrk(source, ":,\\") || strpbrk(target, ":,\\")) return;
    int length = snprintf(options, sizeof options, "lowerdir=%s:%s", source, target);
    if (length < (int)sizeof options) (void)mount("overlay", target, "overlay", MS_RDONLY, options);
}

_Noreturn void tapedeck_become_isolated(int count, char *const *arguments) {
    int index = 3, shares = 0;
    char go;
    if (count < 4) _exit(126);
    control = atoi(arguments[2]);
    if (fcntl(control, F_SETFD, FD_CLOEXEC) != 0) _exit(126);
    int own_user = enter_namespaces();
    make_network();
    open_names(SOCK_DGRAM);
    open_names(SOCK_STREAM);
    while (index + 1 < count && strcmp(arguments[index], "--") != 0) {
        const char *word = arguments[index], *value = arguments[index + 1];
        index += 2;
        if (strcmp(word, "origin") == 0) open_origin_port(atoi(value));
        if (strcmp(word, "loopback") == 0) open_loopback_port(AF_INET, atoi(value));
        if (strcmp(word, "loopback6") == 0) open_loopback_port(AF_INET6, atoi(value));
        if (strcmp(word, "file") == 0 && index < count) cover(value, arguments[index++]);
        if (strcmp(word, "folder") == 0 && index < count) merge(value, arguments[index++]);
        if (strcmp(word, "share") == 0) shares = 1;
    }
    index += 1;
    if (own_user) drop_capabilities();
    if (index >= count) _exit(126);
    if (shares) share_listeners(count, arguments);
    send_message(TAPEDECK_ISOLATION_READY, 0, -1, NULL);
    ssize_t received;
    do {
        received = recv(control, &go, 1, 0);
    } while (received < 0 && errno == EINTR);
    if (received != 1) _exit(126);
    execvp(arguments[index], arguments + index);
    send_message(TAPEDECK_ISOLATION_NOT_STARTED, errno, -1, NULL);
    _exit(126);
}

#else

_Noreturn void tapedeck_become_isolated(int count, char *const *arguments) {
    (void)count;
    (void)arguments;
    _exit(126);
}

#endif
