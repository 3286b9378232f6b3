import Logging
import NIOCore
import NIOPosix
import TapedeckPlatform

/// Opens a port of the machine's loopback address for each on which an isolated command listens, for as long as it does.
///
/// It looks for new listeners again and again, because Linux does not announce them.
final class PortSharing: Sendable {
    /// The time between two looks. One takes some 20 µs.
    private static let pause: Duration = .milliseconds(50)

    private let network: IsolatedNetwork
    private let reserved: Set<Int>
    private let group: any EventLoopGroup
    private let log: Logger

    /// - Parameter reserved: ports on which the deck listens in the command's network.
    init(_ network: IsolatedNetwork, except reserved: Set<Int>, group: any EventLoopGroup, log: Logger) {
        self.network = network
        self.reserved = reserved
        self.group = group
        self.log = log
    }

    /// Runs until the task is cancelled, and closes the ports and the network then.
    func run() async {
        var open: [SharedPort: any Channel] = [:]
        /// Ports that could not be opened, while a listener has them.
        var refused: Set<Int> = []
        do {
            while !Task.isCancelled {
                let wanted = SharedPort.all(for: try self.network.listeners(), except: self.reserved)
                for (port, channel) in open where !wanted.contains(port) {
                    try? await channel.close()
                    open[port] = nil
                    self.log.info("closed a port of the isolated command", metadata: ["port": "\(port)"])
                }
                refused.formIntersection(wanted.map(\.port))
                for port in wanted where open[port] == nil {
                    do {
                        open[port] = try await self.open(port)
                        self.log.info("opened a port of the isolated command", metadata: ["port": "\(port)"])
                    } catch {
                        guard !Self.isMissingIPv6(error), refused.insert(port.port).inserted else { continue }
                        self.warn(port, error)
                    }
                }
                try await Task.sleep(for: Self.pause)
            }
        } catch let error as IOError {
            self.log.warning(
                "the ports of the isolated command cannot be listed, and are not reachable from outside",
                metadata: ["error": "\(error)"]
            )
        } catch {
            // The task was cancelled.
        }
        for channel in open.values { try? await channel.close() }
        await self.network.close()
    }

    private func open(_ port: SharedPort) async throws -> any Channel {
        try await ServerBootstrap.relaying(to: .isolated(port.target, in: self.network), group: self.group)
            .bind(host: port.host, port: port.port)
            .get()
    }

    private static func isMissingIPv6(_ error: any Error) -> Bool {
        guard let code = (error as? IOError)?.errnoCode else { return false }
        return code == EADDRNOTAVAIL || code == EAFNOSUPPORT
    }

    private func warn(_ port: SharedPort, _ error: any Error) {
        let code = (error as? IOError)?.errnoCode
        let reason = code.map { $0 == EADDRINUSE ? "another program uses it" : String(cString: strerror($0)) }
        self.log.warning(
            "a port of the isolated command is not reachable from outside",
            metadata: ["port": "\(port)", "reason": "\(reason ?? "\(error)")"]
        )
    }
}
