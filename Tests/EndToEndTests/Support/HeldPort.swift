import Foundation

/// A port of a server that was stopped. It refuses connections, and no program that starts later is given it: a deck that
/// got the port of its origin would take requests for the origin for its own.
final class HeldPort: Sendable {
    private let descriptor: Int32

    init(_ port: Int) {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
        // The server's closed connections have the port for another minute.
        var isReused: Int32 = 1
        setsockopt(self.descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit {
        close(self.descriptor)
    }
}
