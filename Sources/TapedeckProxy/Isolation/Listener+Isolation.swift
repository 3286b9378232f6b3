import NIOCore
import NIOPosix
package import TapedeckSessions

extension ProxyListener {
    /// Serves the sockets of an isolated command: on those of origins the deck answers for every origin. Ports on which
    /// the command listens are opened on the machine's loopback address, too. All of them close with the proxy.
    ///
    /// Requests that name no session need no token: only the command reaches them.
    ///
    /// - Parameter session: gets the requests that name none; `nil` means the default one.
    /// - Throws: the `IOError` of taking over a socket.
    package func serve(_ sockets: [IsolatedSocket], in session: Session? = nil) async throws {
        let names = NameTable()
        for socket in sockets {
            if let channel = try await self.channel(of: socket, session, names) { await self.keep(channel) }
        }
        self.share(sockets)
    }

    private func channel(
        of socket: IsolatedSocket,
        _ session: Session?,
        _ names: NameTable
    ) async throws -> (any Channel)? {
        switch socket.purpose {
        case .origin(let port):
            let transparent = TransparentPort(originPort: port, proxyPort: self.address.port ?? 0)
            let doorway = ListenerContext(session: session, reverseOrigin: nil, transparent: transparent, names: names)
            return try await self.loops.bootstrap(doorway).withBoundSocket(socket.descriptor).get()
        case .names(isDatagram: true):
            return try await DatagramBootstrap(group: self.loops.group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DatagramNameServer(names))
                    }
                }
                .withBoundSocket(socket.descriptor)
                .get()
        case .names(isDatagram: false):
            return try await ServerBootstrap(group: self.loops.group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(StreamNameServer(names))
                    }
                }
                .withBoundSocket(socket.descriptor)
                .get()
        case .loopback(let port, let isIPv6):
            return try await ServerBootstrap.relaying(
                to: .machine(port: port, isIPv6: isIPv6),
                group: self.loops.group
            )
            .withBoundSocket(socket.descriptor)
            .get()
        case .listing, .connector:
            return nil
        }
    }

    /// Makes the ports that the command listens on reachable from outside, if the sockets for that are there.
    private func share(_ sockets: [IsolatedSocket]) {
        var listing: CInt?
        var connector: (descriptor: CInt, process: CInt)?
        var reserved: Set<Int> = []
        for socket in sockets {
            switch socket.purpose {
            case .origin(let port), .loopback(let port, _): reserved.insert(port)
            case .names: reserved.insert(53)
            case .listing: listing = socket.descriptor
            case .connector(let process): connector = (socket.descriptor, process)
            }
        }
        guard let listing, let connector else { return }
        let network = IsolatedNetwork(
            listing: listing,
            connector: connector.descriptor,
            process: connector.process
        )
        let sharing = PortSharing(network, except: reserved, group: self.loops.group, log: self.deck.log)
        self.keep(Task { await sharing.run() })
    }
}

/// A socket of the network namespace of an isolated command, served by a deck outside.
package struct IsolatedSocket: Sendable {
    package enum Purpose: Sendable, Equatable {
        /// Listens on every address, in place of this port of origins.
        case origin(port: Int)
        /// Answers DNS, over UDP or over TCP.
        case names(isDatagram: Bool)
        /// Listens on the loopback address, in place of a port of the machine's.
        case loopback(port: Int, isIPv6: Bool)
        /// Lists the command's own listening sockets; `tapedeck_isolation_listeners` reads it.
        case listing
        /// Leads to a child process that makes sockets for connections to those; for `tapedeck_isolation_connect`.
        case connector(process: CInt)
    }

    package var purpose: Purpose
    /// Belongs to the server that serves it, and is closed with the deck.
    package var descriptor: CInt

    package init(_ purpose: Purpose, descriptor: CInt) {
        self.purpose = purpose
        self.descriptor = descriptor
    }
}
