import TapedeckLocking

/// The hosts for which a client said, by an alert of TLS, that it does not trust the certificate authority.
///
/// A client that just closes its connection may have any reason, so it does not count.
package final class UntrustingClients: Sendable {
    /// The maximum number of hosts that are remembered.
    private static let limit = 100

    private let refused = Locked<[String]>([])

    /// Notes that a client refused the certificate for a host. Returns true the first time for this host.
    func noteRefused(_ host: String) -> Bool {
        self.refused.withLock { refused in
            guard !refused.contains(host), refused.count < Self.limit else { return false }
            refused.append(host)
            return true
        }
    }

    /// The hosts, each once.
    var hosts: [String] { self.refused.withLock { $0 } }
}
