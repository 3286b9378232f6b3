import CTapedeckIsolation
import NIOCore
import NIOPosix
import TapedeckPlatform

/// A TCP address with a listener in an isolated command's network.
struct IsolatedListener: Sendable, Hashable {
    /// In network order: 4 bytes for IPv4, 16 for IPv6. The loopback address also represents all addresses.
    var address: [UInt8]
    var port: Int

    var isIPv6: Bool { self.address.count == 16 }
}

/// The network of an isolated command, as the deck outside reaches it.
final class IsolatedNetwork: Sendable {
    /// The maximum number of listeners that are looked at.
    private static let limit = 1_024

    /// Lists the sockets of the network.
    private let listing: CInt
    /// Leads to a process that makes sockets in the network.
    private let connector: CInt
    private let process: CInt
    /// Waits for that process, which answers one request at a time.
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// Takes ownership of two descriptors, which ``close()`` closes.
    ///
    /// - Parameters:
    ///   - listing: see ``IsolatedSocket/Purpose/listing``.
    ///   - connector: see ``IsolatedSocket/Purpose/connector``.
    ///   - process: the child process behind the connector.
    init(listing: CInt, connector: CInt, process: CInt) {
        self.listing = listing
        self.connector = connector
        self.process = process
        self.thread.start()
    }

    /// Returns the addresses with a listener.
    ///
    /// - Throws: ``IOError`` if the kernel does not list them.
    func listeners() throws -> [IsolatedListener] {
        var found = [tapedeck_isolation_address](repeating: .init(), count: Self.limit)
        let count = tapedeck_isolation_listeners(self.listing, &found, Int32(Self.limit))
        guard count >= 0 else { throw IOError(errnoCode: errno, reason: "listing sockets") }
        return found.prefix(Int(count)).map { one in
            let length = one.family == AF_INET6 ? 16 : 4
            let address = withUnsafeBytes(of: one.bytes) { Array($0.prefix(length)) }
            return IsolatedListener(address: address, port: Int(one.port))
        }
    }

    /// Returns a socket that connects to a listener, and may not be connected yet.
    func connect(to listener: IsolatedListener, on eventLoop: any EventLoop) -> EventLoopFuture<CInt> {
        self.thread.runIfActive(eventLoop: eventLoop) {
            var address = tapedeck_isolation_address()
            address.family = listener.isIPv6 ? AF_INET6 : AF_INET
            address.port = Int32(listener.port)
            withUnsafeMutableBytes(of: &address.bytes) { $0.copyBytes(from: listener.address) }
            let descriptor = tapedeck_isolation_connect(self.connector, &address)
            guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "connecting to the command") }
            return descriptor
        }
    }

    /// Ends the process that makes sockets. Nothing can be asked of the network afterwards.
    func close() async {
        // A thread that waits for its answer gets an error instead.
        kill(self.process, SIGKILL)
        while waitpid(self.process, nil, 0) < 0, errno == EINTR {}
        try? await self.thread.shutdownGracefully()
        TapedeckPlatform.close(self.connector)
        TapedeckPlatform.close(self.listing)
    }
}
