import COpenSSL
import TapedeckLocking

/// Caches the newest TLS sessions of upstream hosts, for abbreviated handshakes.
///
/// A TLS 1.3 session is used once, as RFC 8446 appendix C.4 recommends for tickets; its connection supplies new ones. A
/// TLS 1.2 session stays, because resuming it need not supply another.
final class SessionCache: Sendable {
    /// A session of a connection that verified its peer is never used by one that does not, or the reverse: a resumed
    /// handshake does not check certificates again. Sessions are also separate per client certificate, because the
    /// server identifies the client by it.
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
        /// The time at which the first certificate of the verified chain expires, in seconds since 1970; `nil` if none
        /// was verified. A new handshake would fail from then on, so the session is no longer resumed.
        let expiry: Int64?

        init(owning pointer: OpaquePointer, expiry: Int64?) {
            self.pointer = pointer
            self.expiry = expiry
        }

        deinit {
            SSL_SESSION_free(self.pointer)
        }
    }

    /// The maximum number of sessions of one key. Connections that are opened at the same time take one each.
    private static let keyCapacity = 64

    private let capacity: Int
    private let kept = Locked(Kept())

    private struct Kept {
        /// The newest last.
        var sessions: [Key: [Session]] = [:]
        var count = 0

        mutating func remove(_ key: Key) -> Session? {
            guard let session = self.sessions[key]?.popLast() else { return nil }
            self.count -= 1
            if self.sessions[key]?.isEmpty == true { self.sessions[key] = nil }
            return session
        }

        mutating func removeAll(_ key: Key) {
            self.count -= self.sessions.removeValue(forKey: key)?.count ?? 0
        }
    }

    /// - Parameter capacity: the maximum number of sessions of all keys.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Keeps a copy of `session`, which stays the caller's.
    ///
    /// - Parameter expiry: see ``Session/expiry``.
    func store(_ session: OpaquePointer, for key: Key, expiry: Int64?) {
        guard let copy = SSL_SESSION_dup(session) else {
            return
        }
        let new = Session(owning: copy, expiry: expiry)
        self.kept.withLock { kept in
            if Self.isLasting(new) {
                kept.removeAll(key)
            } else if let count = kept.sessions[key]?.count, count >= Self.keyCapacity {
                kept.sessions[key]?.removeFirst()
                kept.count -= 1
            }
            if kept.count >= self.capacity, let any = kept.sessions.keys.first(where: { $0 != key }) {
                kept.removeAll(any)
            }
            kept.sessions[key, default: []].append(new)
            kept.count += 1
        }
    }

    /// The session for one new connection.
    ///
    /// - Parameter now: seconds since 1970.
    func take(_ key: Key, at now: Int64) -> Session? {
        self.kept.withLock { kept in
            guard let session = kept.sessions[key]?.last else {
                return nil
            }
            if let expiry = session.expiry, expiry <= now {
                // Older sessions are of the same certificates or older ones.
                kept.removeAll(key)
                return nil
            }
            guard Self.isLasting(session) else {
                return kept.remove(key)
            }
            return SSL_SESSION_dup(session.pointer).map { Session(owning: $0, expiry: session.expiry) }
        }
    }

    /// True if a session may serve any number of connections.
    private static func isLasting(_ session: Session) -> Bool {
        SSL_SESSION_get_protocol_version(session.pointer) < TLS1_3_VERSION
    }
}
