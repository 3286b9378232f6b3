import Logging
import NIOCore
import TapedeckCassettes
import TapedeckCore
import TapedeckPlatform
import TapedeckProxy
import TapedeckSessions

extension Deck {
    /// Opens the ports for clients that believe they talk to the origin. Returns them with their actual ports.
    ///
    /// - Throws: ``DeckError``, with a remedy. Opened ports close with the listener.
    static func openTransparentPorts(
        _ configuration: DeckConfiguration,
        listener: ProxyListener,
        sessions: SessionDirectory,
        log: Logger
    ) async throws -> [TransparentListening] {
        var opened: [TransparentListening] = []
        for wanted in configuration.transparent {
            do {
                let port = try await listener.openTransparentPort(wanted.port, originPort: wanted.originPort)
                opened.append(TransparentListening(port: port, originPort: wanted.originPort))
            } catch let error as IOError {
                throw self.cannotOpen(wanted, on: configuration.host, error)
            }
        }
        if !opened.isEmpty, configuration.requiresToken, sessions.default != nil {
            let ports = opened.map { String($0.port) }.joined(separator: ", ")
            let asks = configuration.mode.dialsOut || configuration.allowsPassthrough
            let dials = asks ? ", and may have the deck ask any origin it can reach" : ""
            log.warning(
                "everyone who reaches port \(ports) needs no token there\(dials): lead there only from a network of your own"
            )
        }
        return opened
    }

    private static func cannotOpen(_ wanted: TransparentListening, on host: String, _ error: IOError) -> DeckError {
        let other = wanted.port < 1024 ? wanted.port + 8000 : wanted.port + 1
        let instead = "--transparent \(other)=\(wanted.originPort)"
        switch error.errnoCode {
        case EADDRINUSE:
            return DeckError(
                "port \(wanted.port) of --transparent is in use; stop what uses it, or choose another with \(instead)"
            )
        case EACCES:
            return DeckError(
                "port \(wanted.port) of --transparent is for root alone here; choose \(instead) and have the network map "
                    + "\(wanted.port) to \(other), or allow it: sysctl net.ipv4.ip_unprivileged_port_start=\(wanted.port), or "
                    + "setcap cap_net_bind_service=+ep on the program"
            )
        default:
            return self.cannotListen(host, wanted.port, error)
        }
    }
}
