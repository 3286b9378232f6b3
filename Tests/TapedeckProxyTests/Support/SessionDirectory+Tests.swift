import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

extension SessionDirectory {
    /// A directory with one session, that of all requests.
    static func of(_ session: Session) -> SessionDirectory {
        SessionDirectory(
            Configuration(allowsDialling: session.mode.dialsOut),
            library: CassetteLibrary(folder: "cassettes", store: CassetteStore { SHA256.hexDigest(of: $0) }),
            default: session,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
