package import TapedeckCore

/// The requests that the rules exclude from a session's recording, counted for the report.
package struct UnrecordedTally: Sendable, Equatable {
    /// The requests passed through to one host, for one reason.
    package struct Passed: Sendable, Equatable {
        /// `host:port`.
        package let place: String
        package let reason: HostRules.Reason
        package var requests = 0
        /// Tunnels that were not intercepted.
        package var tunnels = 0
    }

    /// The requests refused for one host.
    package struct Blocked: Sendable, Equatable {
        /// `host:port`.
        package let place: String
        package let pattern: String
        /// Requests, and tunnels.
        package var count = 0
    }

    /// The requests refused because of their target.
    package struct Refused: Sendable, Equatable {
        /// `host:port`.
        package let place: String
        package let reason: String
        /// The option that would let it through.
        package let option: String?
        /// Requests, and tunnels.
        package var count = 0
    }

    /// Exchanges that were left out for one reason.
    package struct LeftOut: Sendable, Equatable {
        package let reason: RecordingFilter.Reason
        package var count = 0
        /// The first of them; at most ``UnrecordedTally/exampleLimit``.
        package var examples: [RequestLine] = []
    }

    package static let exampleLimit = 5
    /// The maximum number of hosts that are counted separately; further ones only add to the totals.
    private static let placeLimit = 200

    /// In the order in which they first came; at most 200.
    package private(set) var passed: [Passed] = []
    package private(set) var blocked: [Blocked] = []
    package private(set) var refused: [Refused] = []
    package private(set) var leftOut: [LeftOut] = []
    /// Requests that were passed through, all hosts together.
    package private(set) var passedRequests = 0
    package private(set) var passedTunnels = 0
    package private(set) var blockedCount = 0
    package private(set) var refusedCount = 0
    package private(set) var leftOutCount = 0

    package init() {}

    mutating func pass(_ origin: Origin, _ reason: HostRules.Reason, isTunnel: Bool) {
        var item = Passed(place: Self.place(origin), reason: reason)
        if isTunnel { item.tunnels = 1 } else { item.requests = 1 }
        self.add(item)
    }

    mutating func block(_ origin: Origin, pattern: String) {
        self.add(Blocked(place: Self.place(origin), pattern: pattern, count: 1))
    }

    mutating func refuse(_ refusal: TargetRefusal) {
        self.add(Refused(place: refusal.place, reason: refusal.reason, option: refusal.option, count: 1))
    }

    mutating func leaveOut(_ request: RequestLine, _ reason: RecordingFilter.Reason) {
        self.add(LeftOut(reason: reason, count: 1, examples: [request]))
    }

    /// Adds what another session did.
    mutating func add(_ other: UnrecordedTally) {
        for item in other.passed { self.add(item) }
        for item in other.blocked { self.add(item) }
        for item in other.refused { self.add(item) }
        for item in other.leftOut { self.add(item) }
    }

    private mutating func add(_ item: Passed) {
        self.passedRequests += item.requests
        self.passedTunnels += item.tunnels
        if let index = self.passed.firstIndex(where: { $0.place == item.place && $0.reason == item.reason }) {
            self.passed[index].requests += item.requests
            self.passed[index].tunnels += item.tunnels
        } else if self.passed.count < Self.placeLimit {
            self.passed.append(item)
        }
    }

    private mutating func add(_ item: Blocked) {
        self.blockedCount += item.count
        if let index = self.blocked.firstIndex(where: { $0.place == item.place && $0.pattern == item.pattern }) {
            self.blocked[index].count += item.count
        } else if self.blocked.count < Self.placeLimit {
            self.blocked.append(item)
        }
    }

    private mutating func add(_ item: Refused) {
        self.refusedCount += item.count
        if let index = self.refused.firstIndex(where: { $0.place == item.place && $0.reason == item.reason }) {
            self.refused[index].count += item.count
        } else if self.refused.count < Self.placeLimit {
            self.refused.append(item)
        }
    }

    private mutating func add(_ item: LeftOut) {
        self.leftOutCount += item.count
        guard let index = self.leftOut.firstIndex(where: { $0.reason == item.reason }) else {
            self.leftOut.append(item)
            return
        }
        self.leftOut[index].count += item.count
        let free = Self.exampleLimit - self.leftOut[index].examples.count
        self.leftOut[index].examples += item.examples.prefix(max(0, free))
    }

    private static func place(_ origin: Origin) -> String {
        "\(origin.bracketedHost):\(origin.port)"
    }
}
