/// A port of the machine's loopback address that leads to a listener of an isolated command.
struct SharedPort: Sendable, Hashable, CustomStringConvertible {
    var port: Int
    /// True for `::1`, false for 127.0.0.1.
    var isIPv6: Bool
    var target: IsolatedListener

    /// The address that the port is opened on.
    var host: String { self.isIPv6 ? "::1" : "127.0.0.1" }
    var description: String { self.isIPv6 ? "[::1]:\(self.port)" : "127.0.0.1:\(self.port)" }

    /// Returns the ports for all listeners: 127.0.0.1 for each port, by IPv4 if there is an IPv4 listener, and `::1`
    /// for those that listen on IPv6.
    ///
    /// - Parameter reserved: ports on which the deck listens in the command's network.
    static func all(for listeners: [IsolatedListener], except reserved: Set<Int>) -> Set<SharedPort> {
        var targets: [Int: (v4: IsolatedListener?, v6: IsolatedListener?)] = [:]
        for listener in listeners where !reserved.contains(listener.port) {
            var target = targets[listener.port] ?? (nil, nil)
            if listener.isIPv6 {
                target.v6 = Self.preferred(target.v6, listener)
            } else {
                target.v4 = Self.preferred(target.v4, listener)
            }
            targets[listener.port] = target
        }
        var shared: Set<SharedPort> = []
        for (port, target) in targets {
            if let target = target.v4 ?? target.v6 { shared.insert(Self(port: port, isIPv6: false, target: target)) }
            if let target = target.v6 { shared.insert(Self(port: port, isIPv6: true, target: target)) }
        }
        return shared
    }

    /// Returns the listener on the loopback address, or else the one with the lower address: the order in which the kernel
    /// lists them changes.
    private static func preferred(_ one: IsolatedListener?, _ other: IsolatedListener) -> IsolatedListener {
        guard let one else { return other }
        if one.isLoopback != other.isLoopback { return one.isLoopback ? one : other }
        return one.address.lexicographicallyPrecedes(other.address) ? one : other
    }
}

extension IsolatedListener {
    fileprivate var isLoopback: Bool {
        self.isIPv6 ? self.address.dropLast().allSatisfy { $0 == 0 } && self.address.last == 1 : self.address[0] == 127
    }
}
