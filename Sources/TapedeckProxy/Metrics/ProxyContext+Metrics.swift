package import TapedeckSessions

extension ProxyContext {
    /// The current use of all sessions together.
    package var usage: DeckUsage { self.sessions.meter.usage }

    /// The maximum use.
    package var limits: UsageLimits { self.sessions.meter.limits }
}

extension ProxyContext {
    /// Returns all metrics in the text format of Prometheus, version 0.0.4. Locks every session for a moment, so it
    /// must not run on an event loop.
    ///
    /// - Parameter version: this program's version.
    package func metricsText(version: String) -> String {
        var text = MetricsText()
        text.begin("tapedeck_build_info", .gauge, "The version of Tapedeck; always 1.")
        text.sample("tapedeck_build_info", ["version": version], 1)
        self.writeRequests(to: &text)
        self.writeConnections(to: &text)
        self.writeSessions(to: &text)
        ProcessMetrics.current.write(to: &text)
        return text.text
    }

    private func writeRequests(to text: inout MetricsText) {
        let totals = self.metrics.totals
        text.begin(
            "tapedeck_requests_total",
            .counter,
            "Requests that are over, by the mode of their session (none: they reached no session) and what became of them."
        )
        for mode in LoopMetrics.Mode.allCases {
            for outcome in LoopMetrics.Outcome.allCases {
                let count = totals.requests(mode, outcome)
                // Most combinations cannot be; a request that reached no session is refused.
                guard mode == .none ? outcome == .refused : true else { continue }
                text.sample("tapedeck_requests_total", ["mode": "\(mode)", "outcome": "\(outcome)"], count)
            }
        }
        let unmatched = LoopMetrics.Mode.allCases.reduce(0) { $0 + totals.requests($1, .unmatched) }
        text.add("tapedeck_unmatched_requests_total", .counter, "Requests that nothing on tape answered.", unmatched)
        text.add(
            "tapedeck_requests_in_flight",
            .gauge,
            "Requests whose answers are not complete, held ones among them.",
            self.usage.requests
        )
        let name = "tapedeck_request_duration_seconds"
        text.begin(name, .histogram, "From the end of a request's head to the end of its answer, by what became of it.")
        for outcome in LoopMetrics.Outcome.allCases {
            var count = 0
            for (index, number) in totals.durations(outcome).enumerated() {
                count += number
                let bounds = DurationBuckets.bounds
                let bound = bounds.indices.contains(index) ? MetricsText.seconds(bounds[index]) : "+Inf"
                text.sample("\(name)_bucket", ["outcome": "\(outcome)", "le": bound], count)
            }
            let sum = MetricsText.seconds(totals.microseconds(outcome))
            text.sample("\(name)_sum", ["outcome": "\(outcome)"], sum)
            text.sample("\(name)_count", ["outcome": "\(outcome)"], count)
        }
    }

    private func writeConnections(to text: inout MetricsText) {
        text.add(
            "tapedeck_client_connections",
            .gauge,
            "Connections of clients to the proxy.",
            self.usage.connections
        )
        text.add(
            "tapedeck_upstream_connections_opened_total",
            .counter,
            "Connections to origins that were opened, or tried.",
            self.connectionsOpened
        )
        text.add(
            "tapedeck_upstream_connections",
            .gauge,
            "Connections to origins that are open, idle ones among them.",
            self.metrics.upstreamConnections
        )
        text.add(
            "tapedeck_leaf_certificates_minted_total",
            .counter,
            "Certificates of hosts that were made for interception.",
            self.leafCertificatesMinted
        )
    }

    private func writeSessions(to text: inout MetricsText) {
        text.add("tapedeck_sessions", .gauge, "Sessions that live, the default one among them.", self.sessions.count)
        text.add(
            "tapedeck_sessions_created_total",
            .counter,
            "Sessions that were made, the default one among them.",
            self.sessions.createdCount
        )
        text.add(
            "tapedeck_requests_held",
            .gauge,
            "Requests that wait until somebody lets them go.",
            self.sessions.sessions.reduce(0) { $0 + $1.held.count }
        )
        text.add("tapedeck_journal_bytes", .gauge, "Memory of all journals, about.", self.sessions.journalBytes)
        let recordings = self.sessions.configuration.recordings
        text.add(
            "tapedeck_recordings",
            .gauge,
            "Recordings that run, or are being saved.",
            recordings.running
        )
        text.add(
            "tapedeck_recordings_failed_total",
            .counter,
            "Recordings that stopped early, or could not be saved.",
            recordings.failed
        )
    }
}
