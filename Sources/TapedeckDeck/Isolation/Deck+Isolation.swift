import NIOCore
package import TapedeckCassettes
import TapedeckControlServer
import TapedeckCore
import TapedeckPlatform
package import TapedeckProxy
package import TapedeckSessions

extension Deck {
    /// Each port takes two words of the command line of the process that opens it, which has room for some 100,000.
    private static let loopbackPortLimit = 8192

    /// Returns the ports that an isolated command can reach through this deck: those of the tape's origins and those
    /// wanted, the deck's own, and those of other programs on this machine. If requests to this machine may not pass, the
    /// machine and the command do not reach each other's ports.
    ///
    /// - Parameter wanted: more ports of origins.
    package func isolatedPorts(_ wanted: [Int]) -> IsolatedPorts {
        let tape = self.context.sessions.default?.tape.cassettes ?? []
        let origins = tape.flatMap(\.responseSets).compactMap { $0.request.url.originPort }
        let own = [self.port, self.control?.port].compactMap { $0 }
        var listening: [LoopbackPort] = []
        if self.configuration.passesLocal {
            for (path, isIPv6) in [("/proc/net/tcp", false), ("/proc/net/tcp6", true)] {
                guard let bytes = try? FileContents.read(path) else { continue }
                listening += LoopbackPort.listening(in: String(decoding: bytes, as: UTF8.self), isIPv6: isIPv6)
            }
        }
        return IsolatedPorts(
            origins: Set(wanted + origins),
            own: Set(own),
            listening: listening,
            limit: min(OpenFiles.limit / 2, Self.loopbackPortLimit),
            sharesListeners: self.configuration.passesLocal
        )
    }

    /// Serves the sockets of an isolated command until the deck stops.
    ///
    /// - Parameter session: takes the requests that name none; `nil` is the default one.
    /// - Throws: ``DeckError`` if a socket cannot be taken over.
    package func serve(_ sockets: [IsolatedSocket], in session: Session? = nil) async throws(DeckError) {
        do {
            try await self.listener.serve(sockets, in: session)
        } catch {
            throw DeckError("cannot serve the isolated command: \(error)")
        }
    }
}

extension URLMatcher {
    /// The port of the origin that it requires; `nil` if it is for any.
    fileprivate var originPort: Int? {
        switch self {
        case .any, .exactPath, .pattern: nil
        case .exact(let url): url.origin.port
        case .template(let template):
            Origin(template.source.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//"))?.port
        }
    }
}
