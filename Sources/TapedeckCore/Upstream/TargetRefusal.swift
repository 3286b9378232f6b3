/// The reason why a deck does not connect to the target of a request, and the option that would allow it.
package struct TargetRefusal: Error, Sendable, Equatable {
    /// The reason for refusing a host.
    package enum Cause: Sendable, Equatable {
        /// It is not among those that may be asked at all.
        case notListed
        /// It is, or has, this address.
        case address(NetworkAddress, TargetKind)
        /// It is a name of something private.
        case name(TargetKind)
        /// It is a name of local networks, which a proxy would look up in its own network.
        case inside
        /// It is on this machine, and the deck passes nothing on to it.
        case thisMachine
        /// It is not a plain name or address.
        case ambiguous
    }

    package let origin: Origin
    package let cause: Cause

    package init(_ origin: Origin, _ cause: Cause) {
        self.origin = origin
        self.cause = cause
    }

    /// `host:port`, as the client has it.
    package var place: String { "\(self.origin.bracketedHost):\(self.origin.port)" }

    /// Without trailing dots.
    private var host: String {
        var host = self.origin.host
        while host.hasSuffix("."), host.count > 1 { host.removeLast() }
        return host
    }

    /// True if the client sent the address itself, so that it is not secret.
    private var isSpelledOut: Bool {
        if case .addresses = TargetName(self.origin.host) { true } else { false }
    }

    /// A short text. For a name it has the kind of address, not the address, which would reveal the network around the
    /// deck to strangers.
    package var reason: String {
        switch self.cause {
        case .notListed: "it is not among the hosts that this deck may ask"
        case .address(let address, let kind) where self.isSpelledOut:
            address.description == self.host ? "it is \(kind.description)" : "it is \(address), \(kind.description)"
        case .address(_, let kind): "its name has \(kind.description)"
        case .name(.metadata): "it is a cloud's metadata service"
        case .name: "it is a name of this machine"
        case .inside: "it is a name of local networks, which the upstream proxy would look up in its own"
        case .thisMachine: "it is on this machine, to which this deck passes nothing on"
        case .ambiguous: "it is neither a name nor an address that every program reads alike"
        }
    }

    /// The option that would let it through; `nil` where none should.
    package var option: String? {
        switch self.cause {
        case .notListed: "--allow-hosts \(self.origin.bracketedHost)"
        case .address(let address, _) where self.isSpelledOut: "--allow-private \(address)"
        case .address, .name, .inside, .thisMachine: "--allow-private \(self.host)"
        case .ambiguous: nil
        }
    }

    /// One sentence for the client, and one for the operator of the deck.
    package var message: String {
        let remedy = self.option.map { "Whoever runs the deck can allow it with \($0)." }
        return "Tapedeck does not contact \(self.place): \(self.reason). "
            + (remedy ?? "Write the host as a plain name or address, such as api.example.com or 192.0.2.1.")
    }
}
