import NIOCore
import NIOPosix
import TapedeckPlatform

/// The addresses that the system's resolver has for a host.
enum HostLookup {
    /// The threads for look-ups, started with the first one: separate from the deck's threads, which read cassettes,
    /// and enough of them that names with silent servers do not delay others.
    static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 32)
        threads.start()
        return threads
    }()

    /// Returns the addresses in the order in which to try them (RFC 6724); empty for an unknown host. Blocks.
    static func system(_ host: String, _ port: Int) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = SystemSocket.stream
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
