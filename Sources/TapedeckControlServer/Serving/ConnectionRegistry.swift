import NIOCore
import NIOHTTP1
import TapedeckLocking

/// The open connections, so that a stop need not wait for clients that keep theirs.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// New connections are closed at once.
        var isStopping = false
    }

    private let state = Locked(State())

    func add(_ channel: any Channel) {
        let isLate = self.state.withLock { state in
            if !state.isStopping { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isStopping
        }
        // Once its pipeline is complete: NIO traps where a connection is closed while its handlers are being added.
        if isLate { channel.eventLoop.execute { channel.close(promise: nil) } }
    }

    func remove(_ channel: any Channel) {
        _ = self.state.withLock { $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes connections without a request, and the others once theirs is answered. New ones are closed at once.
    func quiesce() {
        let channels = self.state.withLock { state in
            state.isStopping = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Closes all connections, and new ones at once.
    func closeAll() {
        let channels = self.state.withLock { state in
            state.isStopping = true
            defer { state.channels = [:] }
            return state.channels.values.map { $0 }
        }
        for channel in channels { channel.close(promise: nil) }
    }
}

/// Enters a connection into the registry for as long as it is open, and has it refuse other protocols.
final class ConnectionWatcher: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let registry: ConnectionRegistry

    init(registry: ConnectionRegistry) {
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.registry.add(context.channel)
        // Hummingbird takes handlers behind its translation of NIO's types alone, and this one belongs between.
        let pipeline = context.pipeline.syncOperations
        do {
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(UpgradeRefusal(), position: .after(parser))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.registry.remove(context.channel)
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension ConnectionWatcher: Sendable {}
