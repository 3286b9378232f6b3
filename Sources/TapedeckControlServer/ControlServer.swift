import Dispatch
package import Logging
package import NIOCore
import NIOPosix
import TapedeckCore

/// The control API and the live page, on a port of their own.
package final class ControlServer: Sendable {
    /// The port that was taken.
    package let port: Int
    private let host: String
    let service: ControlService
    private let connections: ConnectionRegistry
    /// Accepts the connections.
    private let listener: any Channel

    private init(
        port: Int,
        host: String,
        service: ControlService,
        connections: ConnectionRegistry,
        listener: any Channel
    ) {
        self.port = port
        self.host = host
        self.service = service
        self.connections = connections
        self.listener = listener
    }

    /// The URL of the page and the API.
    package var url: String { "http://\(Self.reachable(self.host)):\(self.port)" }

    /// Listens and serves.
    ///
    /// - Throws: ``ControlServerError`` if a token is required and missing, the `IOError` of binding, such as
    ///   `EADDRINUSE`.
    package static func start(
        _ configuration: ControlConfiguration,
        deck: ControlledDeck,
        group: any EventLoopGroup,
        log: Logger
    ) async throws -> ControlServer {
        guard configuration.token?.isEmpty != true else { throw ControlServerError(description: "the token is empty") }
        guard configuration.token != nil || LoopbackHost.contains(configuration.host) else {
            throw ControlServerError(
                description: "the control API on \(configuration.host), which others can reach, needs a token"
            )
        }
        let service = ControlService(configuration: configuration, deck: deck, routes: ControlRoute.all, log: log)
        let connections = ConnectionRegistry()
        let executor = configuration.usesOwnThread ? OwnExecutor() : nil
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Nothing is accepted before the service knows its own address, by which it checks every request.
            .serverChannelOption(.autoRead, value: false)
            // A client that has sent all may close its side, and still gets its answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(readTimeout: TimeAmount(configuration.idleTimeout)))
                    try pipeline.addHandler(
                        ControlConnection(registry: connections, executor: executor) { await service.answer($0) }
                    )
                }
            }
            .bind(host: configuration.host, port: configuration.port)
            .get()
        service.listen(on: listener.localAddress?.port ?? configuration.port)
        try await listener.setOption(.autoRead, value: true).get()
        return ControlServer(
            port: service.port,
            host: configuration.host,
            service: service,
            connections: connections,
            listener: listener
        )
    }

    /// Requires another token from the next request on; open streams continue.
    ///
    /// - Parameter token: not empty.
    package func replace(token: String) {
        self.service.token = token
    }

    /// The time for requests to finish once the server stops.
    private static let grace = Duration.seconds(3)

    /// Accepts no more requests, answers those that wait, ends the streams, and closes. Mostly at once; clients that do
    /// not read are waited for at most ``grace``.
    package func stop() async {
        self.service.stop()
        try? await self.listener.close()
        self.connections.quiesce()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.connections.untilEmpty() }
            group.addTask {
                guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
                // Clients that do not read, or do not leave.
                self.connections.closeAll()
            }
            await group.next()
            group.cancelAll()
        }
        await self.connections.untilEmpty()
    }

    /// An address that a URL can name.
    private static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}

extension ControlRoute {
    /// Every route there is.
    static let all: [ControlRoute] =
        DeckRoutes.all + CassetteRoutes.all + ArchiveRoutes.all + ForeignFileRoutes.all + SessionRoutes.all
        + SelectionRoutes.all + EditingRoutes.all + AddedSetRoutes.all + HeldRoutes.all + JournalRoutes.all
        + EventRoutes.all + RecordingRoutes.all + MetricsRoutes.all + PageRoutes.all
}

/// Runs tasks one after the other on a separate thread, not on the few that all tasks of the process share: those may
/// all be blocked waiting for this server.
final class OwnExecutor: TaskExecutor {
    // The queue keeps a thread of its own while it has work: a serial queue is not bound by the number of processors.
    private let queue = DispatchQueue(label: "tapedeck.control")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
