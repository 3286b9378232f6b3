import NIOCore
import TapedeckLocking
import TapedeckSessions

/// The open connections, so that a stop need not wait for clients that keep theirs.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Requests that are being answered.
        var requests = 0
        /// New connections are closed at once.
        var isStopping = false
    }

    private let state = Locked(State())
    /// Closed once nothing is left of a server that stops.
    private let emptied = ChangeSignal()

    func add(_ channel: any Channel) {
        let isLate = self.state.withLock { state in
            if !state.isStopping { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isStopping
        }
        // Once its pipeline is complete: NIO traps where a connection is closed while its handlers are being added.
        if isLate { channel.eventLoop.execute { channel.close(promise: nil) } }
    }

    func remove(_ channel: any Channel) {
        self.change { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    /// A request came, whose task must end before the server does.
    func began() {
        self.change { $0.requests += 1 }
    }

    func ended() {
        self.change { $0.requests -= 1 }
    }

    private func change(_ body: @Sendable (inout State) -> Void) {
        let isEmpty = self.state.withLock { state in
            body(&state)
            return state.isStopping && state.channels.isEmpty && state.requests == 0
        }
        if isEmpty { self.emptied.close() }
    }

    /// Waits until a server that stops has neither connections nor requests.
    func untilEmpty() async {
        self.change { _ in }
        await self.emptied.wait(after: .max)
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
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
