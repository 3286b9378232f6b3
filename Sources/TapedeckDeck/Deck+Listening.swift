import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckPlatform
import TapedeckProxy
import TapedeckSessions

extension Deck {
    /// Opens the port for clients.
    static func listen(
        _ configuration: DeckConfiguration,
        context: ProxyContext,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ProxyListener {
        do {
            return try await ProxyListener.start(
                host: ListenerAddress.bare(configuration.host),
                port: configuration.port,
                context: context,
                group: group
            )
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw DeckError(
                "port \(configuration.port) is in use; stop what uses it, or choose another with --port (0 takes a free one)"
            )
        } catch {
            throw Self.cannotListen(configuration.host, configuration.port, error)
        }
    }

    /// Returns the error for a user from an error of binding.
    static func cannotListen(_ host: String, _ port: Int, _ error: any Error) -> DeckError {
        let reason =
            switch error {
            case let error as IOError: String(cString: strerror(error.errnoCode))
            case is SocketAddressError, is SocketAddressError.UnknownHost: "there is no such address"
            default: "\(error)"
            }
        return DeckError("cannot listen on \(host) port \(port): \(reason)")
    }
}
