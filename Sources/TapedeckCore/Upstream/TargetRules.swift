/// The permitted targets of connections. A pure decision: the caller looks names up, and connects only to addresses
/// that were checked here.
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
    ///   - scope: the default scope.
    ///   - named: origins named at the start of the deck: host and port are allowed, wherever they are.
    ///   - overrides: addresses given to hosts at the start of the deck: they are allowed.
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

    /// True if the settings of the deck allow the origin although it is not public.
    package func allowsPrivate(_ origin: Origin) -> Bool {
        self.allowedPrivate.contains { $0.matches(origin) }
    }

    /// Decides about an origin's host by itself.
    ///
    /// - Parameter forProxy: true if a proxy gets the host and looks up its addresses itself.
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

    /// Returns the permitted addresses of a host, at least one.
    ///
    /// - Parameter address: of an item; items without one are left out.
    /// - Throws: ``TargetRefusal``, if no address is permitted.
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
