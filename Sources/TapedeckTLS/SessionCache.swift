import COpenSSL
import TapedeckLocking

/// The newest TLS session of each upstream host, for an abbreviated handshake next time.
///
/// A session of TLS 1.3 is handed out once, as RFC 8446 appendix C.4 asks of tickets; its connection
/// brings new ones. One of TLS 1.2 stays, because resuming it need not bring another.
final class SessionCache: Sendable {
    /// Sessions of connections that verified their peer never serve those that did not, or the
    /// other way round: a resumed handshake does not look at certificates again. Nor is a session of one client
    /// certificate for a connection with another, since the server knows the client by it.
    struct Key: Hashable {
        var host: String
        var verifiesPeer: Bool
        var certificate: ClientCertificate?
    }

    /// Owns one reference to an `SSL_SESSION`.
    // @unchecked is sound: the session is a duplicate that no connection works on while it is in the
    // cache, and once it is taken only the connection that took it.
    final class Session: @unchecked Sendable {
        let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit {
            SSL_SESSION_free(self.pointer)
        }
    }

    private let capacity: Int
    private let sessions = Locked<[Key: Session]>([:])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Keeps a copy of `session`, which stays the caller's.
    func store(_ session: OpaquePointer, for key: Key) {
        guard let copy = SSL_SESSION_dup(session) else {
            return
        }
        let kept = Session(owning: copy)
        self.sessions.withLock { sessions in
            if sessions[key] == nil, sessions.count >= self.capacity, let any = sessions.keys.first {
                sessions[any] = nil
            }
            sessions[key] = kept
        }
    }

    /// The session for one new connection.
    func take(_ key: Key) -> Session? {
        self.sessions.withLock { sessions in
            guard let session = sessions[key] else {
                return nil
            }
            if SSL_SESSION_get_protocol_version(session.pointer) >= TLS1_3_VERSION {
                sessions[key] = nil
                return session
            }
            return SSL_SESSION_dup(session.pointer).map(Session.init(owning:))
        }
    }
}
