import NIOCore
import NIOPosix
package import TapedeckSessions

extension ProxyListener {
    /// Serves the sockets of an isolated command: on those of origins the deck stands for every origin. They close with the
    /// proxy.
    ///
    /// Requests that name no session need no token: nobody but the command reaches them.
    ///
    /// - Parameter session: takes the requests that name none; `nil` is the default one.
    /// - Throws: the `IOError` of taking over a socket.
    package func serve(_ sockets: [IsolatedSocket], in session: Session? = nil) async throws {
        let names = NameTable()
        for socket in sockets {
            await self.keep(try await self.channel(of: socket, session, names))
        }
    }

    private func channel(of socket: IsolatedSocket, _ session: Session?, _ names: NameTable) async throws -> any Channel
    {
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
            return try await ServerBootstrap(group: self.loops.group)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(LoopbackRelay(toPort: port, isIPv6: isIPv6))
                    }
                }
                .withBoundSocket(socket.descriptor)
                .get()
        }
    }
}

/// A socket that is bound in the network namespace of an isolated command, and served by a deck outside.
package struct IsolatedSocket: Sendable {
    package enum Purpose: Sendable, Equatable {
        /// Listens on every address, in place of this port of origins.
        case origin(port: Int)
        /// Answers DNS, over UDP or over TCP.
        case names(isDatagram: Bool)
        /// Listens on the loopback address, in place of a port of the machine's.
        case loopback(port: Int, isIPv6: Bool)
    }

    package var purpose: Purpose
    /// Belongs to whoever serves it, and is closed with the deck.
    package var descriptor: CInt

    package init(_ purpose: Purpose, descriptor: CInt) {
        self.purpose = purpose
        self.descriptor = descriptor
    }
}
