import NIOCore
import NIOPosix
import TapedeckPlatform

/// The addresses that the system's resolver has for a host.
enum HostLookup {
    /// Where lookups wait, begun with the first one: not on the deck's own threads, which have cassettes to read, and on
    /// enough of them that names whose servers are silent do not keep everybody else's from being found.
    static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 32)
        threads.start()
        return threads
    }()

    /// They are in the order in which they are best tried (RFC 6724); none where nobody knows the host. Blocks until they
    /// are there.
    static func system(_ host: String, _ port: Int) -> [SocketAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else { return [] }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let info = next {
            next = info.pointee.ai_next
            guard let bytes = info.pointee.ai_addr else { continue }
            switch info.pointee.ai_family {
            case AF_INET:
                bytes.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee))
                }
            case AF_INET6:
                bytes.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee))
                }
            default: break
            }
        }
        return addresses
    }
}
