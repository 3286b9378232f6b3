/// Where connections may go to. A pure decision: looking a name up, and connecting to no other address than was judged
/// here, is the caller's.
package struct TargetRules: Sendable, Equatable {
    /// The decision about a host before its addresses are looked up.
    package enum Finding: Sendable, Equatable {
        /// Any address that the host has.
        case free
        /// These addresses, all of which may be asked.
        case addresses([NetworkAddress])
        /// The addresses of the name must be looked up and judged by ``TargetRules/permitted(_:of:address:)``.
        case unknown
    }

    /// Connections may go anywhere.
    package static let unrestricted = TargetRules(TargetSettings(), scope: .any)

    private let scope: TargetSettings.Scope
    private let allowedPrivate: [HostPattern]
    private let hosts: [HostPattern]
    private let named: [Origin]
    private let overrides: AddressOverrides

    /// - Parameters:
    ///   - scope: what holds where the settings say nothing.
    ///   - named: origins that whoever started the deck named: host and port may be asked, wherever they are.
    ///   - overrides: addresses that whoever started the deck gave to hosts: they may be asked.
    package init(
        _ settings: TargetSettings,
        scope: TargetSettings.Scope,
        named: [Origin] = [],
        overrides: AddressOverrides = AddressOverrides()
    ) {
        self.scope = settings.scope ?? scope
        self.allowedPrivate = settings.allowedPrivate
        self.hosts = settings.hosts
        self.named = named
        self.overrides = overrides
    }

    /// True if whoever started the deck allows the origin although it is not public.
    package func allowsPrivate(_ origin: Origin) -> Bool {
        self.allowedPrivate.contains { $0.matches(origin) }
    }

    /// Decides about an origin's host by itself.
    ///
    /// - Parameter forProxy: whether a proxy is told the host and finds its addresses itself.
    /// - Throws: ``TargetRefusal``.
    package func find(_ origin: Origin, forProxy: Bool = false) throws(TargetRefusal) -> Finding {
        if self.named.contains(where: { $0.host == origin.host && $0.port == origin.port }) { return .free }
        guard self.hosts.isEmpty || self.hosts.contains(where: { $0.matches(origin) }) else {
            throw TargetRefusal(origin, .notListed)
        }
        guard self.scope == .public, !self.allowedPrivate.contains(where: { $0.matches(origin) }),
            self.overrides.addresses(host: origin.host, port: origin.port) == nil
        else { return .free }
        switch TargetName(origin.host) {
        case .addresses(let addresses):
            let permitted = try self.permitted(addresses, of: origin) { $0 }
            // 010.1.1.1 is 8.1.1.1 for one program and 10.1.1.1 for another.
            guard !forProxy || TargetName.isPlainAddress(origin.host) else { throw TargetRefusal(origin, .ambiguous) }
            return .addresses(permitted)
        case .local(let kind): throw TargetRefusal(origin, .name(kind))
        case .inside where forProxy: throw TargetRefusal(origin, .inside)
        case .ambiguous: throw TargetRefusal(origin, .ambiguous)
        case .inside, .name: return .unknown
        }
    }

    /// Those of a host's addresses that may be asked, of which there is at least one.
    ///
    /// - Parameter address: of an item; what has none is left out.
    /// - Throws: ``TargetRefusal``, where there is none.
    package func permitted<Item>(
        _ items: [Item],
        of origin: Origin,
        address: (Item) -> NetworkAddress?
    ) throws(TargetRefusal) -> [Item] {
        var refused: (address: NetworkAddress, kind: TargetKind)?
        var permitted: [Item] = []
        for item in items {
            guard let address = address(item) else { continue }
            if let kind = TargetKind(address), !self.allows(address, port: origin.port) {
                refused = refused ?? (address, kind)
            } else {
                permitted.append(item)
            }
        }
        guard permitted.isEmpty else { return permitted }
        throw TargetRefusal(origin, refused.map { .address($0.address, $0.kind) } ?? .ambiguous)
    }

    private func allows(_ address: NetworkAddress, port: Int) -> Bool {
        self.allowedPrivate.contains { $0.matches(host: address.description, port: port) }
    }
}
