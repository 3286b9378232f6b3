/// The use of all sessions together.
package final class DeckMeter: Sendable {
    package let limits: UsageLimits
    /// Client connections, without those that are being refused.
    let connections: Gauge
    /// Connections beyond the limit that wait for their one answer.
    let refused = Gauge(limit: 256)
    let requests: Gauge
    let disk: Gauge
    let files: SentFiles

    package init(_ limits: UsageLimits = UsageLimits()) {
        self.limits = limits
        self.connections = Gauge(limit: limits.connections)
        self.requests = Gauge(limit: limits.requests)
        self.disk = Gauge(limit: limits.disk)
        self.files = SentFiles(limit: limits.files)
    }

    /// The current use.
    package var usage: DeckUsage {
        DeckUsage(
            connections: self.connections.used,
            requests: self.requests.used,
            disk: self.disk.used,
            files: self.files.used
        )
    }
}

/// The use of one session.
package final class SessionMeter: Sendable {
    package let deck: DeckMeter
    package let connections: Gauge
    package let requests: Gauge
    let disk: Gauge

    init(_ deck: DeckMeter) {
        self.deck = deck
        // The deck counts connections from their beginning, when their session is not known yet.
        self.connections = Gauge(limit: deck.limits.sessionConnections)
        self.requests = Gauge(limit: deck.limits.sessionRequests, of: deck.requests)
        self.disk = Gauge(limit: deck.limits.sessionDisk, of: deck.disk)
    }

    var usage: DeckUsage {
        DeckUsage(connections: self.connections.used, requests: self.requests.used, disk: self.disk.used)
    }
}

/// The use at one moment, of a deck or of one of its sessions.
package struct DeckUsage: Sendable, Equatable {
    /// Client connections.
    package var connections = 0
    /// Requests that are not answered yet.
    package var requests = 0
    /// The disk space of recordings that are not saved yet, in bytes.
    package var disk = 0
    /// Files that came with sessions, in bytes; 0 for one session, as they share them.
    package var files = 0

    package init(connections: Int = 0, requests: Int = 0, disk: Int = 0, files: Int = 0) {
        self.connections = connections
        self.requests = requests
        self.disk = disk
        self.files = files
    }
}
