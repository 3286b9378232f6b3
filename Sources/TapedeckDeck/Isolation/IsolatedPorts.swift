/// The ports that an isolated command can reach, and those of its own that others can.
package struct IsolatedPorts: Sendable, Equatable {
    /// Ports of origins, where the deck listens on every address.
    package var origins: [Int]
    /// Ports of the machine's loopback address.
    package var loopback: [LoopbackPort]
    /// Those of them that are not the deck's own.
    package var foreign: [Int]
    /// The number of other programs' ports beyond the limit, which the command cannot reach.
    package var leftOut: Int
    /// True if the ports that the command listens on can be reached from outside.
    package var sharesListeners: Bool

    /// - Parameters:
    ///   - wanted: ports of origins in addition to 80, 443 and those of the tape.
    ///   - own: ports of the deck.
    ///   - listening: ports of the loopback address on which other programs listen.
    ///   - limit: the maximum number of those that the command can reach: the lowest, which are more often a service's than
    ///     those that the system chose.
    ///   - sharesListeners: true if the ports that the command listens on can be reached from outside.
    package init(
        origins wanted: Set<Int>,
        own: Set<Int>,
        listening: [LoopbackPort],
        limit: Int = .max,
        sharesListeners: Bool = true
    ) {
        let origins = wanted.union([80, 443])
        // A port that was free for the deck may be that of an origin on tape, which the command is more likely to want.
        let own = own.subtracting(origins)
        // The command's DNS server is there.
        let taken = origins.union(own).union([53])
        let reachable = listening.filter { !taken.contains($0.port) }.sorted { $0.port < $1.port }
        let others = reachable.prefix(limit)
        self.origins = origins.sorted()
        self.loopback = own.sorted().map { LoopbackPort(port: $0, isIPv6: false) } + others
        self.foreign = Set(others.map(\.port)).sorted()
        self.leftOut = Set(reachable.map(\.port)).count - self.foreign.count
        self.sharesListeners = sharesListeners
    }
}

/// A port of the loopback address, 127.0.0.1 or ::1.
package struct LoopbackPort: Sendable, Hashable {
    package var port: Int
    package var isIPv6: Bool

    package init(port: Int, isIPv6: Bool) {
        self.port = port
        self.isIPv6 = isIPv6
    }

    /// Returns the ports in a table such as `/proc/net/tcp` or `/proc/net/tcp6` that are in use by a listener on the
    /// loopback address or on all addresses (proc_net_tcp in the documentation of Linux).
    package static func listening(in table: String, isIPv6: Bool) -> [LoopbackPort] {
        let loopback = isIPv6 ? "00000000000000000000000001000000" : "0100007F"
        var found: Set<Int> = []
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            // The state of a socket that listens.
            guard columns.count > 3, columns[3] == "0A" else { continue }
            let place = columns[1].split(separator: ":")
            guard place.count == 2, let port = Int(place[1], radix: 16), port > 0 else { continue }
            if place[0] == loopback || place[0].allSatisfy({ $0 == "0" }) { found.insert(port) }
        }
        return found.sorted().map { LoopbackPort(port: $0, isIPv6: isIPv6) }
    }
}
