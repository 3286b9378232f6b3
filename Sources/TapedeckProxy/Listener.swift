package import NIOCore
package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform
package import TapedeckSessions

/// The listening ports of the proxy: accepts clients, and closes their connections in order. One port is for all
/// sessions; a session may have another of its own.
package final class ProxyListener: Sendable {
    private struct SessionPorts {
        var channels: [Int: any Channel] = [:]
        /// Listeners of an isolated command, whose ports are not ports of the machine.
        var isolated: [any Channel] = []
        /// Keep ports open for an isolated command until they are cancelled.
        var sharing: [Task<Void, Never>] = []
        var isStopped = false
    }

    let deck: ProxyContext
    let loops: ProxyLoops
    private let host: String
    private let channel: any Channel
    /// Those of sessions.
    private let ports = Locked(SessionPorts())

    /// The address that clients can reach, with the port that was really taken.
    package let address: SocketAddress

    private init(_ deck: ProxyContext, _ loops: ProxyLoops, host: String, channel: any Channel, address: SocketAddress)
    {
        self.deck = deck
        self.loops = loops
        self.host = host
        self.channel = channel
        self.address = address
    }

    /// Listens on `host` and `port`; port 0 takes a free one.
    ///
    /// - Throws: the `IOError` of binding, such as `EADDRINUSE`.
    package static func start(
        host: String,
        port: Int,
        context deck: ProxyContext,
        group: any EventLoopGroup
    ) async throws -> ProxyListener {
        let loops = try await ProxyLoops(deck, group: group)
        let doorway = ListenerContext(session: nil, reverseOrigin: deck.configuration.reverseOrigin)
        let channel = try await loops.bind(host: host, port: port, doorway)
        guard let address = channel.localAddress, address.port != nil else {
            try await channel.close()
            throw ChannelError.unknownLocalAddress
        }
        deck.noteOwn(address)
        return ProxyListener(deck, loops, host: host, channel: channel, address: address)
    }

    // MARK: Ports of sessions

    /// Opens a port for a session, on the same host: requests that come through it and name no session belong to that
    /// session. It closes when the session ends. Returns the port.
    ///
    /// - Parameters:
    ///   - port: 0 picks a free one.
    ///   - reverseOrigin: the origin of requests that name none; `nil` means the deck's.
    /// - Throws: ``SessionError`` if the session has a port already or has ended, or if the port is not available.
    package func openPort(of session: Session, port: Int = 0, reverseOrigin: Origin? = nil) async throws -> Int {
        let doorway = ListenerContext(
            session: session,
            reverseOrigin: reverseOrigin ?? self.deck.configuration.reverseOrigin
        )
        let channel = try await self.bind(port, doorway)
        let (port, isOpen) = try await self.register(channel)
        let isTaken = isOpen && session.takePort(port)
        guard isTaken, session.atEnd({ [weak self] in await self?.closePort(port, of: session) }) else {
            if isTaken { session.givePortBack() }
            await self.close(port, channel)
            let problem = isTaken || !isOpen ? "has ended" : "has the port \(session.port ?? 0) already"
            throw SessionError(.conflict, "the session \(session.id) \(problem)")
        }
        return port
    }

    /// Adds a port that was just opened. Returns it, and false if the proxy was stopped meanwhile, so that it must be
    /// closed.
    private func register(_ channel: any Channel) async throws -> (port: Int, isOpen: Bool) {
        guard let address = channel.localAddress, let port = address.port else {
            try? await channel.close()
            throw ChannelError.unknownLocalAddress
        }
        self.deck.noteOwn(address)
        let isOpen = self.ports.withLock { ports in
            guard !ports.isStopped else { return false }
            ports.channels[port] = channel
            return true
        }
        return (port, isOpen)
    }

    /// Opens a port that closes with the proxy. Returns the port.
    ///
    /// - Throws: the `IOError` of binding.
    func open(_ port: Int, _ doorway: ListenerContext) async throws -> Int {
        let channel = try await self.loops.bind(host: self.host, port: port, doorway)
        let (port, isOpen) = try await self.register(channel)
        guard isOpen else {
            await self.close(port, channel)
            throw ChannelError.ioOnClosedChannel
        }
        return port
    }

    /// Closes a channel of an isolated command with the proxy.
    func keep(_ channel: any Channel) async {
        let isKept = self.ports.withLock { ports in
            guard !ports.isStopped else { return false }
            ports.isolated.append(channel)
            return true
        }
        if !isKept { try? await channel.close() }
    }

    /// Ends a task of an isolated command with the proxy.
    func keep(_ task: Task<Void, Never>) {
        let isKept = self.ports.withLock { ports in
            guard !ports.isStopped else { return false }
            ports.sharing.append(task)
            return true
        }
        if !isKept { task.cancel() }
    }

    private func bind(_ port: Int, _ doorway: ListenerContext) async throws -> any Channel {
        do {
            return try await self.loops.bind(host: self.host, port: port, doorway)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw SessionError(.conflict, "port \(port) is in use; choose another, or 0 for a free one")
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw SessionError(.badRequest, "cannot listen on \(self.host) port \(port): \(reason)")
        }
    }

    private func closePort(_ port: Int, of session: Session) async {
        guard let channel = self.ports.withLock({ $0.channels[port] }) else { return }
        session.givePortBack()
        await self.close(port, channel)
    }

    private func close(_ port: Int, _ channel: any Channel) async {
        self.ports.withLock { _ = $0.channels.removeValue(forKey: port) }
        let address = channel.localAddress
        try? await channel.close()
        // Another program may have the port from here on.
        if let address { self.deck.own.remove(address) }
    }

    // MARK: Stopping

    /// Accepts no more clients, lets requests in flight finish for at most `grace`, then closes all connections.
    package func stop(grace: TimeAmount) async {
        try? await self.channel.close()
        let ports = self.ports.withLock { ports in
            ports.isStopped = true
            return ports
        }
        for (port, channel) in ports.channels { await self.close(port, channel) }
        for channel in ports.isolated { try? await channel.close() }
        for task in ports.sharing {
            task.cancel()
            await task.value
        }
        await self.loops.stop(grace: grace)
    }
}
