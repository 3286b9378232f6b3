import TapedeckLocking

/// The hosts for which clients ended TLS as clients do that do not trust the certificate authority.
///
/// Some clients send an alert. Others, such as those with GnuTLS, check the certificate after the handshake and close
/// without one. A client that only prepares a connection does so too, so the latter counts only for hosts without any
/// request.
package final class UntrustingClients: Sendable {
    private struct State {
        var refused: [String] = []
        var silent: [String] = []
        var asked: Set<String> = []
    }

    /// The maximum number of hosts of each kind that are remembered.
    private static let limit = 100

    private let state = Locked(State())

    /// Notes that a client refused the certificate for a host. Returns true the first time for this host.
    func noteRefused(_ host: String) -> Bool {
        self.state.withLock { state in
            guard !state.refused.contains(host), state.refused.count < Self.limit else { return false }
            state.refused.append(host)
            return true
        }
    }

    /// Notes that a client closed its connection after the handshake without a request.
    func noteSilent(_ host: String) {
        self.state.withLock { state in
            guard !state.silent.contains(host), state.silent.count < Self.limit else { return }
            state.silent.append(host)
        }
    }

    /// Notes that a client sent a request for a host, so that it trusts the authority.
    func noteAsked(_ host: String) {
        self.state.withLock { state in
            if state.asked.count < Self.limit { state.asked.insert(host) }
        }
    }

    /// The hosts, those with an alert first, each once.
    var hosts: [String] {
        self.state.withLock { state in
            let silent = state.silent.filter { !state.asked.contains($0) && !state.refused.contains($0) }
            return state.refused + silent
        }
    }
}
