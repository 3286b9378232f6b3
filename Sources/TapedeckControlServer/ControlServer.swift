import Dispatch
import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
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
    private let running: Task<Void, Never>

    private init(
        port: Int,
        host: String,
        service: ControlService,
        connections: ConnectionRegistry,
        listener: any Channel,
        running: Task<Void, Never>
    ) {
        self.port = port
        self.host = host
        self.service = service
        self.connections = connections
        self.listener = listener
        self.running = running
    }

    /// The URL of the page and the API.
    package var url: String { "http://\(Self.reachable(self.host)):\(self.port)" }

    /// Listens and serves.
    ///
    /// - Parameter group: must not be shut down soon after ``stop()``, because Hummingbird frees parts of a server
    ///   later, and they use their event loop once more.
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
        let service = ControlService(configuration: configuration, deck: deck, log: log)
        let connections = ConnectionRegistry()
        let (started, start) = AsyncThrowingStream.makeStream(of: (any Channel).self)
        let application = Application(
            router: service.router(ControlRoute.all),
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionWatcher(registry: connections)],
                    idleTimeout: TimeAmount(configuration.idleTimeout)
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: nil
            ),
            onServerRunning: { channel in
                // Before the first request is read, which needs it to know its own address.
                service.listen(on: channel.localAddress?.port ?? configuration.port)
                start.yield(channel)
            },
            eventLoopGroupProvider: .shared(group),
            logger: Self.quiet(log)
        )
        // Tasks of requests are its children and use its executor.
        let running = Task(executorPreference: configuration.usesOwnThread ? OwnExecutor() : nil) {
            do {
                try await application.run()
                start.finish()
            } catch {
                start.finish(throwing: error)
            }
        }
        for try await listener in started {
            return ControlServer(
                port: service.port,
                host: configuration.host,
                service: service,
                connections: connections,
                listener: listener,
                running: running
            )
        }
        throw CancellationError()
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
    ///
    /// Hummingbird's own graceful shutdown is not used: it closes the server in a task that cannot be awaited, and that
    /// task still needs an event loop after the server has ended.
    package func stop() async {
        self.service.stop()
        await self.acceptNoMore()
        try? await self.listener.close()
        self.connections.quiesce()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.running.value }
            group.addTask {
                guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
                // Clients that do not read, or do not leave. The task is not cancelled: it would drop connections that
                // have just been accepted, and NIO traps if one is dropped unhandled.
                self.connections.closeAll()
            }
            await group.next()
            group.cancelAll()
        }
        await self.running.value
    }

    /// NIO sets up an accepted connection in a task of the event loop, and traps if the listener has closed before that task
    /// hands the connection on. So nothing is accepted any more first, and then the tasks of what was accepted run.
    private func acceptNoMore() async {
        try? await self.listener.setOption(ChannelOptions.autoRead, value: false).get()
        try? await self.listener.eventLoop.submit {}.get()
    }

    /// Hummingbird logs its start and every connection error, which are of no use here.
    private static func quiet(_ log: Logger) -> Logger {
        var log = log
        if log.logLevel > .trace, log.logLevel < .warning { log.logLevel = .warning }
        return log
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
