/// The public addresses, by the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890, RFC 8190, and
/// later registrations) and, for IPv6, by the assigned global unicast ranges.
extension TargetKind {
    /// `nil` is a public address.
    package init?(_ address: NetworkAddress) {
        guard let kind = Self.kind(of: address) else { return nil }
        self = kind
    }

    private static func kind(of address: NetworkAddress) -> TargetKind? {
        if self.metadataAddresses.contains(address) { return .metadata }
        guard address.bytes.count == 16 else {
            return self.ipv4.first { $0.range.contains(address) }?.kind
        }
        for entry in self.embeddings where entry.range.contains(address) {
            // However it gets there, it ends at the IPv4 address.
            return entry.embedded(address.bytes).lazy.compactMap { Self.kind(of: NetworkAddress($0)) }.first
        }
        if let entry = self.ipv6.first(where: { $0.range.contains(address) }) { return entry.kind }
        // RFC 4291 section 2.4: global unicast is a matter of what IANA has given out, which is this.
        return self.globalUnicast.contains(address) ? nil : .reserved
    }

    private static let globalUnicast = Self.range("2000::/3")

    /// A table that has lost a line would let everything in it through, so a line that cannot be read ends the program.
    private static func range(_ text: String) -> NetworkRange {
        guard let range = NetworkRange(text) else { preconditionFailure("\(text) is no range of addresses") }
        return range
    }

    private static func table(
        _ entries: KeyValuePairs<String, TargetKind?>
    ) -> [(range: NetworkRange, kind: TargetKind?)] {
        entries.map { (Self.range($0.key), $0.value) }
    }

    /// The IANA IPv4 Special-Purpose Address Registry. Those that it calls globally reachable are in no line, but for the
    /// two in 192.0.0.0/24: they are for talking to the network itself.
    private static let ipv4 = Self.table([
        "0.0.0.0/8": .unspecified,  // RFC 791 section 3.2
        "10.0.0.0/8": .privateUse,  // RFC 1918
        "100.64.0.0/10": .sharedSpace,  // RFC 6598
        "127.0.0.0/8": .loopback,  // RFC 1122 section 3.2.1.3
        "169.254.0.0/16": .linkLocal,  // RFC 3927
        "172.16.0.0/12": .privateUse,  // RFC 1918
        "192.0.0.0/24": .reserved,  // RFC 6890 section 2.1: protocol assignments
        "192.0.2.0/24": .documentation,  // RFC 5737
        "192.88.99.0/24": .reserved,  // RFC 7526: the former 6to4 relays
        "192.168.0.0/16": .privateUse,  // RFC 1918
        "198.18.0.0/15": .benchmarking,  // RFC 2544
        "198.51.100.0/24": .documentation,  // RFC 5737
        "203.0.113.0/24": .documentation,  // RFC 5737
        "224.0.0.0/4": .multicast,  // RFC 5771
        "255.255.255.255/32": .broadcast,  // RFC 919 section 7
        "240.0.0.0/4": .reserved,  // RFC 1112 section 4
    ])

    /// The IANA IPv6 Special-Purpose Address Registry; of two lines for an address the upper one counts. Addresses that map
    /// IPv4 are IPv4 addresses already (``NetworkAddress``).
    private static let ipv6 = Self.table([
        "::/128": .unspecified,  // RFC 4291 section 2.5.2
        "::1/128": .loopback,  // RFC 4291 section 2.5.3
        "64:ff9b:1::/48": .privateUse,  // RFC 8215: translation for local use, to any IPv4 address
        "2001:1::1/128": nil,  // RFC 7723
        "2001:1::2/128": nil,  // RFC 8155
        "2001:3::/32": nil,  // RFC 7450
        "2001:4:112::/48": nil,  // RFC 7535
        "2001:2::/48": .benchmarking,  // RFC 5180
        "2001::/23": .reserved,  // RFC 2928: protocol assignments
        "2001:db8::/32": .documentation,  // RFC 3849
        "3fff::/20": .documentation,  // RFC 9637
        "fc00::/7": .privateUse,  // RFC 4193
        "fe80::/10": .linkLocal,  // RFC 4291 section 2.5.6
        "fec0::/10": .privateUse,  // RFC 3879: the former site-local ones
        "ff00::/8": .multicast,  // RFC 4291 section 2.7
    ])

    /// The ranges whose addresses have an IPv4 address in them, and what of it counts.
    private static let embeddings: [(range: NetworkRange, embedded: @Sendable ([UInt8]) -> [[UInt8]])] = [
        // RFC 6052 section 2.1: through a NAT64.
        (Self.range("64:ff9b::/96"), { [Array($0[12...])] }),
        // RFC 3056 section 2: 6to4.
        (Self.range("2002::/16"), { [Array($0[2..<6])] }),
        // RFC 4380 section 4: Teredo, its server and its client, which is written inverted.
        (Self.range("2001::/32"), { [Array($0[4..<8]), $0[12...].map { ~$0 }] }),
    ]

    /// The addresses that providers use, in private ranges or, in Azure, in public ones.
    private static let metadataAddresses: Set<NetworkAddress> = Set(
        [
            "169.254.169.254",  // most of them
            "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "fd00:ec2::254",  // Amazon
            "fd20:ce::254",  // Google
            "168.63.129.16",  // Azure
            "100.100.100.200",  // Alibaba
            "192.0.0.192",  // Oracle
        ].map { text in
            guard let address = NetworkAddress(text) else { preconditionFailure("\(text) is no address") }
            return address
        }
    )
}
