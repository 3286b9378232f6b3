/// The kind of a URL's host, before its addresses are looked up.
package enum TargetName: Sendable, Equatable {
    /// These addresses, in any spelling, or this machine by its name.
    case addresses([NetworkAddress])
    /// A name that is private whoever resolves it.
    case local(TargetKind)
    /// A name that means something only in a local network, or to the resolver there.
    case inside
    /// A host that programs interpret differently.
    case ambiguous
    /// A name of the internet.
    case name

    /// Other names of this machine, as `/etc/hosts` has them.
    private static let loopbackNames: Set = [
        "localhost.localdomain", "localhost4", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
    ]
    private static let metadataNames: Set = ["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"]
    /// RFC 6762 section 3, RFC 8375, and what ICANN has set aside for private use.
    private static let insideSuffixes = [".local", ".internal", ".home.arpa", ".localdomain"]

    /// - Parameter host: in lower case, IPv6 without brackets.
    package init(_ host: String) {
        var name = host
        // A dot at the end says that a name is complete (RFC 1034 section 3.1), and some programs take several.
        while name.hasSuffix(".") { name.removeLast() }
        let addresses = NetworkAddress.spelled(name)
        if !addresses.isEmpty {
            self = .addresses(addresses)
        } else if name.isEmpty || name.utf8.contains(ASCII.percent) || Self.endsInNumber(name) {
            self = .ambiguous
        } else if Self.loopbackNames.contains(name) {
            self = .local(.loopback)
        } else if Self.metadataNames.contains(name) {
            self = .local(.metadata)
        } else if !name.utf8.contains(UInt8(ascii: ".")) || Self.insideSuffixes.contains(where: name.hasSuffix) {
            self = .inside
        } else {
            self = .name
        }
    }

    /// Returns true if every program reads an address alike: without octal, hexadecimal or missing parts.
    package static func isPlainAddress(_ host: String) -> Bool {
        NetworkAddress(host) != nil
    }

    /// Browsers take such a host for an address or for a mistake, resolvers for a name. No name of the internet ends so.
    private static func endsInNumber(_ name: String) -> Bool {
        guard let last = name.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        let isDecimal = last.allSatisfy { (0x30...0x39).contains($0) }
        return isDecimal || last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil }
    }
}
