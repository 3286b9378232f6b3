/// What is in use, all sessions together.
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

    /// What is in use at this moment.
    package var usage: DeckUsage {
        DeckUsage(
            connections: self.connections.used,
            requests: self.requests.used,
            disk: self.disk.used,
            files: self.files.used
        )
    }
}

/// What one session has in use.
package final class SessionMeter: Sendable {
    package let deck: DeckMeter
    package let connections: Gauge
    package let requests: Gauge
    let disk: Gauge

    init(_ deck: DeckMeter) {
        self.deck = deck
        // The deck counts connections from their beginning, when nobody knows yet whose they are.
        self.connections = Gauge(limit: deck.limits.sessionConnections)
        self.requests = Gauge(limit: deck.limits.sessionRequests, of: deck.requests)
        self.disk = Gauge(limit: deck.limits.sessionDisk, of: deck.disk)
    }

    var usage: DeckUsage {
        DeckUsage(connections: self.connections.used, requests: self.requests.used, disk: self.disk.used)
    }
}

/// What is in use at one moment: by a deck, or by one of its sessions.
package struct DeckUsage: Sendable, Equatable {
    /// Client connections.
    package var connections = 0
    /// Requests that are not answered yet.
    package var requests = 0
    /// What recordings hold on the disk until they are saved, in bytes.
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

extension SessionDirectory {
    /// What is in use at this moment, all sessions together.
    package var usageNow: DeckUsage { self.meter.usage }
}

extension Session {
    /// What this session has in use at this moment.
    package var inUse: DeckUsage { self.meter.usage }
}
