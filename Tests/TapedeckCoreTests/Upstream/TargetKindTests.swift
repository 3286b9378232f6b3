import TapedeckCore
import Testing

/// The public addresses.
@Suite struct TargetKindTests {
    /// The first, the last and one in between of every range of the registries, and what hides one.
    @Test(
        arguments: [
            (.unspecified, ["0.0.0.0", "0.1.2.3", "0.255.255.255", "::", "::ffff:0.0.0.0"]),
            (.loopback, ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"]),
            (
                .privateUse,
                ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"]
            ),
            (.privateUse, ["::ffff:10.0.0.1", "fc00::", "fdff:ffff::1", "fec0::1", "feff::1", "64:ff9b:1::808:808"]),
            (.sharedSpace, ["100.64.0.0", "100.127.255.255"]),
            (.linkLocal, ["169.254.0.0", "169.254.255.255", "fe80::", "fe80::1", "febf:ffff::1"]),
            (
                .metadata,
                [
                    "169.254.169.254", "::ffff:169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254",
                    "fd00:ec2::23", "fd20:ce::254", "168.63.129.16", "100.100.100.200", "192.0.0.192",
                    "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
                ]
            ),
            (
                .documentation,
                ["192.0.2.1", "198.51.100.255", "203.0.113.0", "2001:db8::", "2001:db8:ffff::1", "3fff:fff::1"]
            ),
            (.benchmarking, ["198.18.0.0", "198.19.255.255", "2001:2::1"]),
            (.multicast, ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1"]),
            (.broadcast, ["255.255.255.255"]),
            (.reserved, ["192.0.0.0", "192.0.0.255", "192.88.99.1", "240.0.0.0", "255.255.255.254"]),
            // Deprecated, for no machine, or never given out: IPv4-compatible and IPv4-translated ones among them.
            (
                .reserved,
                ["::2", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "100::1", "2001:10::1", "2001:20::1"]
            ),
            (.reserved, ["100:0:0:1::1", "5f00::1", "4000::1", "1fff::1", "64:ff9c::1", "fb00::1"]),
            // NAT64, 6to4, and Teredo by its server and by its client.
            (
                .loopback,
                ["64:ff9b::127.0.0.1", "2002:7f00:1::", "2001:0:7f00:1::f7f7:f7f7", "2001:0:808:808::80ff:fffe"]
            ),
            (
                .privateUse,
                ["64:ff9b::10.0.0.1", "2002:c0a8:1::1", "2001:0:a00:1::f7f7:f7f7", "2001:0:808:808::f5ff:fffe"]
            ),
        ] as [(TargetKind, [String])]
    )
    func `an address that is not public has a kind`(_ kind: TargetKind, _ texts: [String]) throws {
        for text in texts {
            let address = try #require(NetworkAddress(text), "\(text)")
            #expect(TargetKind(address) == kind, "\(text)")
        }
    }

    /// The neighbours of the ranges among them.
    @Test(arguments: [
        "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
        "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15",
        "2000::1", "2001:1::1", "2001:3::1", "2001:4:112::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1",
        "2001:db9::1", "2003::1", "2606:4700::1111", "3ffe::1", "3fff:1000::1", "64:ff9b::8.8.8.8", "2002:808:808::1",
        "2001:0:808:808::f7f7:f7f7", "::ffff:8.8.8.8",
    ])
    func `any other address is public`(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(TargetKind(address) == nil)
    }
}
