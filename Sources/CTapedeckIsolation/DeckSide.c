#define _GNU_SOURCE

#include "CTapedeckIsolation.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/uio.h>

// MARK: Messages

int tapedeck_isolation_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

int tapedeck_isolation_receive(int descriptor, struct tapedeck_isolation_message *message) {
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    union {
        struct cmsghdr alignment;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights;
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = rights.bytes, .msg_controllen = sizeof rights.bytes};
    ssize_t length;
    do {
        length = recvmsg(descriptor, &header, MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    if (length == 0 || (length < 0 && errno == ECONNRESET)) return 0;
    if (length != (ssize_t)sizeof *message) return -1;
    message->descriptor = -1;
    struct cmsghdr *item = CMSG_FIRSTHDR(&header);
    if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
        memcpy(&message->descriptor, CMSG_DATA(item), sizeof(int));
    }
    message->text[sizeof message->text - 1] = 0;
    return 1;
}

// MARK: Reaching the command

/// Appends the sockets of an answer (sock_diag(7)). Returns 1 if more answers follow, 0 if none does; -1 with `errno`.
static int read_listeners(char *answer, size_t length, struct tapedeck_isolation_address *found, int *count, int limit) {
    static const unsigned char any[16];
    struct nlmsghdr *header = (struct nlmsghdr *)answer;
    for (; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
        if (header->nlmsg_type == NLMSG_DONE) return 0;
        if (header->nlmsg_type == NLMSG_ERROR) {
            errno = -((struct nlmsgerr *)NLMSG_DATA(header))->error;
            return -1;
        }
        struct inet_diag_msg *socket = NLMSG_DATA(header);
        if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || *count == limit) continue;
        size_t size = socket->idiag_family == AF_INET6 ? 16 : 4;
        struct tapedeck_isolation_address *one = &found[(*count)++];
        memset(one, 0, sizeof *one);
        one->family = socket->idiag_family;
        one->port = ntohs(socket->id.idiag_sport);
        memcpy(one->bytes, socket->id.idiag_src, size);
        if (memcmp(one->bytes, any, size) == 0) {
            one->bytes[size - 1] = 1;
            if (size == 4) one->bytes[0] = 127;
        }
    }
    return 1;
}

int tapedeck_isolation_listeners(int descriptor, struct tapedeck_isolation_address *found, int limit) {
    static const unsigned char families[] = {AF_INET, AF_INET6};
    char answer[16384] __attribute__((aligned(NLMSG_ALIGNTO)));
    int count = 0;
    for (size_t index = 0; index < sizeof families; index++) {
        struct {
            struct nlmsghdr header;
            struct inet_diag_req_v2 body;
        } request = {
            .header = {
                .nlmsg_len = sizeof request,
                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
            },
            .body = {
                .sdiag_family = families[index],
                .sdiag_protocol = IPPROTO_TCP,
                // TCP_LISTEN.
                .idiag_states = 1 << 10,
            },
        };
        int more = 1;
        if (send(descriptor, &request, sizeof request, 0) < 0) return -1;
        while (more) {
            ssize_t length = recv(descriptor, answer, sizeof answer, 0);
            if (length < 0 && errno == EINTR) continue;
            if (length < 0) return -1;
            more = read_listeners(answer, (size_t)length, found, &count, limit);
            if (more < 0) return -1;
        }
    }
    return count;
}

int tapedeck_isolation_connect(int descriptor, const struct tapedeck_isolation_address *address) {
    struct tapedeck_isolation_message message;
    if (send(descriptor, address, sizeof *address, MSG_NOSIGNAL) < 0) return -1;
    int received = tapedeck_isolation_receive(descriptor, &message);
    if (received == 0) errno = ECONNRESET;
    if (received != 1) return -1;
    errno = message.value;
    return message.descriptor;
}

#else

int tapedeck_isolation_pair(int ends[2]) {
    (void)ends;
    return ENOSYS;
}

int tapedeck_isolation_receive(int descriptor, struct tapedeck_isolation_message *message) {
    (void)descriptor;
    (void)message;
    errno = ENOSYS;
    return -1;
}

int tapedeck_isolation_listeners(int descriptor, struct tapedeck_isolation_address *found, int limit) {
    (void)descriptor;
    (void)found;
    (void)limit;
    errno = ENOSYS;
    return -1;
}

int tapedeck_isolation_connect(int descriptor, const struct tapedeck_isolation_address *address) {
    (void)descriptor;
    (void)address;
    errno = ENOSYS;
    return -1;
}

#endif
