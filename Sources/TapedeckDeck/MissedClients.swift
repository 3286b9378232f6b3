import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

/// The lines of the summary about clients that went past the deck, or that do not trust it.
struct MissedClients {
    /// The maximum number of hosts that are named.
    private static let namedHosts = 5

    private let report: DeckReport
    private let ranCommand: Bool

    init(_ report: DeckReport, ranCommand: Bool) {
        self.report = report
        self.ranCommand = ranCommand
    }

    var lines: [String] {
        let hosts = self.report.untrustedHosts
        let named = hosts.prefix(Self.namedHosts).map { host in
            "a client does not trust Tapedeck's certificate authority, by its TLS alert for \(host): `tapedeck ca` says what "
                + "to set"
        }
        let left = hosts.count - Self.namedHosts
        let more = left > 0 ? ["and \(Plural.text(left, "more host", "more hosts")) like that"] : []
        return named + more + self.pastTheDeck
    }

    private var pastTheDeck: [String] {
        guard self.ranCommand, !self.report.hadRequests, self.report.untrustedHosts.isEmpty else { return [] }
        // An empty recording is reported by the line above.
        let begin = self.report.saved == nil ? "no request came through Tapedeck: " : ""
        guard !self.report.isIsolated else {
            return [begin + "COMMAND sent none, or to other ports than 80, 443, those on tape and those of --ports"]
        }
        return [
            begin + "COMMAND sent none, or its client reads no proxy variables, as aiohttp without "
                + "trust_env, and most clients for localhost; `tapedeck help trusting-the-ca` says what each client needs"
        ]
    }
}

/// The reason why a recording has no exchange, as one line of the summary.
struct NothingRecorded {
    let line: String

    /// - Parameter path: of the cassette.
    init(_ report: DeckReport, at path: String) {
        let kept = FileContents.exists(path) ? "; \(path) is as it was" : ""
        self.line = "nothing was recorded: \(Self.reason(report))\(kept)"
    }

    private static func reason(_ report: DeckReport) -> String {
        guard report.hadRequests, let session = report.session else { return "no request came through Tapedeck" }
        let rules = session.unrecorded
        let local = rules.passed.filter { $0.reason == .loopback }
        let reasons: [(count: Int, why: String)] = [
            (local.reduce(0) { $0 + $1.requests + $1.tunnels }, "to this machine, which --loopback records"),
            (
                rules.passedRequests + rules.passedTunnels - local.reduce(0) { $0 + $1.requests + $1.tunnels },
                "to hosts that are passed through"
            ),
            (rules.blockedCount, "to hosts that are blocked"),
            (rules.refusedCount, "refused"),
            (rules.leftOutCount, "left out by --status, --max-body or --no-record-faults"),
            (session.troubles.count, "failed or not recorded, as said below"),
            (session.played, "played from the tape"),
        ]
        let parts = reasons.filter { $0.count > 0 }
            .map { "\(Plural.text($0.count, "request", "requests")) \($0.why)" }
        return parts.isEmpty ? "no request was for an origin" : parts.joined(separator: ", ")
    }
}
