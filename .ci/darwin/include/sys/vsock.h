// SwiftNIO needs these, of a header of Apple's that the package ziglang leaves out.
#include <sys/types.h>
#include <sys/ioccom.h>

#define IOCTL_VM_SOCKETS_GET_LOCAL_CID _IOR('s', 209, uint32_t)

struct sockaddr_vm {
    __uint8_t svm_len;
    sa_family_t svm_family;
    __uint16_t svm_reserved1;
    __uint32_t svm_port;
    __uint32_t svm_cid;
};
